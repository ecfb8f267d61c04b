package import Cryptography

/// EF.SOD: the hashes of the data groups, signed by the issuing state (Doc 9303-10 section 4.6.2).
package struct SecurityObject: Sendable {
    /// Real ones have up to 10 KiB.
    package static let byteCountLimit = 65_536

    package let hashAlgorithm: HashAlgorithm
    /// The hash of each data group that is covered.
    package let hashes: [Int: [UInt8]]

    private let message: SignedMessage

    /// - Throws: `FormatError` for everything that is not a security object. It does not check the signature.
    package init(_ file: Octets) throws(FormatError) {
        guard file.count <= Self.byteCountLimit else {
            throw FormatError("a security object has more than \(Self.byteCountLimit) bytes")
        }
        let outer = try TLVReader.only(FileName.securityObject.tag, in: file, .definiteOrIndefinite)
        var reader = try outer.reader()
        let message = try SignedMessage(reader.next())
        try reader.finish()
        guard Self.contentTypes.contains(message.contentType) else {
            throw FormatError("the content type \(message.contentType) is not that of a security object")
        }
        (hashAlgorithm, hashes) = try parsing("LDS security object") { () throws(FormatError) in
            try Self.hashes(message.content)
        }
        self.message = message
    }

    /// Who signed it; nil if the signature is not valid or its certificate is missing.
    func verify() -> SignedMessage.Verified? { message.verify() }

    /// SEQUENCE { version, hash function, SEQUENCE OF SEQUENCE { number, hash }, versions? }.
    private static func hashes(_ content: Octets) throws(FormatError) -> (HashAlgorithm, [Int: [UInt8]]) {
        var reader = try TLVReader.only(.sequence, in: content).reader()
        let version = try reader.readSmallInteger()
        guard 0...1 ~= version else { throw FormatError("the version \(version) is unknown") }
        let algorithm = try AlgorithmIdentifier(reader.read(.sequence)).hashAlgorithm()
        var (hashes, list): ([Int: [UInt8]], TLVReader) = ([:], try reader.read(.sequence).reader())
        for element in try list.readAll(atMost: 16) {
            var entry = try element.reader()
            let number = try entry.readSmallInteger()
            let hash = try entry.read(.octetString).content.bytes
            try entry.finish()
            guard 1...16 ~= number, hash.count == algorithm.byteCount,
                hashes.updateValue(hash, forKey: number) == nil
            else { throw FormatError("the hash of data group \(number) is malformed or occurs twice") }
        }
        _ = try reader.readIf(.sequence)  // the versions of LDS and Unicode, since version 1
        try reader.finish()
        guard !hashes.isEmpty else { throw FormatError("there are no hashes") }
        return (algorithm, hashes)
    }

    /// id-icao-mrtd-security-ldsSecurityObject, two that old documents have, and id-data (China).
    private static let contentTypes: Set = [
        ObjectIdentifier("2.23.136.1.1.1"), ObjectIdentifier("1.3.27.1.1.1"),
        ObjectIdentifier("1.2.528.1.1006.1.20.1"), ObjectIdentifier("1.2.840.113549.1.7.1"),
    ]
}
