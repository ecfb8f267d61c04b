internal import Cryptography
internal import SecureMemory

/// Keys that are never drawn by chance, or that are weaker than their length promises.
enum DegenerateKey {
    private static let partByteCount = 8

    /// Whether all bytes are equal, or, for Triple DES, whether a part is weak or two parts are equal. Two equal parts make
    /// a key of one part (SP 800-67 section 3.2). The parity does not count.
    static func isDegenerate(_ key: borrowing SecretBytes, _ algorithm: KeyAlgorithm) -> Bool {
        guard algorithm == .tripleDES else { return key.withBytes(isUniform) }
        return key.withOddParity().withBytes { bytes in
            func part(_ index: Int) -> UInt64 {
                bytes.loadUnaligned(fromByteOffset: index * partByteCount, as: UInt64.self).bigEndian
            }
            return (0..<bytes.count / partByteCount).contains { index in
                weakParts.contains(part(index)) || (0..<index).contains { part($0) == part(index) }
            }
        }
    }

    private static func isUniform(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.allSatisfy { $0 == bytes.first }
    }

    /// The weak and semi-weak keys of DES (SP 800-67 section 3.3.2), with odd parity.
    private static let weakParts: Set<UInt64> = [
        0x0101_0101_0101_0101, 0xFEFE_FEFE_FEFE_FEFE, 0xE0E0_E0E0_F1F1_F1F1, 0x1F1F_1F1F_0E0E_0E0E,
        0x011F_011F_010E_010E, 0x1F01_1F01_0E01_0E01, 0x01E0_01E0_01F1_01F1, 0xE001_E001_F101_F101,
        0x01FE_01FE_01FE_01FE, 0xFE01_FE01_FE01_FE01, 0x1FE0_1FE0_0EF1_0EF1, 0xE01F_E01F_F10E_F10E,
        0x1FFE_1FFE_0EFE_0EFE, 0xFE1F_FE1F_FE0E_FE0E, 0xE0FE_E0FE_F1FE_F1FE, 0xFEE0_FEE0_FEF1_FEF1,
    ]
}
