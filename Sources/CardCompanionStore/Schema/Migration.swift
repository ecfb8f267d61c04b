internal import Cryptography

/// One numbered file of `migrations/`, compiled into the program. Once landed a file is never edited.
public struct Migration: Sendable {
    /// The file's number.
    public let version: Int
    /// The file's name without number and ending.
    public let name: String
    /// The file's text.
    public let sql: String
    /// SHA-256 of the text.
    let digest: [UInt8]

    init(_ version: Int, _ name: String, _ bytes: [UInt8]) {
        self.version = version
        self.name = name
        sql = String(decoding: bytes, as: UTF8.self)
        digest = SHA256.hash(bytes)
    }

    /// All that this program knows, in order.
    public static let all = [
        Migration(1, "foundations", PackageResources._001_foundations_sql),
        Migration(2, "distribution", PackageResources._002_distribution_sql),
        Migration(3, "definition", PackageResources._003_definition_sql),
        Migration(4, "issuing", PackageResources._004_issuing_sql),
        Migration(5, "events", PackageResources._005_events_sql),
    ]
}
