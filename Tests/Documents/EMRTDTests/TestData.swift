import Cryptography
import EMRTD
import Foundation
import SecureMemory
import Testing

/// The files of Tests/Documents/EMRTDTests/Data.
enum TestData {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Data")

    static func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: folder.appending(path: path)))
    }

    static func octets(_ path: String) throws -> Octets {
        Octets(copying: try bytes(path))
    }

    static func json<Value: Decodable>(_ path: String, _ type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: Data(contentsOf: folder.appending(path: path)))
    }

    static func names(in path: String, suffix: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: path).path)
            .filter { $0.hasSuffix(suffix) }.sorted()
    }
}

/// Bytes that are hex in the files.
struct HexBytes: Decodable, Equatable {
    let bytes: [UInt8]

    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let bytes = Hex.decode(text) else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "must be hex"))
        }
        self.bytes = bytes
    }

    var octets: Octets { Octets(copying: bytes) }
}

extension Octets {
    init(hex text: String) throws {
        self.init(copying: try #require(Hex.decode(text)))
    }

    /// As text. In a test it is not secret.
    var text: String { String(decoding: bytes, as: UTF8.self) }
}

extension PersonalText {
    var text: String { utf8.text }
}

extension SecretBytes {
    /// The content. In a test it is not secret.
    var revealed: [UInt8] { withBytes { [UInt8]($0) } }
}
