internal import Cryptography
internal import HTTPTypes
internal import RawStructuredFieldValues
package import SecureMemory

/// The content digests of a message (RFC 9530 section 2), at least one of them with a supported algorithm. Digests with
/// other algorithms (unknown, or insecure according to the registry) are ignored.
package struct ContentDigest: Equatable, Sendable {
    /// The supported algorithms: those with the status Active in RFC 9530 section 5.
    package enum Algorithm: String, CaseIterable, Sendable, CustomStringConvertible {
        case sha256 = "sha-256"
        case sha512 = "sha-512"

        /// The registered name.
        package var description: String { rawValue }

        var hash: HashAlgorithm {
            switch self {
            case .sha256: .sha256
            case .sha512: .sha512
            }
        }
    }

    /// The digests with supported algorithms (one or both).
    package let digests: [Algorithm: [UInt8]]

    /// Reads the value of a Content-Digest field (its lines joined).
    ///
    /// - Throws: `malformedField`, `limitExceeded`, `noSupportedDigest`.
    package init(fieldValue: String) throws(SignatureError) {
        let members = try StructuredDictionary(fieldValue, field: .contentDigest).members
        guard members.count <= Self.countLimit else {
            throw SignatureError(.limitExceeded("digests in a message", limit: Self.countLimit))
        }
        var digests: [Algorithm: [UInt8]] = [:]
        for (name, member) in members {
            guard let bytes = member.byteSequence else {
                throw SignatureError.malformed(
                    .contentDigest, "\(name) must be a byte sequence (base64 between colons)")
            }
            guard let algorithm = Algorithm(rawValue: name) else { continue }
            guard bytes.count == algorithm.hash.byteCount else {
                throw SignatureError.malformed(
                    .contentDigest, "\(name) must have \(algorithm.hash.byteCount) bytes (has \(bytes.count))")
            }
            digests[algorithm] = bytes
        }
        guard !digests.isEmpty else { throw SignatureError(.noSupportedDigest) }
        self.digests = digests
    }

    /// Reads the Content-Digest field of a message.
    ///
    /// - Throws: `missingField`, `malformedField`, `limitExceeded`, `noSupportedDigest`.
    package init(_ message: SignedMessage) throws(SignatureError) {
        guard let value = message.value(of: .contentDigest) else { throw SignatureError.missing(.contentDigest) }
        try self.init(fieldValue: value)
    }

    /// The Content-Digest field value for a content.
    package static func fieldValue(
        for content: borrowing some ByteSource & ~Copyable, algorithm: Algorithm = .sha256
    ) -> String {
        "\(algorithm)=:\(Base64.encode(algorithm.hash.hash(content))):"
    }

    /// Checks the content against every digest with a supported algorithm.
    ///
    /// - Throws: `digestMismatch`.
    package func verify(_ content: borrowing some ByteSource & ~Copyable) throws(SignatureError) {
        let check = makeCheck()
        check.update(content)
        try check.finish()
    }

    /// Starts a check of content that arrives in parts.
    package func makeCheck() -> Check {
        Check(self)
    }

    /// The greatest number of digests in a field.
    private static let countLimit = 8
}

extension ContentDigest {
    /// A check of content that arrives in parts. Not for concurrent use.
    package final class Check {
        private let streams: [(algorithm: Algorithm, digest: [UInt8], stream: HashStream)]

        fileprivate init(_ expected: ContentDigest) {
            streams = Algorithm.allCases.compactMap { algorithm in
                expected.digests[algorithm].map { (algorithm, $0, HashStream(algorithm.hash)) }
            }
        }

        /// Adds the next bytes of the content.
        package func update(_ bytes: borrowing some ByteSource & ~Copyable) {
            for (_, _, stream) in streams { stream.update(bytes) }
        }

        /// Ends the content, and checks it against every digest.
        ///
        /// - Throws: `digestMismatch`.
        package func finish() throws(SignatureError) {
            for (algorithm, digest, stream) in streams {
                guard ConstantTime.areEqual(stream.hash(), digest) else {
                    throw SignatureError(.digestMismatch(algorithm))
                }
            }
        }
    }
}
