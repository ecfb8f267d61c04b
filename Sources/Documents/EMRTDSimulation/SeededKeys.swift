package import Cryptography
package import SecureMemory
internal import Synchronization

/// Keys that are the same for the same seed, so that two programs can play the same state. Never use them for anything else.
package final class SeededKeys: Sendable {
    package static let seedByteCount = 32

    private let seed: SharedSecret
    private let made = Mutex(0)

    package init(seed: SharedSecret) {
        self.seed = seed
    }

    package func next(on curve: NamedCurve) throws -> ECPrivateKey {
        let number = made.withLock { count in
            count += 1
            return count
        }
        // One byte less than the order has, so that it is smaller.
        var scalar = SecretBuffer(capacity: curve.coordinateByteCount)
        while scalar.count < curve.coordinateByteCount - 1 {
            let block = HMACSHA256.authenticationCode(
                for: Array("simulated state \(number) \(scalar.count)".utf8), key: seed.bytes)
            scalar.append(Array(block.prefix(curve.coordinateByteCount - 1 - scalar.count)))
        }
        return try ECPrivateKey(curve: curve, number: scalar.finish())
    }
}
