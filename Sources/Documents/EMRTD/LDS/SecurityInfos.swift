package import Cryptography

/// DG14: what the chip can do (Doc 9303-11 section 9.2, TR-03110-3 A.1.1).
package struct SecurityInfos: Sendable {
    private static let countLimit = 64

    /// A protocol of chip authentication, known or not.
    package struct ChipAuthenticationInfo: Hashable, Sendable {
        package let identifier: ObjectIdentifier
        let isDiffieHellman: Bool
        package let version: Int
        /// Unsigned, big-endian, shortest; nil if the chip has one key only.
        package let keyIdentifier: [UInt8]?
    }

    /// A public key of chip authentication.
    package struct ChipAuthenticationKey: Sendable {
        /// Nil if it cannot be used: too long, or on an unknown curve.
        package let key: SubjectPublicKey?
        package let keyIdentifier: [UInt8]?
        /// Whether the chip says that it is a Diffie-Hellman key with numbers, and not on a curve.
        let isDiffieHellman: Bool
    }

    package let chipAuthentications: [ChipAuthenticationInfo]
    package let chipAuthenticationKeys: [ChipAuthenticationKey]
    /// The hash of active authentication with ECDSA.
    package let activeAuthenticationHash: HashAlgorithm?

    /// For a chip whose DG14 cannot be read. Chip authentication with it is unavailable.
    package static let none = SecurityInfos(chipAuthentications: [], keys: [], activeAuthenticationHash: nil)

    private init(
        chipAuthentications: [ChipAuthenticationInfo], keys: [ChipAuthenticationKey],
        activeAuthenticationHash: HashAlgorithm?
    ) {
        self.chipAuthentications = chipAuthentications
        chipAuthenticationKeys = keys
        self.activeAuthenticationHash = activeAuthenticationHash
    }

    /// Reads a SET OF SEQUENCE { identifier, required, optional? } in the tag of DG14.
    package init(_ file: Octets) throws(FormatError) {
        var outer = try FileName.dataGroup(14).content(of: file)
        var set = try outer.read(.set).reader()
        try outer.finish()
        var (infos, keys, hash): ([ChipAuthenticationInfo], [ChipAuthenticationKey], HashAlgorithm?) = ([], [], nil)
        for element in try set.readAll(atMost: Self.countLimit) {
            guard element.tag == .sequence else { throw FormatError("an element is not a SecurityInfo") }
            var reader = try element.reader()
            let identifier = try reader.readObjectIdentifier()
            switch identifier {
            case .chipAuthenticationDHKey, .chipAuthenticationECDHKey:
                keys.append(try Self.key(identifier, &reader))
            case .activeAuthentication:
                _ = try reader.readSmallInteger()
                hash = SignatureAlgorithm.ecdsaHash(of: try reader.readObjectIdentifier())
            default:
                let isDiffieHellman = identifier.last(under: .chipAuthenticationDH) != nil
                guard isDiffieHellman || identifier.last(under: .chipAuthenticationECDH) != nil else { continue }
                let version = try reader.readSmallInteger()
                let number = try Self.keyIdentifier(&reader)
                infos.append(
                    ChipAuthenticationInfo(
                        identifier: identifier, isDiffieHellman: isDiffieHellman, version: version,
                        keyIdentifier: number))
            }
        }
        self.init(chipAuthentications: infos, keys: keys, activeAuthenticationHash: hash)
    }

    private static func key(
        _ identifier: ObjectIdentifier, _ reader: inout TLVReader
    ) throws(FormatError) -> ChipAuthenticationKey {
        let info = try reader.read(.sequence)
        return ChipAuthenticationKey(
            key: try? SubjectPublicKey(info), keyIdentifier: try keyIdentifier(&reader),
            isDiffieHellman: identifier == .chipAuthenticationDHKey)
    }

    private static func keyIdentifier(_ reader: inout TLVReader) throws(FormatError) -> [UInt8]? {
        guard !reader.isAtEnd else { return nil }
        let number = try reader.readUnsignedInteger()
        try reader.finish()
        return number.isEmpty ? [0] : number
    }
}

extension ObjectIdentifier {
    static let chipAuthenticationDHKey = ObjectIdentifier("0.4.0.127.0.7.2.2.1.1")
    static let chipAuthenticationECDHKey = ObjectIdentifier("0.4.0.127.0.7.2.2.1.2")
    static let chipAuthenticationDH = ObjectIdentifier("0.4.0.127.0.7.2.2.3.1")
    static let chipAuthenticationECDH = ObjectIdentifier("0.4.0.127.0.7.2.2.3.2")
    static let activeAuthentication = ObjectIdentifier("2.23.136.1.1.5")
}
