package import Cryptography
package import EMRTD

/// A document of a made-up person: the files of its chip, and the chip's private keys.
package struct SimulatedDocument: Sendable {
    /// What the chip can do.
    package struct Features: Sendable {
        /// The group of a key for chip authentication.
        package enum AgreementGroup: Sendable {
            case ellipticCurve(NamedCurve)
            case diffieHellman(DHGroup)
        }

        /// Nil if it has no key for it.
        package var chipAuthentication: (group: AgreementGroup, cipher: SessionKeys.Cipher)?
        /// Whether data group 14 names the protocol. Old chips leave it out.
        package var namesProtocol: Bool
        /// The curve of a key for active authentication; nil if it has none.
        package var activeAuthentication: NamedCurve?

        package init(
            chipAuthentication: (group: AgreementGroup, cipher: SessionKeys.Cipher)? = (.ellipticCurve(.p256), .aes128),
            namesProtocol: Bool = true, activeAuthentication: NamedCurve? = .p256
        ) {
            self.chipAuthentication = chipAuthentication
            self.namesProtocol = namesProtocol
            self.activeAuthentication = activeAuthentication
        }

        /// A chip that can prove nothing.
        package static let none = Features(chipAuthentication: nil, activeAuthentication: nil)
    }

    package enum ChipKey: Sendable {
        case ellipticCurve(ECPrivateKey)
        case diffieHellman(DHPrivateKey)
    }

    package var files: [FileName: [UInt8]]
    package var chipAuthenticationKey: ChipKey?
    package var activeAuthenticationKey: ECPrivateKey?

    package init(
        files: [FileName: [UInt8]], chipAuthenticationKey: ChipKey?, activeAuthenticationKey: ECPrivateKey?
    ) {
        self.files = files
        self.chipAuthenticationKey = chipAuthenticationKey
        self.activeAuthenticationKey = activeAuthenticationKey
    }

    /// Another chip with the same files. It has keys of the same kind, but they are not the ones in the files.
    package func clone() throws -> SimulatedDocument {
        var clone = self
        switch chipAuthenticationKey {
        case .ellipticCurve(let key):
            clone.chipAuthenticationKey = .ellipticCurve(try ECPrivateKey.generate(on: key.publicKey.curve))
        case .diffieHellman(let key):
            clone.chipAuthenticationKey = .diffieHellman(try DHPrivateKey.generate(in: key.publicKey.group))
        case nil: break
        }
        if let key = activeAuthenticationKey {
            clone.activeAuthenticationKey = try ECPrivateKey.generate(on: key.publicKey.curve)
        }
        return clone
    }
}

extension SimulatedIssuer {
    /// Issues a document: data groups 1, 2, 14 and 15 as the features need them, EF.COM and EF.SOD.
    package func issue(
        _ holder: SimulatedHolder = SimulatedHolder(), _ features: SimulatedDocument.Features = .init(),
        keys: KeyMaker = randomKeys
    ) throws -> SimulatedDocument {
        var groups: [Int: [UInt8]] = [1: dataGroup1(holder), 2: dataGroup2()]
        var (infos, chipKey): ([[UInt8]], SimulatedDocument.ChipKey?) = ([], nil)
        if let (group, cipher) = features.chipAuthentication {
            let (key, elements) = try chipAuthentication(group, cipher, isNamed: features.namesProtocol, keys)
            (chipKey, infos) = (key, elements)
        }
        let activeKey = try features.activeAuthentication.map { try keys($0) }
        if let activeKey {
            infos.append(activeAuthenticationInfo)
            groups[15] = DERWriter.element(FileName.dataGroup(15).tag, DERParts.publicKeyInfo(activeKey.publicKey))
        }
        if !infos.isEmpty { groups[14] = DERWriter.element(FileName.dataGroup(14).tag, DERWriter.set(infos)) }
        var files: [FileName: [UInt8]] = [:]
        for (number, content) in groups { files[.dataGroup(number)] = content }
        files[.common] = common(groups.keys.sorted())
        files[.securityObject] = try securityObject(of: groups)
        return SimulatedDocument(files: files, chipAuthenticationKey: chipKey, activeAuthenticationKey: activeKey)
    }

