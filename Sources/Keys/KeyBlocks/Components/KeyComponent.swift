internal import Cryptography
package import SecureMemory

/// A part of a key that one custodian knows. All parts together, with XOR, are the key; fewer say nothing about it.
package struct KeyComponent: Sendable {
    /// How many components a key can have.
    package static let counts = 2...3

    package let algorithm: KeyAlgorithm
    package let secret: SharedSecret
    /// What the custodian compares with their paper.
    package let checkValue: KeyCheckValue

    /// Takes ownership of a component.
    ///
    /// - Throws: ``InvalidComponent``.
    package init(_ algorithm: KeyAlgorithm, _ component: consuming SecretBytes) throws(InvalidComponent) {
        let secret = SharedSecret(component)
        guard SymmetricKey.fits(secret.bytes.count, algorithm) else {
            throw .key(.length(algorithm, byteCount: secret.bytes.count))
        }
        // Refuses equal bytes, such as all zeros.
        guard !DegenerateKey.isDegenerate(secret.bytes, algorithm) else { throw .degenerate }
        do throws(CryptographyError) {
            checkValue = try KeyCheckValue(of: secret.bytes, algorithm)
        } catch {
            throw .key(.unavailable(algorithm))
        }
        self.algorithm = algorithm
        self.secret = secret
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
