/// A value that is written as JSON (RFC 8259), without white space. It is written into wiped memory, because it can be secret.
protocol JSONValue {
    func write(to text: WipedBytes)
}

/// A JSON object. Members stay in their order, and those that are nil are left out.
struct JSONObject: JSONValue, ExpressibleByDictionaryLiteral {
    private var members: [(name: String, value: (any JSONValue)?)]

    init(dictionaryLiteral members: (String, (any JSONValue)?)...) {
        self.members = members.map { (name: $0, value: $1) }
    }

    /// The members of the first one, and then those of the second one.
    static func + (one: JSONObject, other: JSONObject) -> JSONObject {
        var sum = one
        sum.members += other.members
        return sum
    }

    var text: WipedBytes {
        let text = WipedBytes()
        write(to: text)
        return text
    }

    func write(to text: WipedBytes) {
        text.appendList("{", members.filter { $0.value != nil }, "}") { member in
            member.name.write(to: text)
            text.append(UInt8(ascii: ":"))
            member.value?.write(to: text)
        }
    }
}

/// The value `null`.
struct JSONNull: JSONValue {
    func write(to text: WipedBytes) { text.append("null".utf8) }
}

extension Optional where Wrapped: JSONValue {
    /// The value, or `null`: the member is not left out.
    var orNull: any JSONValue { self ?? JSONNull() as any JSONValue }
}

extension Bool: JSONValue {
    func write(to text: WipedBytes) { text.append(description.utf8) }
}

extension Int: JSONValue {
    func write(to text: WipedBytes) { text.append(description.utf8) }
}

extension String: JSONValue {
    func write(to text: WipedBytes) { text.appendString(utf8) }
}

extension CardSecret: JSONValue {
    func write(to text: WipedBytes) { bytes.withBytes { text.appendString($0) } }
}

extension Array: JSONValue where Element: JSONValue {
    func write(to text: WipedBytes) { text.appendList("[", self, "]") { $0.write(to: text) } }
}

extension WipedBytes {
    fileprivate func appendList<Element>(
        _ opening: String, _ elements: [Element], _ closing: String, _ write: (Element) -> Void
    ) {
        append(opening.utf8)
        for (index, element) in elements.enumerated() {
            if index > 0 { append(UInt8(ascii: ",")) }
            write(element)
        }
        append(closing.utf8)
    }

    fileprivate func appendString(_ value: some Sequence<UInt8>) {
        append(UInt8(ascii: "\""))
        for byte in value { appendEscaped(byte) }
        append(UInt8(ascii: "\""))
    }

    /// RFC 8259 section 7: quotation marks, backslashes and control characters.
    private func appendEscaped(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append(#"\""#.utf8)
        case UInt8(ascii: "\\"): append(#"\\"#.utf8)
        case 0x08: append(#"\b"#.utf8)
        case 0x09: append(#"\t"#.utf8)
        case 0x0A: append(#"\n"#.utf8)
        case 0x0C: append(#"\f"#.utf8)
        case 0x0D: append(#"\r"#.utf8)
        case ..<0x20: append((#"\u00"# + (byte < 0x10 ? "0" : "") + String(byte, radix: 16)).utf8)
        default: append(byte)
        }
    }
}
