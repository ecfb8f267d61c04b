internal import Crypto
internal import CryptoExtras
internal import Foundation

/// A bank's back-end. It signs its calls (RFC 9421) with swift-crypto and uses no code of the server.
package struct TestIssuer: Sendable {
    /// The signature algorithms (protocol, section 3).
    package enum Algorithm: String, Sendable, CaseIterable {
        /// ECDSA on P-256 with SHA-256.
        case ecdsaP256SHA256 = "ecdsa-p256-sha256"
        /// Ed25519.
        case ed25519
        /// RSASSA-PSS with SHA-512.
        case rsaPSSSHA512 = "rsa-pss-sha512"
        /// RSASSA-PKCS1-v1_5 with SHA-256.
        case rsaV15SHA256 = "rsa-v1_5-sha256"
        /// HMAC with SHA-256.
        case hmacSHA256 = "hmac-sha256"
    }

    package let bankId: String
    /// The id under which its key is registered.
    package let keyId: String
    package let algorithm: Algorithm

    /// The HMAC secret; empty for other algorithms.
    package var secret: [UInt8] { algorithm == .hmacSHA256 ? privateKey : [] }

    /// The private key: PKCS #8 or PKCS #1 in PEM; raw bytes for Ed25519 and HMAC.
    private let privateKey: [UInt8]

    private static let sharedRSAKey = Result { try _RSA.Signing.PrivateKey(keySize: .bits2048).pemRepresentation }

    /// A back-end with a new key. All RSA back-ends share one key, because generating RSA keys is slow.
    package init(
        bankId: String, algorithm: Algorithm = .ed25519, keyId: String = Unique.name("key")
    ) throws {
        self.bankId = bankId
        self.keyId = keyId
        self.algorithm = algorithm
        privateKey =
            switch algorithm {
            case .ecdsaP256SHA256: Array(P256.Signing.PrivateKey().pemRepresentation.utf8)
            case .ed25519: Array(Curve25519.Signing.PrivateKey().rawRepresentation)
            case .rsaPSSSHA512, .rsaV15SHA256: Array(try Self.sharedRSAKey.get().utf8)
            case .hmacSHA256: (0..<32).map { _ in UInt8.random(in: .min ... .max) }
            }
    }

    /// The same key, for calls to another bank's path.
    package func pretending(toBe bankId: String) -> TestIssuer {
        TestIssuer(bankId: bankId, keyId: keyId, algorithm: algorithm, privateKey: privateKey)
    }

    /// The same key under another name.
    package func named(_ keyId: String) -> TestIssuer {
        TestIssuer(bankId: bankId, keyId: keyId, algorithm: algorithm, privateKey: privateKey)
    }

    private init(bankId: String, keyId: String, algorithm: Algorithm, privateKey: [UInt8]) {
        self.bankId = bankId
        self.keyId = keyId
        self.algorithm = algorithm
        self.privateKey = privateKey
    }

    /// The private key as text for other programs: PEM, or hex for HMAC.
    package func privateKeyText() throws -> String {
        switch algorithm {
        case .hmacSHA256: Hex.encode(privateKey)
        case .ed25519: Self.pem(Self.ed25519PKCS8Prefix + privateKey, "PRIVATE KEY")
        default: String(decoding: privateKey, as: UTF8.self)
        }
    }

    /// The public key in PEM, or the secret in hex for HMAC.
    package func publicKeyText() throws -> String {
        let text = String(decoding: privateKey, as: UTF8.self)
        switch algorithm {
        case .ecdsaP256SHA256: return try P256.Signing.PrivateKey(pemRepresentation: text).publicKey.pemRepresentation
        case .rsaPSSSHA512, .rsaV15SHA256:
            return try _RSA.Signing.PrivateKey(pemRepresentation: text).publicKey.pemRepresentation
        case .ed25519:
            let key = try Curve25519.Signing.PrivateKey(rawRepresentation: privateKey).publicKey
            return Self.pem(Self.ed25519SPKIPrefix + Array(key.rawRepresentation), "PUBLIC KEY")
        case .hmacSHA256: return Hex.encode(privateKey)
        }
    }

    /// The signature of a signature base.
    package func signature(of base: String) throws -> [UInt8] {
        let text = String(decoding: privateKey, as: UTF8.self)
        let data = Data(base.utf8)
        switch algorithm {
        case .ecdsaP256SHA256:
            return Array(try P256.Signing.PrivateKey(pemRepresentation: text).signature(for: data).rawRepresentation)
        case .ed25519:
            return Array(try Curve25519.Signing.PrivateKey(rawRepresentation: privateKey).signature(for: data))
        case .rsaPSSSHA512:
            let key = try _RSA.Signing.PrivateKey(pemRepresentation: text)
            return Array(try key.signature(for: SHA512.hash(data: data), padding: .PSS).rawRepresentation)
        case .rsaV15SHA256:
            let key = try _RSA.Signing.PrivateKey(pemRepresentation: text)
            let signature = try key.signature(for: SHA256.hash(data: data), padding: .insecurePKCS1v1_5)
            return Array(signature.rawRepresentation)
        case .hmacSHA256:
            return Array(HMAC<SHA256>.authenticationCode(for: data, using: SymmetricKey(data: privateKey)))
        }
    }

    /// The DER prefixes of an Ed25519 public and private key (RFC 8410).
    private static let ed25519SPKIPrefix: [UInt8] = [
        0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00,
    ]
    private static let ed25519PKCS8Prefix: [UInt8] = [
        0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
    ]

    private static func pem(_ der: [UInt8], _ label: String) -> String {
        "-----BEGIN \(label)-----\n\(Data(der).base64EncodedString())\n-----END \(label)-----\n"
    }
}

