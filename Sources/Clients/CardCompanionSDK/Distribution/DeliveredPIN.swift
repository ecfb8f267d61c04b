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
    private let text: String?

    enum Format: String, Decodable {
        case captcha, digits, text
    }

    /// What the app shows.
    enum PIN: Equatable {
        /// The captcha, or one image per digit in the PIN's order.
        case images([String])
        /// The digits themselves.
        case text(String)
    }

    private struct Members: Decodable {
        let format: Format
        let length: Int
        let images: [String]?
        let order: [Int]?
        let text: String?
        let notifyKey: String
        let freeField: String?
    }

    /// PINs have 4 to 12 digits (ISO 9564-1).
    private static let lengths = 4...12
    static let notifyKeyByteCount = 32
    private static let asciiDigits = UInt8(ascii: "0")...UInt8(ascii: "9")

    /// Parses the JSON.
    ///
    /// - Parameter acceptsText: whether the app has asked for the digits themselves.
    /// - Throws: 90011 if a member is missing or invalid.
    init(parsing plaintext: Data, acceptsText: Bool = false) throws(SDKError) {
        guard let members = try? JSONDecoder().decode(Members.self, from: plaintext) else {
            throw SDKError(.plaintextNotParsed, "a member is missing or has the wrong type")
        }
        guard members.format != .text || (acceptsText && members.text != nil && members.images == nil) else {
            throw SDKError(.plaintextNotParsed, "format text must have text and no images, and be asked for")
        }
        guard let notifyKey = Base64URL.decode(members.notifyKey), notifyKey.count == Self.notifyKeyByteCount else {
            throw SDKError(.plaintextNotParsed, "notifyKey must be 32 bytes in base64url")
        }
        guard members.format == .text || members.images != nil, (members.images ?? []).allSatisfy(Self.isPNG) else {
            throw SDKError(.plaintextNotParsed, "images must be PNG in base64")
        }
        format = members.format
        self.notifyKey = SymmetricKey(data: notifyKey)
        freeField = members.freeField
        length = members.length
        images = members.images ?? []
        text = members.text
        order = members.order ?? []
    }

    /// What the app shows. Nil if it does not match the PIN's length (code 90013).
    func pin() -> PIN? {
        guard Self.lengths ~= length else { return nil }
        switch format {
        case .captcha:
            return images.count == 1 ? .images(images) : nil
        case .digits:
            guard images.count == length, order.sorted() == Array(0..<length) else { return nil }
            return .images(order.map { images[$0] })
        case .text:
            guard let text, text.utf8.count == length, text.utf8.allSatisfy(Self.asciiDigits.contains) else {
                return nil
            }
            return .text(text)
        }
    }

    private static func isPNG(_ base64: String) -> Bool {
        Data(base64Encoded: base64)?.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) ?? false
    }
}
