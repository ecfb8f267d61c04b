internal import CardCompanionAPI
internal import Foundation

/// What is sealed when a cardholder defines a PIN: padded, so that the sealed value's length does not tell the PIN's.
enum PINPlaintext {
    static let digitsByteCount = 16
    static let indexesByteCount = 64
    static let maximumKeypadSize = 60

    /// The PIN's digits (90007).
    static func digits(_ pin: String, lengths: ClosedRange<Int>) throws(SDKError) -> Data {
        guard lengths ~= pin.utf8.count, isDigits(pin) else {
            throw SDKError(.badPINFormat, "not \(lengths.lowerBound) to \(lengths.upperBound) digits")
        }
        return padded(pin, to: digitsByteCount)
    }

    /// The places of the PIN's digits: `0,1,0,1`, `[0, 1, 0, 1]`, or plain digits for a keypad of ten (90007).
    static func indexes(_ text: String, lengths: ClosedRange<Int>) throws(SDKError) -> Data {
        if lengths ~= text.utf8.count, isDigits(text) { return padded(text, to: indexesByteCount) }
        let list = text.hasPrefix("[") && text.hasSuffix("]") ? text.dropFirst().dropLast() : text[...]
        let indexes = list.split(separator: ",", omittingEmptySubsequences: false).map(index)
        guard lengths ~= indexes.count, !indexes.contains(nil) else {
            throw SDKError(.badPINFormat, "not \(lengths.lowerBound) to \(lengths.upperBound) indexes")
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
