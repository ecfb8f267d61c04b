/// Writes a JSON object (RFC 8259) into wiped memory, without white space. Members stay in the order in which they are added.
struct JSONWriter {
    private let text: WipedBytes
    /// Whether the next value is the first one of its object or array.
    private var isFirst = true

    static func object(_ members: (inout JSONWriter) -> Void) -> WipedBytes {
        let text = WipedBytes()
        var writer = JSONWriter(text: text)
        writer.enclose("{", "}", members)
        return text
    }

    private init(text: WipedBytes) {
        self.text = text
    }

    /// Adds a string; nothing if it is nil.
    mutating func add(_ name: String, _ value: String?) {
        guard let value else { return }
        begin(name)
        string(value.utf8)
    }

    /// Adds a string that can be secret; nothing if it is nil.
    mutating func add(_ name: String, _ value: CardSecret?) {
        guard let value else { return }
        begin(name)
        value.bytes.withBytes { string($0) }
    }

    /// Adds a boolean; nothing if it is nil.
    mutating func add(_ name: String, _ value: Bool?) {
        guard let value else { return }
        begin(name)
        text.append((value ? "true" : "false").utf8)
    }

    /// Adds an integer; nothing if it is nil.
    mutating func add(_ name: String, _ value: Int?) {
        guard let value else { return }
        begin(name)
        text.append(String(value).utf8)
    }

    mutating func addNull(_ name: String) {
        begin(name)
        text.append("null".utf8)
    }

    mutating func add(_ name: String, _ values: [String]) {
        add(name, array: values) { writer, value in
            writer.separate()
            writer.string(value.utf8)
        }
    }

    mutating func add(_ name: String, _ values: [Int]) {
        add(name, array: values) { writer, value in
            writer.separate()
            writer.text.append(String(value).utf8)
        }
    }

    mutating func add(_ name: String, object members: (inout JSONWriter) -> Void) {
        begin(name)
        enclose("{", "}", members)
    }

    /// Adds an array of objects.
    mutating func add<Element>(
        _ name: String, objects elements: [Element], _ members: (inout JSONWriter, Element) -> Void
    ) {
        add(name, array: elements) { writer, element in
            writer.separate()
            writer.enclose("{", "}") { members(&$0, element) }
        }
    }

    private mutating func add<Element>(
        _ name: String, array elements: [Element], _ write: (inout JSONWriter, Element) -> Void
    ) {
        begin(name)
        enclose("[", "]") { writer in
            for element in elements { write(&writer, element) }
        }
    }

    private mutating func enclose(_ opening: String, _ closing: String, _ write: (inout JSONWriter) -> Void) {
        text.append(opening.utf8)
        isFirst = true
        write(&self)
        isFirst = false
        text.append(closing.utf8)
    }

    private mutating func begin(_ name: String) {
        separate()
        string(name.utf8)
        text.append(UInt8(ascii: ":"))
    }

    private mutating func separate() {
        if !isFirst { text.append(UInt8(ascii: ",")) }
        isFirst = false
    }

    private func string(_ value: some Sequence<UInt8>) {
        text.append(UInt8(ascii: "\""))
        for byte in value { escape(byte) }
        text.append(UInt8(ascii: "\""))
    }

    /// RFC 8259 section 7: quotation marks, backslashes and control characters.
    private func escape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): text.append(#"\""#.utf8)
        case UInt8(ascii: "\\"): text.append(#"\\"#.utf8)
        case 0x08: text.append(#"\b"#.utf8)
        case 0x09: text.append(#"\t"#.utf8)
        case 0x0A: text.append(#"\n"#.utf8)
        case 0x0C: text.append(#"\f"#.utf8)
        case 0x0D: text.append(#"\r"#.utf8)
        case ..<0x20: text.append((#"\u00"# + (byte < 0x10 ? "0" : "") + String(byte, radix: 16)).utf8)
        default: text.append(byte)
        }
    }
}
