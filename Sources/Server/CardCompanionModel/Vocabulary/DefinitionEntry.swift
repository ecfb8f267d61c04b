/// How cardholders can send the PIN that they choose (protocol, section 2.9, code 114).
package enum DefinitionEntry: String, CaseIterable, Codable, Sendable {
    /// As digits.
    case pin
    /// As positions on a keypad that the server has scrambled.
    case indexes
    case both

    package var allowsDigits: Bool { self != .indexes }
    package var allowsIndexes: Bool { self != .pin }
}
