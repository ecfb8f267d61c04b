/// A keypad that the server has shuffled (SDK document, section 5.5).
public enum KeyPad {
    /// Where on the keypad the digits of a PIN stand.
    ///
    /// - Parameters:
    ///   - pin: the PIN's digits.
    ///   - keypad: ``KeyPadCoordinatesResponse/keypad``.
    /// - Returns: the indexes, from 0, separated by commas; nil where `pin` is empty or the keypad lacks a digit of it.
    public static func indexes(of pin: String, in keypad: [String?]) -> String? {
        let indexes = pin.map { digit in keypad.firstIndex { $0 == String(digit) } }
        guard !indexes.isEmpty, !indexes.contains(nil) else { return nil }
        return indexes.compactMap(\.self).map(String.init).joined(separator: ",")
    }

    /// Whether each digit stands there once, and nothing else does.
    static func isComplete(_ keypad: [String?]) -> Bool {
        keypad.compactMap(\.self).sorted() == (0...9).map(String.init)
    }
}
