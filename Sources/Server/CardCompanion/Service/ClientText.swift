internal import CardCompanionModel

/// Text from a client, made safe for the log.
package enum ClientText {
    /// Without control characters, which could hide a part of a line on a terminal.
    package static func printable(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }

    /// Quoted, so that it cannot look like another part of the line. Everything outside printable ASCII is escaped, and long
    /// text is cut off. A card number is not repeated: it must not be in a log (PCI DSS).
    ///
    /// - Parameter limit: how many characters are kept; by default one more than an identifier can have.
    package static func quoted(_ text: String, limit: Int = Identifier.maximumLength + 1) -> String {
        guard !PrimaryAccountNumber.isContained(in: Array(text.utf8)) else { return #""(a card number)""# }
        var quoted = "\""
        for scalar in text.unicodeScalars.prefix(limit) {
            if scalar == "\"" || scalar == "\\" || !(0x20...0x7E).contains(scalar.value) {
                quoted += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