/// A call of a back-end. A test can change every part before it is sent.
package struct IssuerCall: Sendable {
    /// The content of `Content-Digest`.
    package enum Digest: Sendable {
        /// The digest of the body; no field if the body is empty.
        case ofBody
        /// A given value.
        case value(String)
        /// No field.
        case none
    }

    package var method: String
    /// `@authority` as it is signed; nil signs the authority of the server's URL.
    package var authority: String?
    /// The percent-encoded path.
    package var path: String
    /// The query with its question mark; empty if there is none.
    package var query: String
    package var body: [UInt8]
    /// Header fields other than those of the signature.
    package var headers: [(name: String, value: String)] = []
    /// The covered components, in order. Conditional header fields are added.
    package var components: [String]
    /// Whether the signature covers conditional header fields.
    package var coversConditions = true
    package var digest = Digest.ofBody
    /// `created` in Unix seconds.
    package var created = TestBank.timestamp()
    /// `nonce`; nil omits it.
    package var nonce: String? = UUID().uuidString
    /// `alg`; nil omits it.
    package var alg: String?
    /// `keyid`; nil uses the issuer's.
    package var keyId: String?
    /// The names of signature parameters to omit.
    package var leftOut: Set<String> = []

    /// A call that covers all components that the protocol requires.
    package init(_ method: String, _ path: String, query: String = "", body: [UInt8] = []) {
        self.method = method
        self.path = path
        self.query = query
        self.body = body
        components = ["@method", "@authority", "@path"]
        if !query.isEmpty { components.append("@query") }
        if !body.isEmpty { components.append("content-digest") }
    }

    /// The `Content-Digest` of a body (RFC 9530).
    package static func contentDigest(_ body: [UInt8]) -> String {
        "sha-256=:\(Data(SHA256.hash(data: body)).base64EncodedString()):"
    }

    /// All header fields except Host, with the signature.
    package func signedFields(
        _ issuer: TestIssuer, for server: TestServer
    ) throws -> [(name: String, value: String)] {
        let digest = contentDigest.map { [("Content-Digest", $0)] } ?? []
        let base = signatureBase(issuer, for: server)
        let signature = Data(try issuer.signature(of: base)).base64EncodedString()
        return headers + digest + [("Signature-Input", "sig=\(input(issuer))"), ("Signature", "sig=:\(signature):")]
    }

    /// The signature base (RFC 9421 section 2.5).
    package func signatureBase(_ issuer: TestIssuer, for server: TestServer) -> String {
        let values = [
            "@method": method, "@authority": authority ?? server.authority, "@path": path,
            "@query": query.isEmpty ? "?" : query,
            "content-digest": contentDigest ?? "",
            "@scheme": server.url.hasPrefix("https") ? "https" : "http", "@target-uri": server.url + path + query,
        ]
        var lines = covered.map { name in
            let field = headers.first { $0.name.lowercased() == name }
            return "\"\(name)\": \(values[name] ?? field?.value ?? "")"
        }
        lines.append("\"@signature-params\": \(input(issuer))")
        return lines.joined(separator: "\n")
    }

    private var covered: [String] {
        let conditional = ["if-match", "if-none-match", "idempotency-key"]
        let present = headers.map { $0.name.lowercased() }.filter(conditional.contains)
        return components + (coversConditions ? present.filter { !components.contains($0) } : [])
    }

    private var contentDigest: String? {
        switch digest {
        case .ofBody: body.isEmpty ? nil : Self.contentDigest(body)
        case .value(let value): value
        case .none: nil
        }
    }

    private func input(_ issuer: TestIssuer) -> String {
        let parameters = [
            ("created", "\(created)"), ("nonce", nonce.map { "\"\($0)\"" }), ("alg", alg.map { "\"\($0)\"" }),
            ("keyid", "\"\(keyId ?? issuer.keyId)\""),
        ]
        let list = "(" + covered.map { "\"\($0)\"" }.joined(separator: " ") + ")"
        return parameters.filter { !leftOut.contains($0.0) }.reduce(list) { text, parameter in
            parameter.1.map { "\(text);\(parameter.0)=\($0)" } ?? text
        }
    }
}

