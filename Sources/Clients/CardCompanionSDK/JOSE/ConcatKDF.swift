internal import Crypto
internal import Foundation

/// The key derivation of ECDH-ES (RFC 7518 section 4.6.2; NIST SP 800-56A section 5.8.1 with SHA-256).
enum ConcatKDF {
    /// - Parameters:
    ///   - secret: Z, the shared secret.
    ///   - algorithm: AlgorithmID, the name of the algorithm that uses the key.
    ///   - partyU: The decoded value of `apu`.
    ///   - partyV: The decoded value of `apv`.
    ///   - keyBitCount: The key's length in bits, 8 to 256: this implementation does one round of the hash.
    static func key(
        from secret: some ContiguousBytes, algorithm: String, partyU: Data, partyV: Data, keyBitCount: Int
    ) -> SymmetricKey {
        var hash = SHA256()
        hash.update(data: bigEndian(1))
        secret.withUnsafeBytes { hash.update(bufferPointer: $0) }
        for part in [Data(algorithm.utf8), partyU, partyV] {
            hash.update(data: bigEndian(UInt32(part.count)))
            hash.update(data: part)
        }
        hash.update(data: bigEndian(UInt32(keyBitCount)))
        return hash.finalize().withUnsafeBytes { SymmetricKey(data: Data($0.prefix(keyBitCount / 8))) }
    }

    private static func bigEndian(_ number: UInt32) -> Data {
        withUnsafeBytes(of: number.bigEndian) { Data($0) }
    }
}
