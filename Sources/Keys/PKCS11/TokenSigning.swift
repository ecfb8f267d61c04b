internal import CPKCS11
internal import SecureMemory

// Key pairs on a token that sign.

/// What a key pair on a token signs with.
package enum TokenSignatureAlgorithm: Sendable {
    /// ECDSA on P-256 (CKM_ECDSA). The token gets the SHA-256 of the message.
    case ecdsaP256
    /// Ed25519 (CKM_EDDSA). The token gets the message.
    case ed25519
}

/// A key pair on a token: its name there, and its public half.
package struct TokenSigningKey: Sendable, Equatable {
    /// Its CKA_ID.
    package let id: [UInt8]
    /// A point of P-256 without compression (65 bytes), or a public key of Ed25519 (32 bytes).
    package let publicKey: [UInt8]
}

extension Token {
    /// The key pairs of a label, in the order of their ids.
    ///
    /// - Throws: `PKCS11Error`.
    package func signingKeys(
        _ algorithm: TokenSignatureAlgorithm, label: String
    ) async throws(PKCS11Error) -> [TokenSigningKey] {
        try await run { (connection) throws(PKCS11Error) in try connection.signingKeys(algorithm, label: label) }
    }

    /// Makes a key pair whose private half stays on the token, only signs and cannot be copied, and whose public half only verifies.
    /// Reads their attributes back.
    ///
    /// - Parameter id: its CKA_ID.
    /// - Throws: `wrongAttribute` if the token gave it other attributes; then it is destroyed again.
    package func makeSigningKey(
        _ algorithm: TokenSignatureAlgorithm, id: [UInt8], label: String
    ) async throws(PKCS11Error) -> TokenSigningKey {
        try await run { (connection) throws(PKCS11Error) in
            try connection.makeSigningKey(algorithm, id: id, label: label)
        }
    }

    /// Signs with a key pair of the token.
    ///
    /// - Parameter message: for ECDSA its SHA-256.
    /// - Returns: 64 bytes: r and s, or what Ed25519 makes.
    /// - Throws: `noKey`, `severalKeys`, `wrongAttribute`.
    package func sign(
        _ message: [UInt8], _ algorithm: TokenSignatureAlgorithm, keyId: [UInt8]
    ) async throws(PKCS11Error) -> [UInt8] {
        try await run { (connection) throws(PKCS11Error) in
            try connection.sign(message, algorithm, keyId: keyId)
        }
    }
}

extension TokenSignatureAlgorithm {
    fileprivate var keyType: UInt {
        switch self {
        case .ecdsaP256: UInt(CKK_EC)
        case .ed25519: UInt(CKK_EC_EDWARDS)
        }
    }

    fileprivate var keyPairGeneration: UInt {
        switch self {
        case .ecdsaP256: UInt(CKM_EC_KEY_PAIR_GEN)
        case .ed25519: UInt(CKM_EC_EDWARDS_KEY_PAIR_GEN)
        }
    }

    fileprivate var signature: UInt {
        switch self {
        case .ecdsaP256: UInt(CKM_ECDSA)
        case .ed25519: UInt(CKM_EDDSA)
        }
    }

    /// CKA_EC_PARAMS: an object identifier, or the curve's name (PKCS#11 3.0, section 2.3.5).
    fileprivate var parameters: [UInt8] {
        switch self {
        case .ecdsaP256: [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
        case .ed25519: [0x13, 0x0C] + Array("edwards25519".utf8)
        }
    }

    fileprivate var publicKeyByteCount: Int {
        switch self {
        case .ecdsaP256: 65
        case .ed25519: 32
        }
    }

    /// The public key in CKA_EC_POINT: in a DER OCTET STRING, or bare, as some tokens have it.
    fileprivate func publicKey(_ point: [UInt8]) -> [UInt8]? {
        let count = publicKeyByteCount
        if point.count == count { return point }
        return point.count == count + 2 && point.starts(with: [0x04, UInt8(count)]) ? Array(point.dropFirst(2)) : nil
    }
}

extension TokenConnection {
    /// No one needs more key pairs with one label.
    private static let keyPairLimit = 16
    private static let pointByteLimit = 256
    private static let signatureByteCount = 64

    private static let privateRights: [Right] = [
        (CKA_SENSITIVE, "CKA_SENSITIVE", true),
        (CKA_EXTRACTABLE, "CKA_EXTRACTABLE", false),
        (CKA_MODIFIABLE, "CKA_MODIFIABLE", false),
        (CKA_SIGN, "CKA_SIGN", true),
        (CKA_DECRYPT, "CKA_DECRYPT", false),
        (CKA_UNWRAP, "CKA_UNWRAP", false),
        (CKA_DERIVE, "CKA_DERIVE", false),
    ]

