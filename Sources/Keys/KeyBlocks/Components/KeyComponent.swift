internal import Cryptography
package import SecureMemory

/// A part of a key that one custodian knows. All parts together, with XOR, are the key; fewer say nothing about it.
package struct KeyComponent: Sendable {
    /// How many components a key can have.
    package static let counts = 2...3

    package var algorithm: KeyAlgorithm { value.algorithm }
    package var secret: SharedSecret { value.secret }
    /// What the custodian compares with their paper; first the one that the server shows.
    package var checkValues: [KeyCheckValue] { value.checkValues }

    /// A component must be as good as a key.
    private let value: SymmetricKey

    /// Takes ownership of a component.
    ///
    /// - Throws: ``InvalidComponent``.
    package init(_ algorithm: KeyAlgorithm, _ component: consuming SecretBytes) throws(InvalidComponent) {
        do throws(InvalidKey) {
            value = try SymmetricKey(algorithm, component)
        } catch .degenerate {
            throw .degenerate
        } catch {
            throw .key(error)
        }
    }

    /// Refuses a component that cannot belong to the same key as the others, or that repeats one of them.
    package func requireFit(with others: [KeyComponent]) throws(InvalidComponent) {
        for other in others {
            guard other.secret.bytes.count == secret.bytes.count else {
                throw .otherLength(secret.bytes.count, expected: other.secret.bytes.count)
            }
            guard !other.isSame(as: self) else { throw .repeated }
        }
    }

    /// For Triple DES, whatever the parity.
    private func isSame(as other: KeyComponent) -> Bool {
        algorithm == .tripleDES
            ? ConstantTime.areEqual(secret.bytes.withOddParity(), other.secret.bytes.withOddParity())
            : ConstantTime.areEqual(secret.bytes, other.secret.bytes)
    }

    /// The key: all components with XOR.
    ///
    /// - Throws: ``InvalidComponent``.
    package static func key(of components: [KeyComponent]) throws(InvalidComponent) -> SymmetricKey {
        guard counts ~= components.count, let first = components.first else {
            throw .count(components.count)
        }
        for (index, component) in components.enumerated() {
            try component.requireFit(with: Array(components[..<index]))
        }
        let key = components.dropFirst().reduce(first.secret) { SharedSecret($0.bytes.xor($1.secret.bytes)) }
        do throws(InvalidKey) {
            return try SymmetricKey(first.algorithm, key.bytes.copy())
        } catch {
            throw .key(error)
        }
    }
}

/// Why components are refused.
package enum InvalidComponent: Error, Equatable, Sendable, CustomStringConvertible {
    case count(Int)
    /// All bytes are equal, or it is weak for Triple DES.
    case degenerate
    case otherLength(Int, expected: Int)
    case repeated
    /// The component, or what the components give together, cannot be a key.
    case key(InvalidKey)

    package var description: String {
        switch self {
        case .count(let count):
            "a key has \(KeyComponent.counts.lowerBound) or \(KeyComponent.counts.upperBound) components (these are \(count))"
        case .degenerate:
            "the component cannot be random: its bytes or its parts are equal, or it is a weak DES key"
        case .otherLength(let count, let expected):
            "the component has \(count) bytes, but the others have \(expected)"
        case .repeated: "another custodian has entered the same component"
        case .key(let reason): "\(reason)"
        }
    }
}
