internal import Cryptography
internal import StrictJSON

/// The parts of a compact JWE (RFC 7516 section 7.1). The header is parsed, but its parameters are not checked yet.
struct CompactJWE: Sendable {
    /// The header as it was sent (base64url), which the tag of the content authenticates.
    let protectedHeader: [UInt8]
    let headerMembers: [String: JSONValue]
    let encryptedKey: [UInt8]
    let nonce: [UInt8]
    let ciphertext: [UInt8]
    let tag: [UInt8]

    init(_ text: String, byteCountLimit: Int) throws(JOSEError) {
        guard text.utf8.count <= byteCountLimit else { throw JOSEError(.tooLong) }
        // Split by bytes, because finding the characters of a text costs more than decoding it.
        let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 5, omittingEmptySubsequences: false)
        guard parts.count == 5 else { throw JOSEError(.malformed) }
        guard parts[0].count <= JWE.headerByteCountLimit else { throw JOSEError(.tooLong) }
        protectedHeader = Array(parts[0])
        headerMembers = try Self.members(Self.bytes(parts[0]))
        encryptedKey = try Self.bytes(parts[1])
        nonce = try Self.bytes(parts[2])
        ciphertext = try Self.bytes(parts[3])
        tag = try Self.bytes(parts[4])
        guard nonce.count == AESGCM.nonceByteCount, tag.count == AESGCM.tagByteCount else {
            throw JOSEError(.malformed)
        }
    }

    private static func bytes(_ part: Substring.UTF8View) throws(JOSEError) -> [UInt8] {
        guard let bytes = Base64URL.decode(String(Substring(part))) else { throw JOSEError(.malformed) }
        return bytes
    }

    private static func members(_ header: [UInt8]) throws(JOSEError) -> [String: JSONValue] {
        guard case .object(let members)? = try? JSONValue(parsing: header) else { throw JOSEError(.malformed) }
        return members
    }
}
