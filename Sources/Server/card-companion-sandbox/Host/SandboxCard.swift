import Cryptography
import SecureMemory

/// The made-up card of a cardholder. Its number follows from the cardholder's name, so that it is the same whenever the sandbox is made
/// again: the server keeps for good which number belongs to whom.
struct SandboxCard: Sendable {
    /// How the numbers begin. No bank has such a card: 9 leaves the next digits to the country that they name (ISO/IEC 7812-1), and
    /// 999 is one of the numbers that no country ever gets (ISO 3166-1). A real card's number begins with 2 to 6.
    static let prefix = "999900"
    static let digitCount = 16
    private static let shownAtEnd = 4

    let number: SharedSecret

    init(of uniqueId: String) {
        let digest = SHA256.hash(Array("card of \(uniqueId)".utf8))
        let prefix = Array(Self.prefix.utf8)
        let number = SecretBytes(count: Self.digitCount) { digits in
            let last = digits.count - 1
            for (index, digit) in prefix.enumerated() { digits[index] = digit }
            for index in prefix.count..<last { digits[index] = 0x30 + digest[index] % 10 }
            digits[last] = Self.checkDigit(of: UnsafeRawBufferPointer(rebasing: digits[..<last]))
        }
        self.number = SharedSecret(number)
    }

    /// The last digit (ISO/IEC 7812-1 annex B).
    private static func checkDigit(of digits: UnsafeRawBufferPointer) -> UInt8 {
        let sum = digits.reversed().enumerated().reduce(0) { sum, digit in
            let value = Int(digit.element - 0x30) * (digit.offset.isMultiple(of: 2) ? 2 : 1)
            return sum + value / 10 + value % 10
        }
        return 0x30 + UInt8((10 - sum % 10) % 10)
    }

    /// For people: the beginning and the last four digits, as on a receipt.
    var masked: String {
        let end = number.bytes.withBytes { String(decoding: $0.suffix(Self.shownAtEnd), as: UTF8.self) }
        let hidden = String(repeating: "•", count: Self.digitCount - Self.prefix.count - Self.shownAtEnd)
        return Self.prefix + hidden + end
    }
}
