internal import Foundation

/// Names that nothing else has.
public enum Unique {
    /// A name that begins so.
    public static func name(_ beginning: String) -> String {
        "\(beginning)-\(UUID().uuidString.prefix(8).lowercased())"
    }
}
