package import Cryptography

/// A protocol of chip authentication: a key agreement and a cipher (TR-03110-3 A.1.1.2).
package struct ChipAuthenticationProtocol: Hashable, Sendable {
    package let isDiffieHellman: Bool
    package let cipher: SessionKeys.Cipher

    package init(isDiffieHellman: Bool, cipher: SessionKeys.Cipher) {
        self.isDiffieHellman = isDiffieHellman
        self.cipher = cipher
    }

    init?(_ identifier: ObjectIdentifier) {
        for (parent, isDiffieHellman) in [
            (ObjectIdentifier.chipAuthenticationDH, true), (.chipAuthenticationECDH, false),
        ] {
            guard let number = identifier.last(under: parent), 1...Self.ciphers.count ~= Int(number) else { continue }
            self.init(isDiffieHellman: isDiffieHellman, cipher: Self.ciphers[Int(number) - 1])
            return
        }
        return nil
    }

    package var identifier: ObjectIdentifier {
        let parent = isDiffieHellman ? ObjectIdentifier.chipAuthenticationDH : .chipAuthenticationECDH
        return parent.appending(UInt8((Self.ciphers.firstIndex(of: cipher) ?? 0) + 1))
    }

    private static let ciphers: [SessionKeys.Cipher] = [.tripleDES, .aes128, .aes192, .aes256]
}

/// A key of a chip, and the protocol that it is for.
package struct ChipAuthenticationOffer: Sendable {
    package let `protocol`: ChipAuthenticationProtocol
    /// Whether the chip named the protocol. Old chips leave it out (France).
    package let isNamed: Bool
    package let publicKey: AgreementKey
    package let keyIdentifier: [UInt8]?

    /// The version that passports have. Version 2 derives its keys differently.
    private static let version = 1

    /// What a chip can do, the strongest first. Empty if no key can be used.
    static func all(in infos: SecurityInfos) -> [ChipAuthenticationOffer] {
        let all = infos.chipAuthenticationKeys.flatMap { Self.offers(of: $0, infos) }
        let ciphers = SessionKeys.Cipher.allCases
        // A stable order: if two are equally strong, the chip's order counts.
        return all.enumerated().sorted { one, other in
            let (strength, otherStrength) = (
                ciphers.firstIndex(of: one.element.protocol.cipher) ?? 0,
                ciphers.firstIndex(of: other.element.protocol.cipher) ?? 0
            )
            return strength != otherStrength ? strength > otherStrength : one.offset < other.offset
        }.map(\.element)
    }

    /// The protocols of a key. If the chip names none for its kind, not even an unknown one, it is Triple DES.
    private static func offers(
        of key: SecurityInfos.ChipAuthenticationKey, _ infos: SecurityInfos
    ) -> [ChipAuthenticationOffer] {
        guard let publicKey = AgreementKey(key) else { return [] }
        let isOnlyKey = infos.chipAuthenticationKeys.count == 1
        let ofKind = infos.chipAuthentications.filter { $0.isDiffieHellman == publicKey.isDiffieHellman }
        let named = ofKind.filter { info in
            let isOpen = info.keyIdentifier == nil || key.keyIdentifier == nil
            return info.keyIdentifier == key.keyIdentifier || isOnlyKey && isOpen
        }
        let known = named.filter { $0.version == version }.compactMap { info -> ChipAuthenticationOffer? in
            guard let known = ChipAuthenticationProtocol(info.identifier) else { return nil }
            return ChipAuthenticationOffer(
                protocol: known, isNamed: true, publicKey: publicKey,
                keyIdentifier: key.keyIdentifier ?? info.keyIdentifier)
        }
        let inferred = ChipAuthenticationOffer(
            protocol: ChipAuthenticationProtocol(isDiffieHellman: publicKey.isDiffieHellman, cipher: .tripleDES),
            isNamed: false, publicKey: publicKey, keyIdentifier: key.keyIdentifier)
        return ofKind.isEmpty ? [inferred] : known
    }

    /// The strongest that the chip can do; nil if no key can be used.
    package static func strongest(in infos: SecurityInfos) -> ChipAuthenticationOffer? {
        all(in: infos).first
    }
}

/// A public key for key agreement.
package enum AgreementKey: Sendable {
    case ellipticCurve(ECPublicKey)
    case diffieHellman(DHPublicKey)

    /// Nil for a key that cannot be used, or that is of another kind than the chip says.
    init?(_ key: SecurityInfos.ChipAuthenticationKey) {
        switch key.key {
        case .ellipticCurve(let point) where !key.isDiffieHellman: self = .ellipticCurve(point)
        case .diffieHellman(let number) where key.isDiffieHellman: self = .diffieHellman(number)
        default: return nil
        }
    }

    var isDiffieHellman: Bool {
        switch self {
        case .ellipticCurve: false
        case .diffieHellman: true
        }
    }

    /// The bytes that the protocol sends: an uncompressed point, or a number at full length.
    package var bytes: [UInt8] {
        switch self {
        case .ellipticCurve(let key): key.point
        case .diffieHellman(let key): key.number
        }
    }
}
