internal import Foundation
package import KeyVault
package import PKCS11
package import SecureMemory
internal import Synchronization

extension VaultSettings {
    /// The vault of the settings.
    ///
    /// - Parameter forServer: whether nobody can be asked for a PIN.
    package func vault(forServer: Bool) -> any Vault {
        guard let token else { return FileVault(path: file) }
        return Self.tokenVault(token, pinFile: pinFile, forServer: forServer)
    }

    /// A token whose PIN is in a file, in the service manager's credentials, or is typed.
    package static func tokenVault(_ token: Token.Address, pinFile: String?, forServer: Bool) -> TokenVault {
        let path = pinFile ?? credential
        return TokenVault(token, isPersonPresent: path == nil && !forServer) { () throws(KeyVaultError) in
            if let path { return try PINFile.read(path) }
            guard !forServer else { return nil }
            return try typedPINs.pin(of: token)
        }
    }

    private static let typedPINs = TypedPINs()

    /// systemd's LoadCredential= or LoadCredentialEncrypted= with the name vault-pin.
    private static var credential: String? {
        let folder = ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"]
        return folder.map { "\($0)/vault-pin" }.flatMap { FileManager.default.fileExists(atPath: $0) ? $0 : nil }
    }
}

/// PINs that a person has typed. A command asks for each once, also if it connects to the token several times.
private final class TypedPINs: Sendable {
    private let pins = Mutex<[String: SharedSecret]>([:])

    func pin(of token: Token.Address) throws(KeyVaultError) -> SharedSecret {
        try pins.withLock { (pins) throws(KeyVaultError) in
            if let pin = pins[token.label] { return pin }
            let pin: SharedSecret
            do {
                pin = SharedSecret(
                    try Terminal.askSecret("PIN of token '\(token.label)': ", byteLimit: PINFile.byteLimit))
            } catch {
                throw .vaultNeedsPIN(
                    "there is no terminal to ask for the PIN of token '\(token.label)': set vault.pin.file")
            }
            pins[token.label] = pin
            return pin
        }
    }
}

/// A file with the PIN of a token.
package enum PINFile {
    /// The longest PIN.
    package static let byteLimit = 255

    /// Reads it. The end of the line does not count.
    package static func read(_ path: String) throws(KeyVaultError) -> SharedSecret {
        let contents = try SecretFile.read(path, byteLimit: byteLimit + 1)
        let pin = contents.withBytes { bytes in
            SecretBytes(copying: UnsafeRawBufferPointer(rebasing: bytes.prefix { $0 != UInt8(ascii: "\n") }))
        }
        guard pin.count > 0 else { throw .unusableFile(path: path, reason: "it contains no PIN") }
        return SharedSecret(pin)
    }
}
