/// Bytes that cryptography and parsers read without a copy: public bytes (such as `[UInt8]`) or `SecretBytes`.
package protocol ByteSource: ~Copyable {
    /// Calls `body` with the bytes. They are valid until `body` returns.
    borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result
}

extension UnsafeRawBufferPointer: ByteSource {
    package func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(self)
    }
}

extension Array: ByteSource where Element == UInt8 {
    package func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try span.withUnsafeBytes(body)
    }
}

extension ArraySlice: ByteSource where Element == UInt8 {
    package func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try span.withUnsafeBytes(body)
    }
}

extension SecretBytes: ByteSource {}
