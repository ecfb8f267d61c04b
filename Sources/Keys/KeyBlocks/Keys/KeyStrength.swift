/// How strong a key is, from the weakest. A key must not be protected by a weaker one (PCI PIN, requirement 18; SP 800-57
/// part 1, section 5.6.1).
package enum KeyStrength: Int, Sendable, Hashable, Comparable, CaseIterable, CustomStringConvertible {
    case twoKeyTripleDES
    case threeKeyTripleDES
    /// AES with 128 bits, and HMAC keys of less than 24 bytes.
    case bits128
    /// AES with 192 bits, and HMAC keys of less than 32 bytes.
    case bits192
    /// AES with 256 bits, and longer HMAC keys.
    case bits256

    /// - Parameter byteCount: a length that the algorithm allows.
    init(_ algorithm: KeyAlgorithm, byteCount: Int) {
        self =
            switch (algorithm, byteCount) {
            case (.tripleDES, ..<24): .twoKeyTripleDES
            case (.tripleDES, _): .threeKeyTripleDES
            case (_, ..<24): .bits128
            case (_, ..<32): .bits192
            case (_, _): .bits256
            }
    }

    package static func < (one: KeyStrength, other: KeyStrength) -> Bool {
        one.rawValue < other.rawValue
    }

    /// For people.
    package var description: String {
        switch self {
        case .twoKeyTripleDES: "Triple DES with two keys"
        case .threeKeyTripleDES: "Triple DES with three keys"
        case .bits128: "128 bits"
        case .bits192: "192 bits"
        case .bits256: "256 bits"
        }
    }
}
