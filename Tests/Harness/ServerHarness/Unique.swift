/// Unique names.
package enum Unique {
    /// A unique name that starts with `beginning`.
    ///
    /// The rest has neither digits nor hex digits: a test that looks for a PIN or a key where it must not be does not find it in a name.
    package static func name(_ beginning: String) -> String {
        "\(beginning)-\(String((0..<8).compactMap { _ in "ghijklmnopqrstuvwxyz".randomElement() }))"
    }

    /// A new key in lower-case hex.
    package static func key(byteCount: Int) -> String {
        (0..<byteCount).map { _ in
            let digits = String(UInt8.random(in: .min ... .max), radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }
}
