/// A type that holds a secret in a `String`, as the SDK document requires. Printing, logging or dumping a value of this
/// type shows only the type's name.
public protocol Redacted: CustomStringConvertible, CustomReflectable {}

extension Redacted {
    /// The type's name.
    public var description: String { "\(Self.self)(redacted)" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
