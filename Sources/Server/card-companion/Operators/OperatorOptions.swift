import Administration
import ArgumentParser
import CardCompanion
import CardCompanionServer
import Cryptography
import DualControl
import Foundation
import KeyVault
import SecureMemory

/// Who signs a change, in an installation with operators.
struct OperatorOptions: ParsableArguments, OperatorSigner {
    /// The longest passphrase.
    static let passphraseByteLimit = 1024
    private static let keyFileByteLimit = 16_384

    @Option(
        name: .customLong("operator"),
        help: "Your name as an operator. You must give it if the change needs two operators.")
    var name: String?
    @Option(name: .customLong("operator-key"), help: "The file of your private key.")
    var keyFile: String?
    @Option(
        name: .customLong("operator-passphrase-file"),
        help: "The file of your key's passphrase (mode 0600). Without it, a prompt asks for it.")
    var passphraseFile: String?
    @Option(
        name: .customLong("operator-token"),
        help: "The label of the token that has your private key, instead of --operator-key.")
    var tokenLabel: String?
    @Option(name: .customLong("operator-module"), help: "The path of the token's PKCS#11 module.")
    var modulePath: String?
    @Option(
        name: .customLong("operator-pin-file"),
        help: "The file of the token's PIN (mode 0600). Without it, a prompt asks for it.")
    var pinFile: String?

    /// Where an operator's private key is.
    private enum PrivateKey {
        case file(String)
        case token(OperatorToken)
    }

    /// Signs a statement.
    ///
    /// - Throws: ``CommandError`` if the options do not name an operator and their key.
    func sign(_ statement: ApprovalStatement, in roster: OperatorRoster) async throws -> OperatorSignature {
        let (name, key) = try signer()
        guard let member = roster.member(name) else {
            throw CommandError.notFound("there is no operator '\(name)': see 'card-companion operator list'")
        }
        let text = Array(statement.text.utf8)
        let signature =
            switch key {
            case .file(let path): try sign(text, withFile: path, of: member)
            case .token(let token): try await token.sign(text, as: member)
            }
        return OperatorSignature(operatorName: name, signature: signature)
    }

    private func sign(_ text: [UInt8], withFile path: String, of member: OperatorRoster.Member) throws -> [UInt8] {
        let pem = try SecretFile.read(path, byteLimit: Self.keyFileByteLimit).withBytes { Array($0) }
        let passphrase =
            try passphraseFile.map { try Self.passphrase(inFile: $0) }
            ?? SharedSecret(
                try Terminal.askSecret("Passphrase of \(member.name): ", byteLimit: Self.passphraseByteLimit))
        let key: Ed25519PrivateKey
        do {
            key = try Ed25519PrivateKey(encryptedPEM: pem, passphrase: passphrase.bytes)
        } catch {
            throw CommandError.badInput(
                "\(path) cannot be opened: the passphrase is wrong, or the file is not an operator's key")
        }
        guard key.publicKey.rawRepresentation == member.publicKey else {
            throw CommandError.refused("\(path) is not the key of operator '\(member.name)'")
        }
        return try key.sign(text)
    }

    /// - Throws: ``CommandError`` if the options do not name an operator and their key.
    func requireSigner() throws { _ = try signer() }

    private func signer() throws -> (name: String, key: PrivateKey) {
        let token = try OperatorToken(label: tokenLabel, modulePath: modulePath, pinFile: pinFile, prefix: "operator-")
        switch (name, keyFile, token) {
        case (let name?, let path?, nil): return (name, .file(path))
        case (let name?, nil, let token?): return (name, .token(token))
        case (_, _?, _?): throw CommandError.badInput("use either --operator-key or --operator-token")
        default:
            throw CommandError.badInput(
                "this change needs two operators, and you are one of them: name yourself with --operator, and your key with "
                    + "--operator-key or --operator-token")
        }
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
