package import SecureMemory

/// Writes one JSON text (RFC 8259) into wiped memory. Members stay in the order in which they are added.
package struct JSONWriter: ~Copyable {
    private var text: SecretBuffer
    /// Whether the next value is the first one of its object or array.
    private var isFirst = true

    private init(capacity: Int) {
        text = SecretBuffer(capacity: capacity)
    }

    /// Writes an object.
    package static func object<Failure: Error>(
        capacity: Int = 256, _ members: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) -> SecretBytes {
        var writer = JSONWriter(capacity: capacity)
        try writer.enclose("{", "}", members)
        return writer.text.finish()
    }

    /// The number of bytes so far.
    package var count: Int { text.count }

    // MARK: - Members of an object

    package mutating func add(_ name: String, _ value: String) {
        begin(name)
        string(Array(value.utf8))
    }

    /// Adds an integer.
    package mutating func add(_ name: String, _ value: Int64) {
        begin(name)
        text.append(String(value))
    }

    /// Adds a string of UTF-8 bytes that can be secret.
    package mutating func add(_ name: String, utf8 value: borrowing some ByteSource & ~Copyable) {
        begin(name)
        string(value)
    }

    /// Adds bytes in unpadded base64url (RFC 4648 section 5).
    package mutating func add(_ name: String, base64URL value: borrowing some ByteSource & ~Copyable) {
        begin(name)
        quoted { $0.appendBase64URL(value) }
    }

    /// Adds a value that is JSON text already.
    package mutating func add(_ name: String, json: String) {
        begin(name)
        text.append(json)
    }

    /// Adds an object.
    package mutating func add<Failure: Error>(
        _ name: String, object members: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        begin(name)
        try enclose("{", "}", members)
    }

    /// Adds an array.
    package mutating func add<Failure: Error>(
        _ name: String, array elements: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        begin(name)
        try enclose("[", "]", elements)
    }

    // MARK: - Elements of an array

    /// Adds an integer.
    package mutating func add(_ value: Int64) {
        separate()
        text.append(String(value))
    }

    /// Adds bytes in padded base64 (RFC 4648 section 4).
    package mutating func add(base64 value: borrowing some ByteSource & ~Copyable) {
        separate()
        quoted { $0.appendBase64(value) }
    }

    /// Adds a value that is JSON text already.
    package mutating func add(json: [UInt8]) {
        separate()
        text.append(json)
    }

    // MARK: - Writing

    private mutating func enclose<Failure: Error>(
        _ opening: String, _ closing: String, _ write: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        text.append(opening)
        isFirst = true
        try write(&self)
        isFirst = false
        text.append(closing)
    }

    private mutating func begin(_ name: String) {
        separate()
        string(Array(name.utf8))
        text.append(":")
    }

    private mutating func separate() {
        if !isFirst { text.append(",") }
        isFirst = false
    }

    private mutating func quoted(_ write: (inout SecretBuffer) -> Void) {
        text.append(byte: UInt8(ascii: "\""))
        write(&text)
        text.append(byte: UInt8(ascii: "\""))
    }

    /// RFC 8259 section 7: quotation marks, backslashes and control characters are escaped.
    private mutating func string(_ value: borrowing some ByteSource & ~Copyable) {
        text.append(byte: UInt8(ascii: "\""))
        value.withBytes { bytes in
            for byte in bytes {
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                    text.append(byte: UInt8(ascii: "\\"))
                    text.append(byte: byte)
                case 0..<0x20:
                    text.append(#"\u00"#)
                    text.appendHex([byte])
                default: text.append(byte: byte)
                }
            }
        }
        text.append(byte: UInt8(ascii: "\""))
    }
}

extension String {
    /// JSON text without secrets.
    package init(json: borrowing SecretBytes) {
        self = json.withBytes { String(decoding: $0, as: UTF8.self) }
    }
}
