import Administration
import CardCompanion
import CardCompanionServer
import Cryptography
import KeyVault
import PKCS11
import SecureMemory

/// A token with an operator's private key: a smart card of their own, or their part of an HSM.
struct OperatorToken {
    private static let keyLabel = "card-companion operator"
    private static let keyIdByteCount = 16

    private let address: Token.Address
    private let pinFile: String?

    /// Reads the options of a command.
    ///
    /// - Parameter prefix: of the options' names.
    /// - Returns: nil if they name no token.
    /// - Throws: ``CommandError`` if only one of label and module is there.
    init?(label: String?, modulePath: String?, pinFile: String?, prefix: String) throws {
        guard label != nil || modulePath != nil || pinFile != nil else { return nil }
        guard let label, let modulePath else {
            throw CommandError.badInput("a token needs both --\(prefix)token and --\(prefix)module")
        }
        address = Token.Address(modulePath: modulePath, label: label)
        self.pinFile = pinFile
    }

    /// Makes a key on the token. If an earlier command has made one, it is that one.
    ///
    /// - Throws: ``CommandError``.
    func makeKey() async throws -> Ed25519PublicKey {
        try await withToken { token in
            if let key = try await token.signingKeys(.ed25519, label: Self.keyLabel).first {
                Terminal.note(
                    "the token '\(address.label)' already has an operator's key: the command uses its public key")
                return try Ed25519PublicKey(rawRepresentation: key.publicKey)
            }
            let key = try await token.makeSigningKey(
                .ed25519, id: SecureRandom.bytes(count: Self.keyIdByteCount), label: Self.keyLabel)
            return try Ed25519PublicKey(rawRepresentation: key.publicKey)
        }
    }

    /// Signs with the key of an operator.
    ///
    /// - Returns: an Ed25519 signature, 64 bytes.
    /// - Throws: ``CommandError``, also if the token does not have that key.
    func sign(_ text: [UInt8], as member: OperatorRoster.Member) async throws -> [UInt8] {
        try await withToken { token in
            let keys = try await token.signingKeys(.ed25519, label: Self.keyLabel)
            guard let key = keys.first(where: { $0.publicKey == member.publicKey }) else {
                throw CommandError.refused(
                    "the token '\(address.label)' does not have the key of operator '\(member.name)'")
            }
            return try await token.sign(text, .ed25519, keyId: key.id)
        }
    }

    private func withToken<Result>(_ body: (Token) async throws -> Result) async throws -> Result {
        let pin =
            try pinFile.map { try PINFile.read($0) }
            ?? SharedSecret(
                try Terminal.askSecret("PIN of token '\(address.label)': ", byteLimit: PINFile.byteLimit))
        let token = Token(address)
        do {
            try await token.logIn(pin, by: pinFile == nil ? .person(acceptsLastTry: false) : .automatic)
            let result = try await body(token)
            await token.close()
            return result
        } catch PKCS11Error.wrongPINBefore {
            await token.close()
            throw CommandError.refused(
                "someone has entered a wrong PIN for the token '\(address.label)' since the last right one: leave out the PIN's "
                    + "file, and type the PIN")
        } catch let error as PKCS11Error {
            await token.close()
            throw CommandError.refused("the token '\(address.label)': \(error)")
        } catch {
            await token.close()
            throw error
        }
    }
}
