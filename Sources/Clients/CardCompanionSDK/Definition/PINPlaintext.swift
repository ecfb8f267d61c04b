internal import CardCompanionAPI
internal import Foundation

/// The plaintext of a defined PIN, before encryption. Padding hides the PIN's length.
enum PINPlaintext {
    static let digitsByteCount = 16
    static let indexesByteCount = 64
    static let maximumKeypadSize = 60

    /// The plaintext of a PIN in digits.
    ///
    /// - Throws: 90007 if `pin` is not digits only or has another length than `lengths`.
    static func digits(_ pin: String, lengths: ClosedRange<Int>) throws(SDKError) -> Data {
        guard lengths ~= pin.utf8.count, isDigits(pin) else {
            throw SDKError(.badPINFormat, "the PIN must have \(lengths.lowerBound) to \(lengths.upperBound) digits")
        }
        return padded(pin, to: digitsByteCount)
    }

    /// The plaintext of a PIN in keypad indexes.
    ///
    /// - Parameters:
    ///   - text: Indexes as `0,1,0,1` or `[0, 1, 0, 1]`; or plain digits for a keypad of ten places.
    ///   - lengths: The allowed number of indexes.
    /// - Throws: 90007 if `text` has another form or another number of indexes.
    static func indexes(_ text: String, lengths: ClosedRange<Int>) throws(SDKError) -> Data {
        if lengths ~= text.utf8.count, isDigits(text) { return padded(text, to: indexesByteCount) }
        let list = text.hasPrefix("[") && text.hasSuffix("]") ? text.dropFirst().dropLast() : text[...]
        let indexes = list.split(separator: ",", omittingEmptySubsequences: false).map(index)
        guard lengths ~= indexes.count, !indexes.contains(nil) else {
            throw SDKError(.badPINFormat, "the PIN must have \(lengths.lowerBound) to \(lengths.upperBound) indexes")
        }
        let written = indexes.compactMap(\.self).map(String.init).joined(separator: ",")
        return padded(written, to: indexesByteCount)
    }

    private static func index(_ text: Substring) -> Int? {
        let digits = text.trimmingCharacters(in: .whitespaces)
        guard isDigits(digits), let index = Int(digits), index < maximumKeypadSize else { return nil }
        return index
    }

    private static func isDigits(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    }

    private static func padded(_ text: String, to byteCount: Int) -> Data {
        let padding = String(repeating: " ", count: max(0, byteCount - text.utf8.count))
        return Data((text + padding).utf8)
    }
}
