/// A CRL of a country signing CA (Doc 9303-12 section 7.1.4, RFC 5280 section 5).
package struct CertificateRevocationList: Sendable {
    package static let byteCountLimit = 4 << 20
    /// How long a CRL number can be (RFC 5280 section 5.2.3).
    package static let numberByteCount = 20
    private static let entryCountLimit = 65_536

    package let issuer: DistinguishedName
    /// In Unix seconds.
    package let thisUpdate: Int64
    /// Nil if the list gives none. Then it is stale at once.
    package let nextUpdate: Int64?
    /// The CRL number, big-endian, of ``numberByteCount`` bytes; nil if there is none, or if it is negative or longer.
    package let number: [UInt8]?
    package let revoked: Set<SerialNumber>

    private let signed: Octets
    private let algorithm: SignatureAlgorithm
    private let signature: [UInt8]

    /// Reads DER with nothing after it.
    ///
    /// - Throws: `FormatError`, also for a list with a critical extension, because it may be only a part of a list.
    package init(_ bytes: Octets) throws(FormatError) {
        guard bytes.count <= Self.byteCountLimit else {
            throw FormatError("a CRL has more than \(Self.byteCountLimit) bytes")
        }
        var outer = try TLVReader.only(.sequence, in: bytes).reader()
        let content = try outer.read(.sequence)
        signed = content.encoded
        algorithm = try SignatureAlgorithm(AlgorithmIdentifier(outer.read(.sequence)))
        signature = try outer.readBitString().bytes
        try outer.finish()

        var reader = try content.reader()
        _ = try reader.readIf(.integer)  // the version
        _ = try reader.read(.sequence)  // the algorithm again
        issuer = try DistinguishedName(reader.next())
        thisUpdate = try CalendarTime.unixSeconds(reader.next())
        let hasNextUpdate = reader.nextTag == .utcTime || reader.nextTag == .generalizedTime
        nextUpdate = hasNextUpdate ? try CalendarTime.unixSeconds(reader.next()) : nil
        var revoked: Set<SerialNumber> = []
        if let list = try reader.readIf(.sequence) {
            var entries = try list.reader()
            for element in try entries.readAll(atMost: Self.entryCountLimit) {
                var entry = try element.reader()
                revoked.insert(try SerialNumber(entry.read(.integer)))
            }
        }
        self.revoked = revoked
        let extensions = try CertificateExtensions(reader.readIf(.context(0)))
        try reader.finish()
        number = extensions.revocationListNumber(byteCount: Self.numberByteCount)
        guard extensions.criticalIdentifiers.isEmpty else { throw FormatError("a CRL has a critical extension") }
    }

    /// Whether a CA signed this list and may do so.
    package func isSigned(by authority: SigningCertificate) -> Bool {
        authority.allowsCRLSigning && authority.subject == issuer
            && algorithm.isValid(signature, of: signed, by: authority.publicKey)
    }

    /// Whether a newer list should exist at this time, in Unix seconds.
    package func isStale(at unixSeconds: Int64) -> Bool { nextUpdate.map { $0 < unixSeconds } ?? true }
}
