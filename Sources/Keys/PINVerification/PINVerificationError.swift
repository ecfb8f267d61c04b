internal import Cryptography
internal import SecureMemory

/// Why there is no value of a PIN. It contains nothing of PIN and PAN.
package enum PINVerificationError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The digits that a PIN can have (ISO 9564-1).
    package static let pinLengths = 4...12

    /// The PIN has another length than the method needs.
    case pin
    /// The PAN is too short, or not of digits.
    case pan
    /// The key is not of Triple DES.
    case otherKey
    /// OpenSSL's configuration lacks Triple DES.
    case unavailable

    package var description: String {
        switch self {
        case .pin: "the PIN has another length than the method needs"
        case .pan: "the PAN is too short for the method, or is not of digits"
        case .otherKey: "the method needs a key of Triple DES"
        case .unavailable: "OpenSSL does not provide Triple DES here, which the method needs"
        }
    }
}

extension BlockCipher {
    /// Encrypts a block of sixteen hex digits, one per byte.
    func encryptedBlock(ofHexDigits digits: borrowing SecretBytes) throws(PINVerificationError) -> SecretBytes {
        guard algorithm == .tripleDES else { throw .otherKey }
        let block = SecretBytes(count: algorithm.blockByteCount) { block in
            digits.withBytes { digits in
                for index in 0..<block.count { block[index] = digits[2 * index] << 4 | digits[2 * index + 1] }
            }
        }
        do throws(CryptographyError) {
            let encrypted = try encryptBlocks(block)
            return SecretBytes(count: 2 * encrypted.count) { digits in
                encrypted.withBytes { bytes in
                    for index in 0..<bytes.count {
                        digits[2 * index] = bytes[index] >> 4
                        digits[2 * index + 1] = bytes[index] & 0xF
                    }
                }
            }
        } catch {
            throw .unavailable
        }
    }
}

extension SecretBytes {
    /// Whether it has ASCII digits only.
    var isDecimal: Bool { withBytes { $0.allSatisfy { 0x30...0x39 ~= $0 } } }

    /// The value of an ASCII digit.
    func digit(_ index: Int) -> UInt8 { withBytes { $0[index] - 0x30 } }
}
