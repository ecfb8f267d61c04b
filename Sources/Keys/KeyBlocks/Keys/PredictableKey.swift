internal import Cryptography
package import SecureMemory

/// Keys that nobody has drawn by chance: somebody who tries the obvious finds them. A key that comes from outside must not be one
/// (PCI PIN Security, requirement 5: keys have the randomness that is expected of them).
package enum PredictableKey: Error, Sendable, Equatable, CaseIterable, CustomStringConvertible {
    /// Each byte differs from the one before by the same number, in the whole key or in each eight bytes: zeros, `FF…`, `0001…`,
    /// `0123…`. HMAC fills a key up with zeros, so a key of zeros is the empty key.
    case regular
    /// It is a shorter text, again and again.
    case repeated
    /// It is an example of a standard or of this project.
    case published

    private static let partByteCount = 8

    package var description: String {
        switch self {
        case .regular: "the key was not drawn by chance: its bytes are equal, or count up or down"
        case .repeated: "the key was not drawn by chance: a part of it is repeated"
        case .published: "the key is not secret: it is a published example"
        }
    }

    /// - Throws: the first reason against a key.
    package static func requireRandom(_ key: borrowing SecretBytes) throws(PredictableKey) {
        if let reason = key.withBytes(reason(against:)) { throw reason }
        // HMAC fills keys up with zeros, so they are the same without those at their end (RFC 2104).
        let rest = key.withBytes { key in key.lastIndex { $0 != 0 }.map { key[...$0].count } ?? 0 }
        guard rest < key.count else { return }
        if let reason = key.withBytes({ reason(against: UnsafeRawBufferPointer(rebasing: $0[..<rest])) }) {
            throw reason
        }
    }

    private static func reason(against key: UnsafeRawBufferPointer) -> PredictableKey? {
        if isRegular(key) { return .regular }
        if isRepeated(key) { return .repeated }
        return examples.contains { ConstantTime.areEqual($0, key) } ? .published : nil
    }

    private static func isRegular(_ key: UnsafeRawBufferPointer) -> Bool {
        let parts = stride(from: 0, to: key.count, by: partByteCount).map { start in
            UnsafeRawBufferPointer(rebasing: key[start..<min(start + partByteCount, key.count)])
        }
        return hasEqualSteps(key) || parts.allSatisfy(hasEqualSteps)
    }

    private static func hasEqualSteps(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.count < 3 || (2..<bytes.count).allSatisfy { bytes[$0] &- bytes[$0 - 1] == bytes[1] &- bytes[0] }
    }

    private static func isRepeated(_ key: UnsafeRawBufferPointer) -> Bool {
        key.count > 1
            && (1...key.count / 2).contains { period in
                (period..<key.count).allSatisfy { key[$0] == key[$0 - period] }
            }
    }

    /// Keys that many people have read. Those of tests of this project are in docs/vectors.
    private static let examples: [[UInt8]] = [
        // NIST SP 800-38A and 800-38B, appendices F and D.
        "2b7e151628aed2a6abf7158809cf4f3c", "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
        "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
        // NIST SP 800-67 and the examples of TDEA.
        "0123456789abcdef23456789abcdef01456789abcdef0123", "0123456789abcdef23456789abcdef01",
        // X9.143 and ASC X9 TR-31: key block protection keys and the keys in the blocks.
        "89e88cf7931444f334bd7547fc3f380c", "dd7515f2bfc17f85ce48f3ca25cb21f6", "f039121bec83d26b169bdcd5b22aaf8f",
        "88e1ab2a2e3dd38c1fa039a536500cc8a87ab9d62dc92c01058fa79f44657de6", "3f419e1cb7079442aa37474c2efbf8b8",
        // RFC 9421, appendix B.1.5.
        "bb3bc97c1e2edcdd09cb84fb359ef930355cafccd24c89de749b6481cbb8e985"
            + "b85c1cb33498f105db635247493c1b5b9878480e2ea9725f23b1ab2395332d0d",
        // RFC 7515, appendix A.1.1.
        "0323354b2b0fa5bc837e0665777ba68f5ab328e6f054c928a90f84b2d2502ebf"
            + "d3fb5a92d20647ef968ab4c377623d223d2e2172052e4f08c0cd9af567d080a3",
        // docs/vectors of this project.
        "e3d7d6ff5f9f4f82e4bf94836dbd52435484a39ad604ec293e8b345f7ebe0d62", "56dd2866d3953a8d41097a2bb3a3ff46",
    ].map { hex in
        guard let bytes = Hex.decode(hex) else { preconditionFailure("an example is not hex") }
        return bytes
    }
}
