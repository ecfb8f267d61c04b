import Testing

/// The content of macs.json.
struct MACVectors: Decodable, Sendable {
    static let file = VectorFile.read("macs", as: MACVectors.self)

    struct HashMac: NamedVector {
        let name: String
        let key: Octets
        let bankId: String
        let uniqueId: String
        let timestamp: String
        /// Nil if it is not bound.
        let binding: String?
        let message: Octets
        let hashMac: String
    }

    struct NotifyHash: NamedVector {
        let name: String
        let bankId: String?
        let uniqueId: String?
        let token: String?
        let notifyKey: Octets
        let sessionId: String
        let status: Int
        let message: Octets
        let hash: String
    }

    struct KeyCheckValue: NamedVector {
        let name: String
        let key: Octets
        let hmacOfNothing: String
        let keyCheckValue: String
    }

    let hashMacs: [HashMac]
    let notifyHashes: [NotifyHash]
    let keyCheckValues: [KeyCheckValue]
}

/// The content of tokens.json.
struct TokenVectors: Decodable, Sendable {
    static let file = VectorFile.read("tokens", as: TokenVectors.self)

    struct Token: NamedVector {
        let name: String
        let key: String
        let token: String
        let sha256: Octets
        let signatureOctets: Octets
        let signature: String
    }

    let keys: KeyVectors
    let vectors: [Token]
}

/// The content of bindings.json.
struct BindingVectors: Decodable, Sendable {
    static let file = VectorFile.read("bindings", as: BindingVectors.self)

    struct Bound: NamedVector {
        let name: String
        let member: String
        let sent: String
        let binding: String

        var isKey: Bool { member.hasSuffix("PublicKey") }
    }

    let keys: KeyVectors
    let bindings: [Bound]
    let hashMacs: [MACVectors.HashMac]
    let tokens: [TokenVectors.Token]
}

/// The content of thumbprints.json.
struct ThumbprintVectors: Decodable, Sendable {
    static let file = VectorFile.read("thumbprints", as: ThumbprintVectors.self)

    struct Thumbprint: NamedVector {
        let name: String
        let jwk: [String: String]
        let hashedText: String
        let sha256: Octets
        let thumbprint: String
    }

    let vectors: [Thumbprint]
}

/// The content of keypads.json.
struct KeypadVectors: Decodable, Sendable {
    static let file = VectorFile.read("keypads", as: KeypadVectors.self)

    struct Keypad: NamedVector {
        let name: String
        let keypadSize: Int
        let keypad: [String?]
        let pin: String
        let indexes: [Int]
        let plaintexts: [String]
    }

    let vectors: [Keypad]
}

/// The content of negative.json.
struct NegativeVectors: Decodable, Sendable {
    static let file = VectorFile.read("negative", as: NegativeVectors.self)

    struct PublicKey: NamedVector, Judged {
        let name: String
        let publicKey: String
        let verdict: Verdict
        let code: Int
    }

    struct Token: NamedVector, Judged {
        let name: String
        let token: String
        let verdict: Verdict
        let code: Int
    }

    struct Signature: NamedVector, Judged {
        let name: String
        let key: String
        let token: String
        let signature: String
        let verdict: Verdict
        let code: Int
    }

    struct Definition: NamedVector, Judged {
        let name: String
        let operation: String
        let compact: String
        let verdict: Verdict
        let code: Int
    }

    /// A value that opens. What is wrong is what its header says that it is for.
    struct Binding: NamedVector {
        let name: String
        let content: String
        let bankId: String
        let uniqueId: String
        let requestId: String?
        let keypadId: String?
        let recipient: String
        let compact: String
        /// For a bank whose values must be bound, and for one that takes any.
        let bound: Verdict
        let any: Verdict
    }

    struct Delivery: NamedVector, Judged {
        let name: String
        let recipient: String
        let compact: String
        let verdict: Verdict
        let code: Int
    }

    struct GCM: NamedVector {
        let name: String
        let key: Octets
        let iv: Octets
        let additionalData: Octets
        let ciphertext: Octets
        let tag: Octets
        let verdict: Verdict
        let plaintext: Octets?
    }

    struct KeyWrap: NamedVector {
        let name: String
        let wrappingKey: Octets
        let wrappedKey: Octets
        let verdict: Verdict
        let plaintext: Octets?
    }

    let keys: KeyVectors
    let ecdhPublicKeys: [PublicKey]
    let rsaPublicKeys: [PublicKey]
    let tokens: [Token]
    let signatures: [Signature]
    let definitions: [Definition]
    let bindings: [Binding]
    let deliveries: [Delivery]
    let aesGCM: [GCM]
    let aesKeyWrap: [KeyWrap]
}

/// Whether an input must be accepted or refused.
enum Verdict: String, Decodable, Sendable {
    case valid, invalid
}

/// A case with its verdict and its code.
protocol Judged {
    var verdict: Verdict { get }
    var code: Int { get }
}

extension Judged {
    /// Expects that `code` (0 for success) matches the case's code and verdict.
    func expect(_ code: Int, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(code == self.code, sourceLocation: sourceLocation)
        #expect((code == 0) == (verdict == .valid), sourceLocation: sourceLocation)
    }
}
