/// Unique names.
package enum Unique {
    /// A unique name that starts with `beginning`.
    ///
    /// The rest has neither digits nor hex digits: a test that looks for a PIN or a key where it must not be does not find it in a name.
    package static func name(_ beginning: String) -> String {
        "\(beginning)-\(String((0..<8).compactMap { _ in "ghijklmnopqrstuvwxyz".randomElement() }))"
    }
}
