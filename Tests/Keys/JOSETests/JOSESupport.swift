import Cryptography
import JOSE
import SecureMemory

extension SecretBytes {
    /// The content. In a test it is not secret.
    var revealed: [UInt8] { withBytes { [UInt8]($0) } }
}

extension String {
    var bytes: [UInt8] { Array(utf8) }

    /// The UTF-8 bytes in base64url.
    var base64URL: String { Base64URL.encode(bytes) }
}

/// A handmade compact JWE, valid or invalid.
struct HandmadeJWE {
    var header: String
    var encryptedKey = [UInt8](repeating: 1, count: 40)
    var nonce = [UInt8](repeating: 2, count: 12)
    var ciphertext = [UInt8](repeating: 3, count: 16)
    var tag = [UInt8](repeating: 4, count: 16)

    var compact: String {
        let parts = [encryptedKey, nonce, ciphertext, tag].map { Base64URL.encode($0) }
        return ([header.base64URL] + parts).joined(separator: ".")
    }
}

/// The code of the error that `body` throws; nil if it does not throw.
func failure(of body: () throws(JOSEError) -> Void) -> JOSEError.Code? {
    do {
        try body()
        return nil
    } catch {
        return error.code
    }
}

/// Keys for tests that can use any key.
enum Keys {
    static let rsa = requireKey { try RSAPrivateKey.generate(bits: 2048) }
    static let p256 = requireKey { try P256PrivateKey.generate() }

    private static func requireKey<Key>(_ make: () throws -> Key) -> Key {
        guard let key = try? make() else { preconditionFailure("cannot generate a key") }
        return key
    }
}
