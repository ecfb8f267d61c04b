import Foundation
import Testing

/// The files of docs/vectors.
enum VectorFile {
    static var folder: URL {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "docs/vectors")
    }

    /// Reads a file. A static property cannot throw, so this returns a `Result` and the test throws its error.
    static func read<Content: Decodable>(_ name: String, as type: Content.Type = Content.self) -> Result<
        Content, any Error
    > {
        Result {
            try JSONDecoder().decode(type, from: Data(contentsOf: folder.appending(path: "\(name).json")))
        }
    }
}

/// Bytes, which are hex in the files.
struct Octets: Decodable, Equatable, Sendable {
    let bytes: [UInt8]

    init(from decoder: any Decoder) throws {
        let digits = try Array(decoder.singleValueContainer().decode(String.self).utf8)
        let nibbles = digits.compactMap { Character(UnicodeScalar($0)).hexDigitValue.map(UInt8.init) }
        guard digits.count.isMultiple(of: 2), nibbles.count == digits.count else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "must be hex"))
        }
        bytes = stride(from: 0, to: nibbles.count, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
    }

    var data: Data { Data(bytes) }
}

/// A key pair in several encodings.
struct KeyVector: Decodable, Sendable {
    let name: String
    let jwk: [String: String]
    let pem: String
    /// Base64 of a DER SubjectPublicKeyInfo.
    let publicKey: String
    let thumbprint: String
}

/// The keys of a file, by name.
struct KeyVectors: Decodable, Sendable {
    private let keys: [KeyVector]

    init(from decoder: any Decoder) throws {
        keys = try [KeyVector](from: decoder)
    }

    var all: [KeyVector] { keys }

    func named(_ name: String) throws -> KeyVector {
        try #require(keys.first { $0.name == name })
    }

    func kid(_ kid: String?) -> KeyVector? {
        keys.first { $0.thumbprint == kid }
    }
}

/// A vector or case whose name appears in the test's output.
protocol NamedVector: Decodable, Sendable, CustomTestStringConvertible {
    var name: String { get }
}

extension NamedVector {
    var testDescription: String { name }
}
