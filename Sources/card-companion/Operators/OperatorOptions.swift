import ArgumentParser
import CardCompanion
import Cryptography
import Foundation
import KeyVault
import SecureMemory

/// Who signs a change, in an installation with operators.
struct OperatorOptions: ParsableArguments {
    /// The longest passphrase.
    static let passphraseByteLimit = 1024
    private static let keyFileByteLimit = 16_384

    @Option(
        name: .customLong("operator"),
        help: "Your name as an operator. It is necessary if the change needs two operators.")
    var name: String?
    @Option(name: .customLong("operator-key"), help: "The file of your private key.")
    var keyFile: String?
    @Option(
        name: .customLong("operator-passphrase-file"),
        help: "The file of your key's passphrase (mode 0600). Without it, a prompt asks for it.")
    var passphraseFile: String?

    /// Signs a statement.
    ///
    /// - Throws: ``CommandError`` if the options do not name an operator and their key.
    func sign(_ statement: ApprovalStatement, in roster: OperatorRoster) throws -> OperatorSignature {
        let (name, keyFile) = try requireName()
        guard let member = roster.member(name) else {
            throw CommandError.notFound("there is no operator '\(name)': see 'card-companion operator list'")
        }
        let pem = try SecretFile.read(keyFile, byteLimit: Self.keyFileByteLimit).withBytes { Array($0) }
        let passphrase =
            try passphraseFile.map { try Self.passphrase(inFile: $0) }
            ?? SharedSecret(try Terminal.askSecret("Passphrase of \(name): ", byteLimit: Self.passphraseByteLimit))
        let key: Ed25519PrivateKey
        do {
            key = try Ed25519PrivateKey(encryptedPEM: pem, passphrase: passphrase.bytes)
        } catch {
            throw CommandError.badInput("\(keyFile) does not open: the passphrase is wrong, or it is no operator's key")
        }
        guard key.publicKey.rawRepresentation == member.publicKey else {
            throw CommandError.refused("\(keyFile) is not the key of operator '\(name)'")
        }
        return OperatorSignature(operatorName: name, signature: try key.sign(Array(statement.text.utf8)))
    }

    /// - Throws: ``CommandError`` if the options name no operator.
    @discardableResult
    func requireName() throws -> (name: String, keyFile: String) {
        guard let name, let keyFile else {
            throw CommandError.badInput(
                "this change needs two operators: name yourself with --operator, and your key with --operator-key")
        }
        return (name, keyFile)
    }

    /// The end of the line does not count.
    static func passphrase(inFile path: String) throws -> SharedSecret {
        let contents = try SecretFile.read(path, byteLimit: passphraseByteLimit + 1)
        return SharedSecret(
            contents.withBytes { bytes in
                SecretBytes(copying: UnsafeRawBufferPointer(rebasing: bytes.prefix { $0 != UInt8(ascii: "\n") }))
            })
    }
}
