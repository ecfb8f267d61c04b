import CardCompanionServer
import Cryptography
import KeyBlocks
import PINVerification
import SecureMemory

/// The HSM of the bank's host, in small: it has the key of the PVVs, and says whether an entered PIN is the right one. A real key never
/// leaves its HSM; this one is in a file.
struct SandboxHSM: Sendable {
    static let keyFile = "pvk.hex"
    /// The PIN verification key index (PVKI).
    static let keyIndex = 1

    /// The name of the key at the server.
    let keyLabel: String
    private let method: VisaPVV
    private let cipher: BlockCipher

    /// - Parameter directory: the sandbox's folder.
    init(directory: String) throws {
        try self.init(SymmetricKey(.tripleDES, InputFile.readHex("\(directory)/\(Self.keyFile)")))
    }

    init(_ key: SymmetricKey) throws {
        guard let method = VisaPVV(keyIndex: Self.keyIndex) else { preconditionFailure("there is no such key index") }
        self.method = method
        keyLabel = "pvk-\(key.checkValue)"
        cipher = try BlockCipher(.tripleDES, key: key.secret.bytes)
    }

    /// Whether a PIN has this value. The comparison takes as long, whichever digits differ.
    ///
    /// - Throws: `PINVerificationError` if it is no PIN.
    func has(_ pin: borrowing SecretBytes, of card: SandboxCard, value: borrowing SecretBytes) throws -> Bool {
        ConstantTime.areEqual(try method.value(of: pin, pan: card.number.bytes, key: cipher), value)
    }
}
