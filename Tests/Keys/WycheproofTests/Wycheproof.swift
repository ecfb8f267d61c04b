import Cryptography
import Foundation
import SecureMemory
import Testing

/// The files of Tests/Keys/WycheproofTests/vectors.
enum Wycheproof {
    /// Calls `body` with each vector of a file, and with its group.
    static func forEach<Group: VectorGroup>(
        of file: String, _ type: Group.Type = Group.self, _ body: (Group, Group.Vector) throws -> Void
    ) throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "vectors")
        let content = try Data(contentsOf: folder.appending(path: "\(file).json"))
        let vectors = try JSONDecoder().decode(VectorFile<Group>.self, from: content)
        #expect(vectors.testGroups.map(\.tests.count).reduce(0, +) == vectors.numberOfTests)
        for group in vectors.testGroups {
            for vector in group.tests { try body(group, vector) }
        }
    }

    private struct VectorFile<Group: VectorGroup>: Decodable {
        let numberOfTests: Int
        let testGroups: [Group]
    }
}

/// Vectors with common parameters, such as a key.
protocol VectorGroup: Decodable {
    associatedtype Vector: WycheproofVector
    var tests: [Vector] { get }
}

/// One vector.
protocol WycheproofVector: Decodable {
    /// Its number in the file.
    var tcId: Int { get }
    var comment: String { get }
    var result: ExpectedResult { get }
}

/// What an implementation must do.
enum ExpectedResult: String, Decodable {
    case valid, invalid
    /// Both are right.
    case acceptable
}

/// What became of the vectors of a file.
struct Tally: Equatable {
    /// Valid vectors that were accepted.
    var accepted = 0
    /// Invalid vectors that were refused.
    var refused = 0
    /// Acceptable vectors that were refused.
    var refusedAcceptable = 0
    /// Acceptable vectors that were accepted, by number, so that a test lists them. Until now there are none.
    var acceptedAcceptable: [Int] = []
    /// Vectors of parameters that the module does not have, such as another length of key. They were refused.
    var unsupported = 0

    /// Counts a vector. It is a fault if the module accepted what is invalid or unsupported, or refused what is valid.
    mutating func count(
        _ vector: some WycheproofVector, isSupported: Bool = true, isAccepted: Bool,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        switch (vector.result, isSupported, isAccepted) {
        case (_, false, false): unsupported += 1
        case (.valid, true, true): accepted += 1
        case (.invalid, true, false): refused += 1
        case (.acceptable, true, true): acceptedAcceptable.append(vector.tcId)
        case (.acceptable, true, false): refusedAcceptable += 1
        default:
            Issue.record(
                "vector \(vector.tcId) (\(vector.comment)), \(vector.result): \(isAccepted ? "accepted" : "refused")",
                sourceLocation: sourceLocation)
        }
    }
}

/// Bytes, which are hex in the files.
struct Octets: Decodable {
    let bytes: [UInt8]

    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let bytes = Hex.decode(text) else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "must be hex"))
        }
        self.bytes = bytes
    }
}

extension SecretBytes {
    /// The content. In a test it is not secret.
    var revealed: [UInt8] { withBytes { [UInt8]($0) } }
}