extension TestServer {
    /// Signs and sends a call.
    ///
    /// - Parameters:
    ///   - host: `Host`; nil sends the authority of the server's URL.
    ///   - address: the address of this machine that the call goes to, and so comes from.
    package func call(
        _ call: IssuerCall, by issuer: TestIssuer, host: String? = nil, to address: String = HTTPClient.loopback
    ) async throws -> HTTPAnswer {
        try await request(
            call.method, call.path + call.query, headers: try call.signedFields(issuer, for: self), body: call.body,
            host: host, to: address)
    }

    /// Sends a call about a cardholder, with an optional JSON body.
    package func call(
        _ method: String, cardholder uniqueId: String, _ body: [String: JSON]? = nil,
        headers: [(name: String, value: String)] = [], by issuer: TestIssuer
    ) async throws -> HTTPAnswer {
        let bytes = body.map { Array(JSON.object($0).text.utf8) } ?? []
        var call = IssuerCall(
            method, "/v1/banks/\(Percent.encode(issuer.bankId))/cardholders/\(Percent.encode(uniqueId))", body: bytes)
        let type = method == "PATCH" ? "application/merge-patch+json" : "application/json"
        call.headers = (body == nil ? [] : [("Content-Type", type)]) + headers
        return try await self.call(call, by: issuer)
    }

    /// Fetches a bank's events.
    package func events(
        after cursor: String? = nil, limit: Int? = nil, waitSeconds: Int? = nil, by issuer: TestIssuer
    ) async throws -> HTTPAnswer {
        let query = [
            cursor.map { "after=\(Percent.encode($0))" }, limit.map { "limit=\($0)" },
            waitSeconds.map { "wait=\($0)" },
        ].compactMap(\.self).joined(separator: "&")
        let path = "/v1/banks/\(Percent.encode(issuer.bankId))/events"
        return try await call(IssuerCall("GET", path, query: query.isEmpty ? "" : "?\(query)"), by: issuer)
    }
}

/// Percent-encoding of a path's segment or a query's value (RFC 3986 section 2.1).
package enum Percent {
    /// Encodes everything except unreserved characters.
    package static func encode(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                String(UnicodeScalar(byte))
            default: "%" + Hex.encode([byte]).uppercased()
            }
        }.joined()
    }
}

extension TestInstallation {
    /// Makes a back-end with a new key and registers the key.
    package func makeIssuer(
        for bank: TestBank, algorithm: TestIssuer.Algorithm = .ed25519
    ) async throws -> TestIssuer {
        let issuer = try TestIssuer(bankId: bank.id, algorithm: algorithm)
        let publicKey = Array(try issuer.publicKeyText().utf8)
        let isMade =
            if algorithm == .hmacSHA256 { false } else {
                try await makes(for: bank.id) {
                    try await $0.addIssuerKey(issuer.keyId, algorithm.rawValue, publicKey: publicKey, to: $1)
                }
            }
        if isMade { return issuer }
        try await register(issuer).succeeded()
        return issuer
    }

    /// Registers a back-end's key.
    package func register(_ issuer: TestIssuer) async throws -> CommandResult {
        let file = try TestFolder.shared.write(try issuer.publicKeyText(), named: "issuer-key")
        return try await run([
            "issuer-key", "add", "--bank", issuer.bankId, "--key-id", issuer.keyId, "--algorithm",
            issuer.algorithm.rawValue, issuer.algorithm == .hmacSHA256 ? "--hex-file" : "--public-key", file,
        ])
    }
}
