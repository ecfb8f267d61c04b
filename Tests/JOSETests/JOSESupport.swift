import Cryptography
import JOSE
import SecureMemory

extension SecretBytes {
    /// The content, which is no secret in a test.
    var revealed: [UInt8] { withBytes { [UInt8]($0) } }
}

extension String {
    var bytes: [UInt8] { Array(utf8) }

    /// The base64url text of the text.
    var base64URL: String { Base64URL.encode(bytes) }
}

/// A compact JWE put together by hand, right or wrong.
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

/// The code of the error that `body` throws, nil where it throws none.
func failure(of body: () throws(JOSEError) -> Void) -> JOSEError.Code? {
    do {
        try body()
        return nil
    } catch {
        return error.code
    }
}

/// Keys for tests that need any.
enum Keys {
    static let rsa = requireKey { try RSAPrivateKey.generate(bits: 2048) }
    static let p256 = requireKey { try P256PrivateKey.generate() }

    private static func requireKey<Key>(_ make: () throws -> Key) -> Key {
        guard let key = try? make() else { preconditionFailure("no key was made") }
        return key
    }
}
