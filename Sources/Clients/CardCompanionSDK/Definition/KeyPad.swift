/// Functions for a keypad that the server has scrambled (SDK document, section 5.5).
public enum KeyPad {
    /// Finds the digits of a PIN on a keypad.
    ///
    /// - Parameters:
    ///   - pin: The PIN's digits.
    ///   - keypad: The keypad, see ``KeyPadCoordinatesResponse/keypad``.
    /// - Returns: The index of each digit, counted from 0, separated by commas. Nil if `pin` is empty or a digit is not
    ///   on the keypad.
    public static func indexes(of pin: String, in keypad: [String?]) -> String? {
        let indexes = pin.map { digit in keypad.firstIndex { $0 == String(digit) } }
        guard !indexes.isEmpty, !indexes.contains(nil) else { return nil }
        return indexes.compactMap(\.self).map(String.init).joined(separator: ",")
    }

    /// Whether the keypad contains each digit exactly once and nothing else.
    static func isComplete(_ keypad: [String?]) -> Bool {
        keypad.compactMap(\.self).sorted() == (0...9).map(String.init)
    }
}
