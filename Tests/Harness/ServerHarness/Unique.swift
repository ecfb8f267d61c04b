internal import Foundation

/// Unique names.
package enum Unique {
    /// A unique name that starts with `beginning`.
    package static func name(_ beginning: String) -> String {
        "\(beginning)-\(UUID().uuidString.prefix(8).lowercased())"
    }
}
