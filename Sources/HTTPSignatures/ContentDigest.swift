internal import Cryptography
internal import HTTPTypes
internal import RawStructuredFieldValues
public import SecureMemory

/// The digests that a message states of its content (RFC 9530 section 2): one at least with an algorithm that is
/// supported. The others, which the registry calls insecure or which are unknown, are left alone.
public struct ContentDigest: Equatable, Sendable {
    /// The algorithms that are supported: those that RFC 9530 section 5 calls active.
    public enum Algorithm: String, CaseIterable, Sendable, CustomStringConvertible {
        /// SHA-256.
        case sha256 = "sha-256"
        /// SHA-512.
        case sha512 = "sha-512"

        /// The registered name.
        public var description: String { rawValue }

        var byteCount: Int {
            switch self {
            case .sha256: SHA256.byteCount
            case .sha512: SHA512.byteCount
            }
        }
    }

    /// The digests with supported algorithms, one or both.
    public let digests: [Algorithm: [UInt8]]

    /// Reads a Content-Digest field, its lines joined. Throws `malformedField`, `limitExceeded` or `noSupportedDigest`.
    public init(fieldValue: String) throws(SignatureError) {
        let members = try StructuredDictionary(fieldValue, field: .contentDigest).members
        guard members.count <= Self.countLimit else {
            throw SignatureError(.limitExceeded("digests of a message", limit: Self.countLimit))
        }
        var digests: [Algorithm: [UInt8]] = [:]
        for (name, member) in members {
            guard let bytes = member.byteSequence else {
                throw SignatureError.malformed(.contentDigest, "\(name) is not a byte sequence in base64")
            }
            guard let algorithm = Algorithm(rawValue: name) else { continue }
            guard bytes.count == algorithm.byteCount else {
                throw SignatureError.malformed(.contentDigest, "\(name) is not of its length")
            }
            digests[algorithm] = bytes
        }
        guard !digests.isEmpty else { throw SignatureError(.noSupportedDigest) }
        self.digests = digests
    }

    /// Reads a message's Content-Digest field; throws `missingField` as well.
    public init(_ message: SignedMessage) throws(SignatureError) {
        guard let value = message.value(of: .contentDigest) else { throw SignatureError.missing(.contentDigest) }
        try self.init(fieldValue: value)
    }

    /// The value of a Content-Digest field for this content.
    public static func fieldValue(
        for content: borrowing some ByteSource & ~Copyable, algorithm: Algorithm = .sha256
    ) -> String {
        let digest =
            switch algorithm {
            case .sha256: SHA256.hash(content)
            case .sha512: SHA512.hash(content)
            }
        return "\(algorithm)=:\(Base64.encode(digest)):"
    }

    /// Throws `digestMismatch` unless the content has every digest that is stated with a supported algorithm.
    public func verify(_ content: borrowing some ByteSource & ~Copyable) throws(SignatureError) {
        let check = makeCheck()
        check.update(content)
        try check.finish()
    }

    /// A check of content that comes in parts.
    public func makeCheck() -> Check {
        Check(self)
    }

    /// The most digests that a field may state.
    private static let countLimit = 8
}

extension ContentDigest {
    /// A check of content that comes in parts. It is used from one place at a time.
    public final class Check {
        private let streams: [(algorithm: Algorithm, digest: [UInt8], stream: SHA2Stream)]

        fileprivate init(_ expected: ContentDigest) {
            streams = Algorithm.allCases.compactMap { algorithm in
                guard let digest = expected.digests[algorithm] else { return nil }
                return (algorithm, digest, algorithm == .sha256 ? .sha256() : .sha512())
            }
        }

        /// Takes the next bytes of the content.
        public func update(_ bytes: borrowing some ByteSource & ~Copyable) {
            for (_, _, stream) in streams { stream.update(bytes) }
        }

        /// Throws `digestMismatch` unless the content, which is complete, has every digest that is stated.
        public func finish() throws(SignatureError) {
            for (algorithm, digest, stream) in streams {
                guard ConstantTime.areEqual(stream.hash(), digest) else {
                    throw SignatureError(.digestMismatch(algorithm))
                }
            }
        }
    }
}
