import Cryptography
import Testing

/// Handmade PKCS#8 of P-256 keys, valid or invalid.
enum PKCS8 {
    /// A key from its base64url parts.
    static func p256(_ parts: (x: String, y: String, d: String)) throws -> [UInt8] {
        try p256(
            scalar: Base64URL.decode(parts.d) ?? [], x: Base64URL.decode(parts.x) ?? [],
            y: Base64URL.decode(parts.y) ?? [])
    }

    /// A key with its public part, as in RFC 5958 and RFC 5915.
    static func p256(scalar: [UInt8], x: [UInt8], y: [UInt8]) throws -> [UInt8] {
        let beginning = "308187020100301306072a8648ce3d020106082a8648ce3d030107046d306b0201010420"
        return try hex(beginning) + scalar + hex("a14403420004") + x + y
    }

    /// The same without the public part.
    static func p256(scalar: [UInt8]) throws -> [UInt8] {
        try hex("3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420") + scalar
    }
}
