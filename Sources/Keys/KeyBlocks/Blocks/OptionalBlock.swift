internal import Cryptography
internal import SecureMemory

/// An optional block of a header that the server honours (X9.143 section 6.3.6).
package enum OptionalBlock: Sendable, Hashable {
    /// KC: the check value of the key.
    case checkValue(CheckValue)
    /// KP: the check value of the protection key.
    case protectionKeyCheckValue(CheckValue)
    /// HM: an HMAC key is for SHA-256.
    case hashIsSHA256
    /// TS: when the key block was made. The server does not use it.
    case timeStamp(String)
    /// TC: when the key was made. The server does not use it.
    case timeOfCreation(String)
    /// LB: the sender's name for the key. The server does not use it.
    case label(String)
    /// WP: the key was never protected by a weaker one.
    case wrappingPedigree

    /// A key check value and how it was computed.
    package struct CheckValue: Sendable, Hashable {
        let method: KeyCheckValue.Method
        let bytes: [UInt8]
    }

    /// Its two letters.
    package var id: String {
        switch self {
        case .checkValue: "KC"
        case .protectionKeyCheckValue: "KP"
        case .hashIsSHA256: "HM"
        case .timeStamp: "TS"
        case .timeOfCreation: "TC"
        case .label: "LB"
        case .wrappingPedigree: "WP"
        }
    }

    /// What follows its length.
    var data: String {
        switch self {
        case .checkValue(let value), .protectionKeyCheckValue(let value): value.text
        case .hashIsSHA256: Self.sha256
        case .timeStamp(let text), .timeOfCreation(let text), .label(let text): text
        case .wrappingPedigree: Self.strongPedigree
        }
    }

    /// - Throws: ``KeyBlockError`` for a block that is malformed, or that the server cannot honour.
    init(_ id: String, _ data: String) throws(KeyBlockError) {
        let field = KeyBlockError.Field.optionalBlock(id)
        switch id {
        case "KC": self = .checkValue(try CheckValue(data, field))
        case "KP": self = .protectionKeyCheckValue(try CheckValue(data, field))
        case "HM":
            guard data == Self.sha256 else {
                throw KeyBlockError(field, "hash '\(data)' is refused: only 21 (SHA-256) is supported")
            }
            self = .hashIsSHA256
        case "TS": self = .timeStamp(try Self.time(data, field))
        case "TC": self = .timeOfCreation(try Self.time(data, field))
        case "LB":
            guard !data.isEmpty, data.utf8.allSatisfy({ 0x20...0x7E ~= $0 }) else {
                throw KeyBlockError(field, "the label must have printable ASCII characters")
            }
            self = .label(data)
        case "WP":
            guard data == Self.strongPedigree else {
                throw KeyBlockError(
                    field, "pedigree '\(data)' is refused: only 000 is supported (no weaker key ever protected it)")
            }
            self = .wrappingPedigree
        case "KS", "IK", "BI": throw KeyBlockError(field, "the key is for DUKPT, which the server does not support")
        default:
            throw KeyBlockError(
                field, "it is not supported: send HM, KC, KP, LB, TC, TS or WP only, and PB to fill them up")
        }
    }

    private static let sha256 = "21"
    private static let strongPedigree = "000"

    /// A time in UTC: basic or extended ISO 8601, to the second or to a hundredth of it.
    private static func time(_ text: String, _ field: KeyBlockError.Field) throws(KeyBlockError) -> String {
        let patterns = ["00000000000000Z", "0000000000000000Z", "0000-00-00T00:00:00Z", "0000-00-00T00:00:00.00Z"]
        let shape = String(text.map { "0"..."9" ~= $0 ? "0" : $0 })
        let digits = text.utf8.map { Int($0) - 0x30 }.filter { 0...9 ~= $0 }
        func pair(_ index: Int) -> Int { digits[index] * 10 + digits[index + 1] }
        guard patterns.contains(shape), 1...12 ~= pair(4), 1...31 ~= pair(6), pair(8) < 24, pair(10) < 60,
            pair(12) < 60
        else { throw KeyBlockError(field, "'\(text)' must be a time in UTC such as 20270131235959Z") }
        return text
    }
}

extension OptionalBlock.CheckValue {
    /// Makers differ in how many bytes of a check value they send.
    private static let byteCounts: Set<Int> = [3, 5]

    private static let codes: [(code: String, method: KeyCheckValue.Method)] = [
        ("00", .encryptedZeros), ("01", .cmac),
    ]

    init(_ text: String, _ field: KeyBlockError.Field) throws(KeyBlockError) {
        let known = Self.codes.first { text.hasPrefix($0.code) }
        guard let known, let bytes = Hex.decode(String(text.dropFirst(2))), text.isUpperCaseHex,
            Self.byteCounts.contains(bytes.count)
        else {
            throw KeyBlockError(
                field,
                "'\(text)' must be 00 (a zero block encrypted) or 01 (CMAC), and 6 or 10 hex digits in upper case")
        }
        method = known.method
        self.bytes = bytes
    }

    fileprivate var text: String {
        let code = Self.codes.first { $0.method == method }?.code ?? ""
        return code + Hex.encode(bytes).uppercased()
    }

    /// The check value of a key.
    ///
    /// - Parameter method: not HMAC, which key blocks do not have.
    package init(of key: SymmetricKey, by method: KeyCheckValue.Method) throws(KeyBlockError) {
        self.init(method: method, bytes: try Self.value(of: key, by: method, .key).bytes)
    }

    private static func value(
        of key: SymmetricKey, by method: KeyCheckValue.Method, _ field: KeyBlockError.Field
    ) throws(KeyBlockError) -> KeyCheckValue {
        guard let cipher = key.algorithm.blockCipher, method != .hmac else {
            throw KeyBlockError(field, "key blocks have no check values of HMAC keys")
        }
        do throws(CryptographyError) {
            return try KeyCheckValue(of: key.secret.bytes, cipher, by: method)
        } catch {
            throw KeyBlockError(field, "\(error)")
        }
    }

    /// Refuses a key with another check value. The shorter one is compared.
    func check(_ key: SymmetricKey, _ field: KeyBlockError.Field) throws(KeyBlockError) {
        guard try Self.value(of: key, by: method, field).agrees(with: bytes) else {
            throw KeyBlockError(field, "it is the check value of another key")
        }
    }
}
