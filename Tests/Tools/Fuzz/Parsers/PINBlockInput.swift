import Cryptography
import SecureMemory

@testable import PINBlocks

/// The first byte says the format, the next ones are the decrypted block, and the rest is the PAN.
enum PINBlockInput {
    static func read(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return }
        let format = PINBlockFormat.allCases[Int(first) % PINBlockFormat.allCases.count]
        let (block, pan) = (bytes.dropFirst().prefix(format.byteCount), bytes.dropFirst(1 + format.byteCount))
        _ = try? PANField.encode(SharedSecret(SecretBytes(copying: pan)), format)
        guard block.count == format.byteCount else { return }
        guard let pin = try? PINField.decode(SecretBytes(copying: block), format) else { return }
        let isPIN = pin.withBytes { pin in
            PINBlock.pinLengths ~= pin.count && pin.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        }
        require(isPIN, "something else than a PIN was in the block")
    }
}
