/// A JSON object of public content that is being written, its members in the order in which they are added.
struct JSONObjectText: Sendable {
    private var members: [String] = []

    init(_ members: [(name: String, value: String)] = []) {
        for (name, value) in members { add(name, value) }
    }

    /// Adds a string.
    mutating func add(_ name: String, _ value: String) {
        members.append("\(Self.quoted(name)):\(Self.quoted(value))")
    }

    /// Adds an object.
    mutating func add(_ name: String, _ value: JSONObjectText) {
        members.append("\(Self.quoted(name)):\(value.text)")
    }

    /// The object as it stands.
    var text: String { "{\(members.joined(separator: ","))}" }

    /// RFC 8259 section 7: the quotation mark, the backslash and control characters are escaped.
    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case "\0"..<" ": quoted += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
