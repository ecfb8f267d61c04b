/// Reads the text of a key block from its start.
struct TextReader {
    private let text: [UInt8]
    private(set) var position = 0

    init(_ text: [UInt8]) {
        self.text = text
    }

    /// The next characters.
    mutating func take(_ count: Int, _ field: KeyBlockError.Field) throws(KeyBlockError) -> String {
        guard text.count - position >= count else { throw KeyBlockError(field, "the key block is too short") }
        defer { position += count }
        return String(decoding: text[position..<position + count], as: UTF8.self)
    }

    /// The next characters as a number in decimal.
    mutating func takeNumber(_ count: Int, _ field: KeyBlockError.Field) throws(KeyBlockError) -> Int {
        try number(try take(count, field), radix: 10, field)
    }

    /// The next characters as a number in hex, upper case.
    mutating func takeHexNumber(_ count: Int, _ field: KeyBlockError.Field) throws(KeyBlockError) -> Int {
        try number(try take(count, field), radix: 16, field)
    }

    private func number(_ digits: String, radix: Int, _ field: KeyBlockError.Field) throws(KeyBlockError) -> Int {
        let kind = radix == 10 ? "decimal digits" : "hex digits in upper case"
        guard digits.isUpperCaseHex, let number = Int(digits, radix: radix) else {
            throw KeyBlockError(field, "'\(digits)' must be \(digits.count) \(kind)")
        }
        return number
    }
}

extension String {
    /// Whether all characters are hex digits in upper case, as key blocks have them.
    var isUpperCaseHex: Bool {
        utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "A")...UInt8(ascii: "F") ~= $0 }
    }
}
