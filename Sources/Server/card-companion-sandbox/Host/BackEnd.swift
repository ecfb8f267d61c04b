import Administration
import AsyncHTTPClient
import CardCompanionServer
import Cryptography
import Foundation
import HTTPSignatures
import HTTPTypes
import JOSE
import NIOCore
import NIOHTTP1
import SecureMemory
import StrictJSON

/// The bank's back-end as the server knows it: it signs its calls (RFC 9421), seals what only the server may read, and opens what is
/// sealed to the bank.
struct BackEnd: Sendable {
    struct Answer: Sendable {
        let status: Int
        /// Null if the body is not JSON.
        let json: JSONValue
        let retryAfterSeconds: Int?
    }

    /// The server is not there, or has too much to do.
    struct NoAnswer: Error {
        let reason: String
    }

    /// Of each request.
    static let timeoutSeconds: Int64 = 5
    private static let answerByteLimit = 65_536
    private static let fileByteLimit = 65_536
    private static let nonceByteCount = 18

    private let scheme: String
    private let authority: String
    private let keyId: String
    private let signingKey: SigningKey
    private let encryptionKey: RSAPrivateKey

    /// - Parameters:
    ///   - url: the server's.
    ///   - directory: the sandbox's folder.
    init(url: String, directory: String) throws {
        guard let parts = url.wholeMatch(of: /(https?):\/\/([^\/]+)\/?/) else {
            throw CommandError.badInput("--url must be http://HOST:PORT or https://HOST:PORT")
        }
        func file(_ name: String) throws -> SecretBytes {
            try InputFile.readSecret("\(directory)/\(name)", byteLimit: Self.fileByteLimit)
        }
        (scheme, authority) = (String(parts.1), String(parts.2))
        let description = try JSONText(file(Sandbox.completionFile))
        guard let keyId = description.text(of: "issuerKeyId") else {
            throw CommandError.refused("\(directory) has no issuerKeyId in \(Sandbox.completionFile)")
        }
        self.keyId = keyId
        signingKey = .ed25519(try Ed25519PrivateKey(pem: try file(Sandbox.issuerKeyFile)))
        encryptionKey = try RSAPrivateKey(pem: try file(Sandbox.encryptionKeyFile))
    }

    /// Posts a JSON text. The same call can be sent again, with the same key and the same text.
    ///
    /// - Parameter path: as it is sent.
    func post(_ json: String, to path: String, idempotencyKey: String) async throws -> Answer {
        var fields: [(String, String)] = [
            ("Content-Type", "application/json"), ("Idempotency-Key", idempotencyKey),
            ("Content-Digest", ContentDigest.fieldValue(for: Array(json.utf8))),
        ]
        let parameters = try SignatureParameters(
            components: [.method, .authority, .path, .field(.contentDigest), .field(.idempotencyKey)],
            created: Int64(Date().timeIntervalSince1970),
            nonce: Base64URL.encode(SecureRandom.bytes(count: Self.nonceByteCount)), keyID: keyId)
        let signed = try signingKey.sign(
            SignedMessage(method: "POST", scheme: scheme, authority: authority, target: path, fields: fields),
            parameters: parameters)
        fields += [("Signature-Input", signed.signatureInput), ("Signature", signed.signature)]
        var request = HTTPClientRequest(url: "\(scheme)://\(authority)\(path)")
        request.method = .POST
        request.headers = HTTPHeaders(fields)
        request.body = .bytes(ByteBuffer(string: json))
        return try await answer(to: request)
    }

    /// Seals a value to the key that the server publishes.
    func seal(_ plaintext: borrowing SecretBytes, _ binding: JWEBinding) async throws -> String {
        let published = try await answer(to: HTTPClientRequest(url: "\(scheme)://\(authority)/.well-known/jwks.json"))
        guard case .array(let keys)? = published.json["keys"], let key = keys.lazy.compactMap(Self.sealingKey).first
        else {
            throw NoAnswer(reason: "the server publishes no key for sealed values (\(published.status))")
        }
        return try JWE.seal(plaintext, to: key.publicKey, keyID: key.id, binding: binding)
    }

    private static func sealingKey(_ json: JSONValue) -> (id: String, publicKey: P256PublicKey)? {
        guard json["use"] == .string("enc"), json["crv"] == .string("P-256"), case .string(let id)? = json["kid"],
            case .string(let x)? = json["x"], case .string(let y)? = json["y"],
            let x = Base64URL.decode(x), let y = Base64URL.decode(y), let key = try? P256PublicKey(x: x, y: y)
        else { return nil }
        return (id, key)
    }

    /// Opens a value that is sealed to the bank.
    ///
    /// - Throws: if it says that it is for something else.
    func open(_ sealed: String, _ binding: JWEBinding) throws -> SecretBytes {
        let jwe = try JWE(compact: sealed, for: .rsaOAEP256)
        guard jwe.header.binding == binding else {
            throw CommandError.refused("the server has answered with a sealed value for something else")
        }
        return try jwe.open(with: encryptionKey)
    }

    private func answer(to request: HTTPClientRequest) async throws(NoAnswer) -> Answer {
        do {
            let response = try await HTTPClient.shared.execute(request, timeout: .seconds(Self.timeoutSeconds))
            let body = Array(try await response.body.collect(upTo: Self.answerByteLimit).readableBytesView)
            return Answer(
                status: Int(response.status.code), json: (try? JSONValue(parsing: body)) ?? .null,
                retryAfterSeconds: response.headers.first(name: "Retry-After").flatMap { Int($0) })
        } catch {
            throw NoAnswer(reason: "the server does not answer: \(error)")
        }
    }
}
