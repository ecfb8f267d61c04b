import Cryptography
import PINBlocks
import SecureMemory
import Testing

func hex(_ text: String) throws -> [UInt8] { try #require(Hex.decode(text)) }

func secret(_ text: String) -> SecretBytes { SecretBytes(copying: Array(text.utf8)) }

func shared(_ text: String?) -> SharedSecret? { text.map { SharedSecret(secret($0)) } }

extension SecretBytes {
    /// The content. In a test it is not secret.
    var digits: String { withBytes { String(decoding: $0, as: UTF8.self) } }
}

extension PINBlockFormat {
    /// A PAN where the format has one.
    var pan: String? { hasPAN ? "5432101234567891" : nil }
}

/// A key and a format.
struct Lock {
    let format: PINBlockFormat
    let key: BlockCipher
    let keyText: String

    init(_ format: PINBlockFormat, key: String = "00112233445566778899AABBCCDDEEFF") throws {
        self.format = format
        self.key = try BlockCipher(format.cipher, key: hex(key))
        keyText = key
    }

    func encrypted(_ pin: String, pan: String?, fill: UInt8? = nil) throws -> [UInt8] {
        try PINBlock.encrypted(secret(pin), pan: shared(pan), as: format, key: key) { count in
            fill.map { byte in SecretBytes(copying: [UInt8](repeating: byte, count: count)) }
                ?? SecureRandom.secret(count: count)
        }
    }

    func decrypted(_ block: [UInt8], pan: String?) throws -> String {
        try PINBlock.decrypted(block, pan: shared(pan), as: format, key: key).digits
    }

    /// Encrypts a clear field as it is, also a wrong one.
    func sealed(_ field: String, pan: String? = nil) throws -> [UInt8] {
        let panField = try pan.map { try hex($0) } ?? [UInt8](repeating: 0, count: format.byteCount)
        if format == .iso4 {
            let inner = try key.encryptBlocks(hex(field)).withBytes { zip($0, panField).map(^) }
            return try key.encryptBlocks(inner).withBytes { [UInt8]($0) }
        }
        return try key.encryptBlocks(zip(hex(field), panField).map(^)).withBytes { [UInt8]($0) }
    }

    /// What is in a block of format 0, 1 or 3, with the PAN.
    func clear(_ block: [UInt8]) throws -> String {
        try Hex.encode(key.decryptBlocks(block)).uppercased()
    }
}
