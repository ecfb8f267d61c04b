/// What cryptography and parsers read: public bytes (`[UInt8]`, `String.UTF8View`…) and `SecretBytes` alike, without
/// a copy.
public protocol ByteSource: ~Copyable {
    /// Calls `body` with the bytes, which are valid until it returns.
    borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result
}

extension UnsafeRawBufferPointer: ByteSource {
    /// See ``ByteSource``.
    public func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(self)
    }
}

extension Array: ByteSource where Element == UInt8 {
    /// See ``ByteSource``.
    public func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try span.withUnsafeBytes(body)
    }
}

extension ArraySlice: ByteSource where Element == UInt8 {
    /// See ``ByteSource``.
    public func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try span.withUnsafeBytes(body)
    }
}

extension SecretBytes: ByteSource {}
