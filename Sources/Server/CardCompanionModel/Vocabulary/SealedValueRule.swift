/// Whether a value that is sealed to the server must name what it is for (protocol, section 2.5).
package enum SealedValueRule: String, CaseIterable, Codable, Sendable {
    /// It must name its bank, its cardholder and its request.
    case bound
    /// It can leave these names out, for clients that cannot give them. Wrong names are refused all the same.
    case any
}
