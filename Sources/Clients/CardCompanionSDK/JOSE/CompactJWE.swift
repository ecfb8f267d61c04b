internal import CardCompanionAPI
internal import Crypto
internal import Foundation

/// The five parts of a JWE in compact serialization (RFC 7516 section 3.1).
struct CompactJWE {
    let header: JWEHeader
    let encryptedKey: Data
    /// The encoded header as it was sent. It is GCM's associated data.
    let protectedHeader: Data
    let box: AES.GCM.SealedBox

    private static let nonceByteCount = 12
    private static let tagByteCount = 16

    /// Parses the serialization.
    ///
    /// - Throws: 90005 if `text` is not a compact JWE or its header is invalid.
    init(parsing text: String) throws(SDKError) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let decoded = parts.compactMap { Base64URL.decode($0) }
        guard parts.count == 5, decoded.count == 5,
            decoded[2].count == Self.nonceByteCount, decoded[4].count == Self.tagByteCount,
            let nonce = try? AES.GCM.Nonce(data: decoded[2]),
            let box = try? AES.GCM.SealedBox(nonce: nonce, ciphertext: decoded[3], tag: decoded[4])
        else {
            throw SDKError(.decryptionFailed, "the value is not a compact JWE")
        }
        guard let header = try? JSONDecoder().decode(JWEHeader.self, from: decoded[0]),
            MemberNames.areUnique(in: decoded[0])
        else {
            throw SDKError(.decryptionFailed, "the JWE's header is invalid or has an unsupported parameter")
        }
        self.header = header
        encryptedKey = decoded[1]
        protectedHeader = Data(parts[0].utf8)
        self.box = box
    }

    /// Decrypts the content with the recipient's key.
    ///
    /// - Throws: 90005 if an algorithm is not the expected one or the content does not authenticate, 90009 or 90014 if
    ///   `epk` is invalid, 90010 or 90012 if the content key cannot be decrypted.
    func open(with recipient: RecipientKey) throws(SDKError) -> Data {
        guard header.alg == recipient.algorithm.rawValue, header.enc == JWEHeader.contentEncryption else {
            throw SDKError(.decryptionFailed, "the JWE does not use the expected algorithms")
        }
        let contentKey = try recipient.unwrap(encryptedKey, header: header)
        guard contentKey.bitCount == 256 else {
            throw SDKError(.contentKeyNotUnwrapped, "the content key must have 256 bits")
        }
        guard let content = try? AES.GCM.open(box, using: contentKey, authenticating: protectedHeader) else {
            throw SDKError(.decryptionFailed, "the content does not authenticate")
        }
        return content
    }

    /// Encrypts `content` and returns the serialization. Its header says which request the content is for.
    ///
    /// - Throws: 90010 if the key agreement fails, 90005 if encryption fails.
    static func seal(_ content: Data, to key: ServerKey, for request: RequestBinding) throws(SDKError) -> String {
        let contentKey = SymmetricKey(size: .bits256)
        var (header, encryptedKey) = try key.wrap(contentKey)
        (header.cty, header.iss, header.sub) = (request.content.rawValue, request.bankId, request.uniqueId)
        (header.jti, header.keypadId) = (request.requestId, request.keypadId)
        guard let headerText = try? Base64URL.encode(JSONEncoder().encode(header)),
            let box = try? AES.GCM.seal(content, using: contentKey, authenticating: Data(headerText.utf8))
        else {
            throw SDKError(.decryptionFailed, "the content could not be encrypted")
        }
        let binary = [encryptedKey, Data(box.nonce), box.ciphertext, box.tag]
        return ([headerText] + binary.map { Base64URL.encode($0) }).joined(separator: ".")
    }
}