    /// The file with the holder's machine readable zone.
    package func dataGroup1(_ holder: SimulatedHolder) -> [UInt8] {
        let zone = holder.machineReadableZone(issuingState: state)
        return DERWriter.element(FileName.dataGroup(1).tag, DERWriter.element(0x5F1F, zone))
    }

    /// A face in ISO/IEC 19794-5. Its image begins like JPEG, and shows nothing.
    private func dataGroup2() -> [UInt8] {
        let image: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 0x20, count: 700) + [0xFF, 0xD9]
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
        }
        let header: [UInt8] = [1, 0] + number(240, 2) + number(320, 2) + [1, 0, 0, 0, 0, 0]
        let face = number(20 + header.count + image.count, 4) + [UInt8](repeating: 0, count: 16) + header + image
        let record = Array("FAC\u{0}010\u{0}".utf8) + number(14 + face.count, 4) + number(1, 2) + face
        let biometricHeader = DERWriter.element(
            0xA1, DERWriter.element(0x87, [0x01, 0x01]) + DERWriter.element(0x88, [0x00, 0x08]))
        let template = DERWriter.element(0x7F60, biometricHeader + DERWriter.element(0x5F2E, record))
        return DERWriter.element(
            FileName.dataGroup(2).tag, DERWriter.element(0x7F61, DERWriter.integer(1) + template))
    }

    private func common(_ numbers: [Int]) -> [UInt8] {
        let tags = numbers.flatMap { FileName.dataGroup($0).tag.bytes }
        let parts: [[UInt8]] = [
            DERWriter.element(0x5F01, Array("0107".utf8)), DERWriter.element(0x5F36, Array("040000".utf8)),
            DERWriter.element(0x5C, tags),
        ]
        return DERWriter.element(FileName.common.tag, parts)
    }

    private func chipAuthentication(
        _ group: SimulatedDocument.Features.AgreementGroup, _ cipher: SessionKeys.Cipher, isNamed: Bool,
        _ keys: KeyMaker
    ) throws -> (SimulatedDocument.ChipKey, [[UInt8]]) {
        let (key, info, isDiffieHellman): (SimulatedDocument.ChipKey, [UInt8], Bool)
        switch group {
        case .ellipticCurve(let curve):
            let pair = try keys(curve)
            (key, info, isDiffieHellman) = (.ellipticCurve(pair), DERParts.publicKeyInfo(pair.publicKey), false)
        case .diffieHellman(let group):
            let pair = try DHPrivateKey.generate(in: group)
            (key, info, isDiffieHellman) = (.diffieHellman(pair), DERParts.publicKeyInfo(pair.publicKey), true)
        }
        let identifier =
            isDiffieHellman ? ObjectIdentifier("0.4.0.127.0.7.2.2.1.1") : ObjectIdentifier("0.4.0.127.0.7.2.2.1.2")
        let named = ChipAuthenticationProtocol(isDiffieHellman: isDiffieHellman, cipher: cipher).identifier
        let publicKey = DERWriter.sequence(DERWriter.objectIdentifier(identifier), info)
        let protocolInfo = DERWriter.sequence(DERWriter.objectIdentifier(named), DERWriter.integer(1))
        return (key, isNamed ? [protocolInfo, publicKey] : [publicKey])
    }

    /// ECDSA with plain signatures and SHA-256.
    private var activeAuthenticationInfo: [UInt8] {
        DERWriter.sequence(
            DERWriter.objectIdentifier(ObjectIdentifier("2.23.136.1.1.5")), DERWriter.integer(1),
            DERWriter.objectIdentifier(ObjectIdentifier("0.4.0.127.0.7.1.1.4.1.3")))
    }
}
