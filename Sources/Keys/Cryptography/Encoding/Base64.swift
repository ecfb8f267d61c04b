package import SecureMemory

/// Standard base64 (RFC 4648 section 4). Strict: it reads only what ``encode(_:)`` writes, so each byte string has one
/// text: padded, no white space, unused bits at the end are zero.
package enum Base64 {
    /// The padded text.
    package static func encode(_ source: borrowing some ByteSource & ~Copyable) -> String {
        Base64Alphabet.standard.encode(source)
    }

    /// The bytes, or nil if the text is not strict base64.
    package static func decode(_ text: String) -> [UInt8]? {
        Base64Alphabet.standard.decode(text)
    }

    /// The bytes of secret text, or nil if the text is not strict base64.
    package static func decodeSecret(_ text: borrowing some ByteSource & ~Copyable) -> SecretBytes? {
        Base64Alphabet.standard.decodeSecret(text)
    }
}

/// The URL-safe base64 of JOSE (RFC 4648 section 5, RFC 7515 section 2). Strict: it reads only what ``encode(_:)``
/// writes: unpadded, no white space, unused bits at the end are zero.
package enum Base64URL {
    /// The unpadded text.
    package static func encode(_ source: borrowing some ByteSource & ~Copyable) -> String {
        Base64Alphabet.urlSafe.encode(source)
    }

    /// The bytes, or nil if the text is not strict unpadded base64url.
    package static func decode(_ text: String) -> [UInt8]? {
        Base64Alphabet.urlSafe.decode(text)
    }
}
