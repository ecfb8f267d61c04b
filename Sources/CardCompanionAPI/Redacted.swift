/// A value that carries a secret in a `String`, as the SDK document has it: what is printed, logged or dumped of it is
/// its type's name only.
public protocol Redacted: CustomStringConvertible, CustomReflectable {}

extension Redacted {
    /// The type's name.
    public var description: String { "\(Self.self)(redacted)" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
