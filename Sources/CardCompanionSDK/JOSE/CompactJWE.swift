internal import CardCompanionAPI
internal import Crypto
internal import Foundation

/// The five parts of a JWE in compact serialisation (RFC 7516 section 3.1).
struct CompactJWE {
    let header: JWEHeader
    let encryptedKey: Data
    /// The header as it was sent: GCM's associated data.
    let protectedHeader: Data
    let box: AES.GCM.SealedBox

    private static let nonceByteCount = 12
    private static let tagByteCount = 16

    /// Reads the serialisation (90005).
    init(parsing text: String) throws(SDKError) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let decoded = parts.compactMap { Base64URL.decode($0) }
        guard parts.count == 5, decoded.count == 5,
            decoded[2].count == Self.nonceByteCount, decoded[4].count == Self.tagByteCount,
            let nonce = try? AES.GCM.Nonce(data: decoded[2]),
            let box = try? AES.GCM.SealedBox(nonce: nonce, ciphertext: decoded[3], tag: decoded[4])
        else {
            throw SDKError(.decryptionFailed, "not a compact JWE")
        }
        guard let header = try? JSONDecoder().decode(JWEHeader.self, from: decoded[0]),
            MemberNames.areUnique(in: decoded[0])
        else {
            throw SDKError(.decryptionFailed, "the JWE's header is not understood")
        }
        self.header = header
        encryptedKey = decoded[1]
        protectedHeader = Data(parts[0].utf8)
        self.box = box
    }

    /// Decrypts what is sealed for `recipient`.
    ///
    /// Throws 90005 where an algorithm is not the expected one or the content does not authenticate, 90009 and 90014
    /// for a bad `epk`, 90010 and 90012 where the content key cannot be had.
    func open(with recipient: RecipientKey) throws(SDKError) -> Data {
        guard header.alg == recipient.algorithm.rawValue, header.enc == JWEHeader.contentEncryption else {
            throw SDKError(.decryptionFailed, "the JWE's algorithms are not the expected ones")
        }
        let contentKey = try recipient.unwrap(encryptedKey, header: header)
        guard contentKey.bitCount == 256 else {
            throw SDKError(.contentKeyNotUnwrapped, "the content key is not of 256 bits")
        }
        guard let content = try? AES.GCM.open(box, using: contentKey, authenticating: protectedHeader) else {
            throw SDKError(.decryptionFailed, "the content does not authenticate")
        }
        return content
    }

    /// Encrypts `content` and gives the serialisation (90010 where the content key could not be wrapped).
    static func seal(_ content: Data, to key: ServerKey) throws(SDKError) -> String {
        let contentKey = SymmetricKey(size: .bits256)
        let (header, encryptedKey) = try key.wrap(contentKey)
        guard let headerText = try? Base64URL.encode(JSONEncoder().encode(header)),
            let box = try? AES.GCM.seal(content, using: contentKey, authenticating: Data(headerText.utf8))
        else {
            throw SDKError(.decryptionFailed, "the content could not be encrypted")
        }
        let binary = [encryptedKey, Data(box.nonce), box.ciphertext, box.tag]
        return ([headerText] + binary.map { Base64URL.encode($0) }).joined(separator: ".")
    }
}
