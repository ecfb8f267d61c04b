internal import CardCompanionAPI
internal import Crypto
internal import Foundation

/// The plaintext of a delivered PIN.
struct DeliveredPIN {
    let format: Format
    let notifyKey: SymmetricKey
    let freeField: String?
    private let length: Int
    private let images: [String]
    private let order: [Int]

    enum Format: String, Decodable {
        case captcha, digits
    }

    private struct Members: Decodable {
        let format: Format
        let length: Int
        let images: [String]
        let order: [Int]?
        let notifyKey: String
        let freeField: String?
    }

    /// PINs have 4 to 12 digits (ISO 9564-1).
    private static let lengths = 4...12
    private static let notifyKeyByteCount = 32

    /// Reads the JSON (90011).
    init(parsing plaintext: Data) throws(SDKError) {
        guard let members = try? JSONDecoder().decode(Members.self, from: plaintext) else {
            throw SDKError(.plaintextNotParsed, "a member is absent or of the wrong kind")
        }
        guard let notifyKey = Base64URL.decode(members.notifyKey), notifyKey.count == Self.notifyKeyByteCount else {
            throw SDKError(.plaintextNotParsed, "notifyKey is not 32 bytes in base64url")
        }
        guard members.images.allSatisfy(Self.isPNG) else {
            throw SDKError(.plaintextNotParsed, "an image is not a PNG in base64")
        }
        format = members.format
        self.notifyKey = SymmetricKey(data: notifyKey)
        freeField = members.freeField
        length = members.length
        images = members.images
        order = members.order ?? []
    }

    /// The images as the cardholder shall see them: the captcha, or one image a digit in the PIN's order. Nil where
    /// they do not add up to the PIN's length (90013).
    func imagesInOrder() -> [String]? {
        guard Self.lengths ~= length else { return nil }
        switch format {
        case .captcha:
            return images.count == 1 ? images : nil
        case .digits:
            guard images.count == length, order.sorted() == Array(0..<length) else { return nil }
            return order.map { images[$0] }
        }
    }

    private static func isPNG(_ base64: String) -> Bool {
        Data(base64Encoded: base64)?.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) ?? false
    }
}
