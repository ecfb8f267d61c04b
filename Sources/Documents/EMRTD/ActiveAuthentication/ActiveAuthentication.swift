internal import Cryptography
internal import SecureMemory

/// Active authentication (Doc 9303-11 section 6.1): the chip signs a challenge with the private key of DG15.
package struct ActiveAuthentication: Sendable {
    package static let challengeByteCount = 8
    private static let signatureByteCountLimit = 1024

    private let key: SubjectPublicKey
    private let ecdsaHash: HashAlgorithm?

    /// Reads DG15, and the hash for ECDSA from DG14 if there is one.
    ///
    /// - Throws: `FormatError`, also if the key cannot be used.
    package init(dg15 file: Octets, infos: SecurityInfos?) throws(FormatError) {
        var reader = try FileName.dataGroup(15).content(of: file)
        key = try SubjectPublicKey(reader.read(.sequence))
        try reader.finish()
        if case .diffieHellman = key { throw FormatError("a Diffie-Hellman key cannot sign") }
        ecdsaHash = infos?.activeAuthenticationHash
    }

    /// Whether there is a hash for the key. Without one, no signature can be checked.
    package var canVerify: Bool {
        guard case .ellipticCurve(let key) = key else { return true }
        return !hashes(for: key).isEmpty
    }

    /// Whether the chip signed this challenge.
    package func isValid(_ signature: [UInt8], challenge: [UInt8]) -> Bool {
        guard signature.count <= Self.signatureByteCountLimit else { return false }
        switch key {
        case .rsa(let key):
            return key.recover(signature).map { MessageRecovery.isValid($0, challenge: challenge) } ?? false
        case .ellipticCurve(let key): return isValidECDSA(signature, challenge, key)
        case .diffieHellman: return false
        }
    }

    /// The signature should be plain (TR-03111 section 5.2.1), but some identity cards send DER. Plain ones can begin with `30`
    /// too, so both are tried.
    private func isValidECDSA(_ signature: [UInt8], _ challenge: [UInt8], _ key: ECPublicKey) -> Bool {
        let forms = [ECDSASignature(plain: signature, key), ECDSASignature(der: signature)].compactMap(\.self)
        return hashes(for: key).contains { hash in
            let digest = hash.hash(challenge)
            return forms.contains { $0.isValid(digest: digest, by: key) }
        }
    }

    /// If DG14 names no hash, each that is not longer than the key is tried.
    private func hashes(for key: ECPublicKey) -> [HashAlgorithm] {
        let possible = HashAlgorithm.allCases.filter { $0 != .sha1 && $0.byteCount * 8 <= key.curve.orderBitCount }
        return ecdsaHash.map { [$0] } ?? possible
    }
}

/// Digital signature scheme 1 of ISO/IEC 9796-2 with partial message recovery: the chip's random numbers are in the signature.
package enum MessageRecovery {
    private static let partialRecovery: UInt8 = 0x6A
    private static let hashInTrailer: UInt8 = 0xCC
    private static let sha1Trailer: UInt8 = 0xBC

    /// The hash functions by the first byte of a trailer of two bytes (ISO/IEC 10118).
    private static let hashes: [UInt8: HashAlgorithm] = [
        0x33: .sha1, 0x34: .sha256, 0x35: .sha512, 0x36: .sha384, 0x38: .sha224,
    ]

    /// Whether the result of the public RSA operation is about this challenge: header, first part of the message, hash,
    /// trailer. The hash is about the first part and the challenge.
    ///
    /// - Parameter representative: zeros in front are ignored, because a modulus need not fill its bytes.
    package static func isValid(_ representative: [UInt8], challenge: [UInt8]) -> Bool {
        let recovered = representative.drop { $0 == 0 }
        guard recovered.first == partialRecovery, let (hash, trailerCount) = trailer(of: recovered) else {
            return false
        }
        let body = recovered.dropFirst().dropLast(trailerCount)
        // Without a part that the chip has chosen, anyone could choose the challenge's signature.
        guard body.count > hash.byteCount else { return false }
        let message = Array(body.dropLast(hash.byteCount)) + challenge
        return ConstantTime.areEqual(hash.hash(message), Array(body.suffix(hash.byteCount)))
    }

    private static func trailer(of recovered: ArraySlice<UInt8>) -> (HashAlgorithm, Int)? {
        guard let last = recovered.last else { return nil }
        if last == sha1Trailer { return (.sha1, 1) }
        guard last == hashInTrailer, let hash = recovered.dropLast().last.flatMap({ hashes[$0] }) else { return nil }
        return (hash, 2)
    }
}
