import Cryptography
import KeyBlocks
import PythonOracle
import SecureMemory
import Testing

func hex(_ text: String) throws -> [UInt8] { try #require(Hex.decode(text)) }

extension SymmetricKey {
    /// A new key.
    static func random(_ algorithm: KeyAlgorithm, _ byteCount: Int) throws -> SymmetricKey {
        try SymmetricKey(algorithm, SecureRandom.secret(count: byteCount))
    }

    init(_ algorithm: KeyAlgorithm, hex text: String) throws {
        try self.init(algorithm, SecretBytes(copying: KeyBlocksTests.hex(text)))
    }

    /// The key in hex. In a test it is not secret.
    var text: String { Hex.encode(secret.bytes) }
}

extension KeyBlock {
    init(wrapping key: SymmetricKey, header: KeyBlockHeader, under protectionKey: ProtectionKey) throws {
        try self.init(wrapping: key, header: header, under: protectionKey) { SecureRandom.secret(count: $0) }
    }
}

/// psec as the other side, with a protection key.
struct Peer {
    static let oracle = PythonOracle(script: "Oracles/psec_oracle.py")

    let protectionKey: ProtectionKey
    private let version: String

    init(_ algorithm: KeyAlgorithm = .aes, _ byteCount: Int = 32, _ direction: KeyDirection = .both) throws {
        protectionKey = try ProtectionKey(.random(algorithm, byteCount), direction)
        version = algorithm == .aes ? "D" : "B"
    }

    func wrap(_ key: SymmetricKey, header: String, blocks: [String: String] = [:]) async throws -> String {
        var asked = ["protectionKey": protectionKey.key.text, "key": key.text, "header": header]
        for (id, data) in blocks { asked["block \(id)"] = data }
        return try #require(try await Self.oracle.ask("wrap", asked)["block"])
    }

    /// A block that is authentic, whatever its header says.
    func forge(_ header: String, key: String = "00112233445566778899AABBCCDDEEFF", extraPad: Int = 0) async throws
        -> String
    {
        let asked = [
            "protectionKey": protectionKey.key.text, "key": key, "header": header, "version": version,
            "extraPad": String(extraPad),
        ]
        return try #require(try await Self.oracle.ask("forge", asked)["block"])
    }

    func unwrap(_ block: KeyBlock) async throws -> [String: String] {
        try await Self.oracle.ask("unwrap", ["protectionKey": protectionKey.key.text, "block": block.text])
    }

    /// Opens a block on our side.
    func open(_ text: String) throws -> SymmetricKey {
        try KeyBlock(text).key(under: protectionKey)
    }
}