    private static let publicRights: [Right] = [
        (CKA_MODIFIABLE, "CKA_MODIFIABLE", false),
        (CKA_VERIFY, "CKA_VERIFY", true),
        (CKA_VERIFY_RECOVER, "CKA_VERIFY_RECOVER", false),
        (CKA_ENCRYPT, "CKA_ENCRYPT", false),
        (CKA_WRAP, "CKA_WRAP", false),
    ]

    func signingKeys(
        _ algorithm: TokenSignatureAlgorithm, label: String
    ) throws(PKCS11Error) -> [TokenSigningKey] {
        try connected { (open) throws(PKCS11Error) in
            let search: [Attribute] = [
                .number(CKA_CLASS, UInt(CKO_PUBLIC_KEY)), .number(CKA_KEY_TYPE, algorithm.keyType),
                .flag(CKA_TOKEN, true), .bytes(CKA_LABEL, Array(label.utf8)),
            ]
            var keys: [TokenSigningKey] = []
            for object in try open.module.objects(open.session, search, limit: Self.keyPairLimit) {
                if let key = try Self.signingKey(algorithm, object, open) { keys.append(key) }
            }
            return keys.sorted { $0.id.lexicographicallyPrecedes($1.id) }
        }
    }

    func makeSigningKey(
        _ algorithm: TokenSignatureAlgorithm, id: [UInt8], label: String
    ) throws(PKCS11Error) -> TokenSigningKey {
        try connected { (open) throws(PKCS11Error) in
            let named: [Attribute] = [
                .flag(CKA_TOKEN, true), .bytes(CKA_LABEL, Array(label.utf8)), .bytes(CKA_ID, id),
            ]
            let publicHalf =
                named + [.bytes(CKA_EC_PARAMS, algorithm.parameters), .flag(CKA_PRIVATE, false)]
                + Self.publicRights.map { .flag($0.type, $0.isSet) }
            let privateHalf =
                named + [.flag(CKA_PRIVATE, true)] + Self.privateRights.map { .flag($0.type, $0.isSet) }
            let pair = try Self.withoutCopies { (more) throws(PKCS11Error) in
                try open.module.generateKeyPair(
                    open.session, mechanism: algorithm.keyPairGeneration, publicHalf: publicHalf,
                    privateHalf: privateHalf + more)
            }
            do throws(PKCS11Error) {
                try Self.checkAttributes(of: pair.privateKey, Self.privateRights + Self.origin, open)
                try Self.checkAttributes(of: pair.privateKey, [Self.notCopyable], open, isComplete: false)
                try Self.checkAttributes(of: pair.publicKey, Self.publicRights, open, isComplete: false)
                guard let key = try Self.signingKey(algorithm, pair.publicKey, open) else {
                    throw .wrongAttribute(name: "CKA_EC_POINT is unknown")
                }
                return key
            } catch {
                try open.module.destroy(open.session, pair.privateKey)
                try open.module.destroy(open.session, pair.publicKey)
                throw error
            }
        }
    }

    func sign(
        _ message: [UInt8], _ algorithm: TokenSignatureAlgorithm, keyId: [UInt8]
    ) throws(PKCS11Error) -> [UInt8] {
        try connected { (open) throws(PKCS11Error) in
            let search: [Attribute] = [
                .number(CKA_CLASS, UInt(CKO_PRIVATE_KEY)), .number(CKA_KEY_TYPE, algorithm.keyType),
                .flag(CKA_TOKEN, true), .bytes(CKA_ID, keyId),
            ]
            let found = try open.module.objects(open.session, search, limit: 2)
            guard found.count < 2 else { throw .severalKeys(id: HexDigits.text(of: keyId)) }
            guard let key = found.first else { throw .noKey(id: HexDigits.text(of: keyId)) }
            try Self.checkAttributes(of: key, Self.privateRights + Self.origin, open)
            return try open.module.sign(
                message, with: key, mechanism: algorithm.signature, open.session, byteLimit: Self.signatureByteCount)
        }
    }

    /// Nil if the object is not a key on the algorithm's curve.
    private static func signingKey(
        _ algorithm: TokenSignatureAlgorithm, _ object: Cryptoki.Object, _ open: Open
    ) throws(PKCS11Error) -> TokenSigningKey? {
        let point = try open.module.value(CKA_EC_POINT, of: object, open.session, byteLimit: pointByteLimit)
        let id = try open.module.value(CKA_ID, of: object, open.session, byteLimit: pointByteLimit)
        return algorithm.publicKey(point).map { TokenSigningKey(id: id, publicKey: $0) }
    }
}
