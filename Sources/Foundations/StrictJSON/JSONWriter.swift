package import SecureMemory

/// Writes one JSON text (RFC 8259) into wiped memory. Members stay in the order in which they are added.
package struct JSONWriter: ~Copyable {
    private var text: SecretBuffer
    /// Whether the next value is the first one of its object or array.
    private var isFirst = true

    private init(capacity: Int, in memory: SecretMemory) {
        text = SecretBuffer(capacity: capacity, in: memory)
    }

    /// Writes an object.
    ///
    /// - Parameters:
    ///   - capacity: the expected length in bytes.
    ///   - memory: ordinary memory if the object contains no secret.
    package static func object<Failure: Error>(
        capacity: Int = 256, in memory: SecretMemory = .secure, _ members: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) -> SecretBytes {
        var writer = JSONWriter(capacity: capacity, in: memory)
        try writer.enclose("{", "}", members)
        return writer.text.finish()
    }

    /// The number of bytes so far.
    package var count: Int { text.count }

    // MARK: - Members of an object

    package mutating func add(_ name: String, _ value: String) {
        begin(name)
        string(value)
    }

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
        quoted { $0.appendBase64(value, .urlSafe) }
    }

    /// Adds bytes in padded base64 (RFC 4648 section 4).
    package mutating func add(_ name: String, base64 value: borrowing some ByteSource & ~Copyable) {
        begin(name)
        quoted { $0.appendBase64(value) }
    }

    package mutating func add(_ name: String, _ value: Bool) {
        begin(name)
        text.append(value ? "true" : "false")
    }

    /// Adds a string of that many spaces.
    package mutating func add(_ name: String, spaces count: Int) {
        begin(name)
        quoted { $0.append(byte: UInt8(ascii: " "), repeating: count) }
    }

    /// Adds a value that is JSON text already.
    package mutating func add(_ name: String, json: String) {
        begin(name)
        text.append(json)
    }

    /// Adds a value that is JSON text already, and can be secret.
    package mutating func add(_ name: String, json: borrowing SecretBytes) {
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

    /// Adds a string, or null.
    package mutating func add(_ value: String?) {
        separate()
        if let value { string(value) } else { text.append("null") }
    }

    package mutating func add(_ value: Int64) {
        separate()
        text.append(String(value))
    }

    /// Adds a string of UTF-8 bytes that can be secret.
    package mutating func add(utf8 value: borrowing some ByteSource & ~Copyable) {
        separate()
        string(value)
    }

    /// Adds bytes in padded base64 (RFC 4648 section 4).
    package mutating func add(base64 value: borrowing some ByteSource & ~Copyable) {
        separate()
        quoted { $0.appendBase64(value) }
    }

    /// Adds an object.
    package mutating func add<Failure: Error>(
        _ members: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        separate()
        try enclose("{", "}", members)
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
        string(name)
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

    private mutating func string(_ value: String) {
        var value = value
        value.withUTF8 { string(UnsafeRawBufferPointer($0)) }
    }

    private mutating func string(_ value: borrowing some ByteSource & ~Copyable) {
        text.append(byte: UInt8(ascii: "\""))
        value.withBytes { bytes in
            // Most texts have nothing to escape, and are added at once. An image has 16,000 bytes: a loop over indexes is
            // fast without optimization too.
            var (start, index) = (0, 0)
            while index < bytes.count {
                if Self.isEscaped(bytes[index]) {
                    text.append(UnsafeRawBufferPointer(rebasing: bytes[start..<index]))
                    escape(bytes[index])
                    start = index + 1
                }
                index += 1
            }
            text.append(UnsafeRawBufferPointer(rebasing: bytes[start...]))
        }
        text.append(byte: UInt8(ascii: "\""))
    }

    /// RFC 8259 section 7: quotation marks, backslashes and control characters.
    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20
    }

    private mutating func escape(_ byte: UInt8) {
        if byte < 0x20 {
            text.append(#"\u00"#)
            text.appendHex([byte])
        } else {
            text.append(byte: UInt8(ascii: "\\"))
            text.append(byte: byte)
        }
    }
}

extension String {
    /// JSON text without secrets.
    package init(json: borrowing SecretBytes) {
        self = json.withBytes { String(decoding: $0, as: UTF8.self) }
    }
}
