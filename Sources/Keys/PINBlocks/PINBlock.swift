package import Cryptography
package import SecureMemory

/// PINs as PIN blocks (ISO 9564-1:2017). PINs and PANs are ASCII digits.
package enum PINBlock {
    /// The digits that a PIN can have.
    package static let pinLengths = 4...12

    /// Encrypts a PIN.
    ///
    /// - Parameters:
    ///   - pan: the whole number of the card; nil for format 1.
    ///   - random: makes that many random bytes.
    /// - Throws: ``PINBlockError``.
    package static func encrypted(
        _ pin: borrowing SecretBytes, pan: SharedSecret?, as format: PINBlockFormat, key: BlockCipher,
        random: (Int) -> SecretBytes
    ) throws(PINBlockError) -> [UInt8] {
        let panField = try field(pan, format, key)
        let pinField = try PINField.encode(pin, format, random: random)
        do throws(CryptographyError) {
            let block =
                format == .iso4
                ? try key.encryptBlocks(try key.encryptBlocks(pinField).xor(panField))
                : try key.encryptBlocks(pinField.xor(panField))
            return block.withBytes { [UInt8]($0) }
        } catch {
            throw .unavailable(format)
        }
    }

    /// Decrypts a PIN block, strictly.
    ///
    /// - Parameter pan: as in ``encrypted(_:pan:as:key:random:)``. With a wrong PAN the block does not open or, in formats 0
    ///   and 3, which do not authenticate, can give a wrong PIN.
    /// - Returns: the PIN.
    /// - Throws: ``PINBlockError``.
    package static func decrypted(
        _ block: [UInt8], pan: SharedSecret?, as format: PINBlockFormat, key: BlockCipher
    ) throws(PINBlockError) -> SecretBytes {
        let panField = try field(pan, format, key)
        guard block.count == format.byteCount else { throw .length(format) }
        let pinField: SecretBytes
        do throws(CryptographyError) {
            let inner = try key.decryptBlocks(block).xor(panField)
            pinField = format == .iso4 ? try key.decryptBlocks(inner) : inner
        } catch {
            throw .unavailable(format)
        }
        return try PINField.decode(pinField, format)
    }

    private static func field(
        _ pan: SharedSecret?, _ format: PINBlockFormat, _ key: BlockCipher
    ) throws(PINBlockError) -> SecretBytes {
        guard key.algorithm == format.cipher else { throw .otherKey(format) }
        return try PANField.encode(pan, format)
    }
}

extension BlockCipher.Algorithm {
    /// For people.
    var name: String {
        switch self {
        case .tripleDES: "Triple DES"
        case .aes: "AES"
        }
    }
}
