/// A text in one line, without control characters: each is `\u{…}`, with its scalar in hex, and so is the backslash.
package enum EscapedLine {
    package static func text(_ value: String) -> String {
        value.unicodeScalars.reduce(into: "") { result, scalar in
            if isEscaped(scalar) {
                result += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
    }

    /// - Returns: nil if the line is not what ``text(_:)`` makes.
    package static func parse(_ line: String) -> String? {
        var result = String.UnicodeScalarView()
        var rest = line.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == "\\" else {
                result.append(scalar)
                continue
            }
            guard let end = rest.firstIndex(of: "}"), rest.starts(with: "u{".unicodeScalars),
                let value = UInt32(String(rest[..<end].dropFirst(2)), radix: 16), let escaped = Unicode.Scalar(value)
            else { return nil }
            result.append(escaped)
            rest = rest[rest.index(after: end)...]
        }
        return String(result)
    }

    private static func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x5C, ..<0x20, 0x7F..<0xA0: true
        default: false
        }
    }
}
