package import Crypto
package import CryptoExtras
internal import Foundation

/// The paths of PIN distribution (protocol, section 2).
package enum Path {
    /// Fetch by authentication code.
    package static let captcha = "/v1/pin-distribution/captcha"
    /// Notify by authentication code.
    package static let notify = "/v1/pin-distribution/notify"
    /// Fetch by token.
    package static let tokenCaptcha = "/v1/pin-distribution/token/captcha"
    /// Notify by token.
    package static let tokenNotify = "/v1/pin-distribution/token/notify"
}

/// A bank's app. It makes requests, of which a test can change every member, and opens deliveries.
package struct TestApp: Sendable {
    /// The key that token fetches send.
    package let ecKey = P256.KeyAgreement.PrivateKey()

    /// The key that AC fetches send, as DER, because the key type is not `Sendable`.
    private let rsaKeyDER: [UInt8]

    private static let sharedRSAKeyDER = Result { try makeRSAKeyDER() }

    /// An app with its own P-256 key and a shared RSA key, because generating RSA keys is slow.
    package init() throws {
        rsaKeyDER = try Self.sharedRSAKeyDER.get()
    }

    /// An app that shares neither key.
    package static func withOwnKeys() throws -> TestApp {
        TestApp(rsaKeyDER: try makeRSAKeyDER())
    }

    private init(rsaKeyDER: [UInt8]) {
        self.rsaKeyDER = rsaKeyDER
    }

    private static func makeRSAKeyDER() throws -> [UInt8] {
        Array(try _RSA.Encryption.PrivateKey(keySize: .bits2048).derRepresentation)
    }

    /// The key that AC fetches send.
    package var rsaKey: _RSA.Encryption.PrivateKey {
        get throws { try _RSA.Encryption.PrivateKey(derRepresentation: rsaKeyDER) }
    }

    /// The body of a fetch by authentication code.
    package func captcha(
        _ bank: TestBank, _ cardholder: TestCardholder, timestamp: Int = TestBank.timestamp()
    ) throws -> [String: JSON] {
        [
            "bankId": .string(bank.id), "uniqueId": .string(cardholder.uniqueId),
            "authCode": cardholder.code.map { .string($0) } ?? .null, "timestamp": .string("\(timestamp)"),
            "hashMac": .string(bank.hashMac(uniqueId: cardholder.uniqueId, timestamp: "\(timestamp)")),
            "rsaPublicKey": .string(try rsaKey.publicKey.derRepresentation.base64EncodedString()),
        ]
    }

    /// The body of a fetch by token.
    ///
    /// - Parameter signer: nil uses the bank's signer.
    package func tokenCaptcha(
        _ bank: TestBank, _ token: TestToken, signer: TestAuthority.Signer? = nil
    ) throws -> [String: JSON] {
        [
            "token": .string(token.text), "signature": .string(try (signer ?? bank.signer).signature(of: token.text)),
            "ecdhPublicKey": .string(ecKey.publicKey.derRepresentation.base64EncodedString()),
        ]
    }

    /// Opens a delivery, of either channel.
    package func open(_ answer: HTTPAnswer) throws -> TestDelivery {
        let sealed = try SealedValue(answer.members["pin"]?.string ?? "")
        let isRSA = sealed.header["alg"] == "RSA-OAEP-256"
        let plaintext = try isRSA ? sealed.open(with: rsaKey) : sealed.open(with: ecKey)
        return try TestDelivery(
            sessionId: answer.members["sessionId"]?.string ?? "", header: sealed.header, plaintext: plaintext)
    }
}

/// An opened delivery.
package struct TestDelivery: Sendable {
    /// The session that a notify names.
    package let sessionId: String
    /// The JWE's protected header.
    package let header: [String: JSON]
    package let plaintext: [UInt8]
    /// The plaintext's members.
    package let members: [String: JSON]

    init(sessionId: String, header: [String: JSON], plaintext: [UInt8]) throws {
        self.sessionId = sessionId
        self.header = header
        self.plaintext = plaintext
        members = try JSON(parsing: plaintext).object ?? [:]
    }

    /// The HMAC key of the notify's hash.
    package var notifyKey: [UInt8] { members["notifyKey"]?.string.flatMap(Base64URL.decode) ?? [] }

    /// The PNG images, base64-decoded.
    package var images: [[UInt8]] {
        (members["images"]?.array ?? []).compactMap(\.string).compactMap { Data(base64Encoded: $0).map(Array.init) }
    }

    /// The hash of a notify, in lower-case hex.
    package func hash(bankId: String, uniqueId: String, status: Int) -> String {
        let text = bankId + uniqueId + sessionId + "\(status)"
        return Hex.encode(HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: SymmetricKey(data: notifyKey)))
    }

    /// The body of a notify by authentication code.
    package func notify(_ bank: TestBank, _ cardholder: TestCardholder, status: Int = 0) -> [String: JSON] {
        [
            "bankId": .string(bank.id), "uniqueId": .string(cardholder.uniqueId), "sessionId": .string(sessionId),
            "status": .integer(status),
            "hash": .string(hash(bankId: bank.id, uniqueId: cardholder.uniqueId, status: status)),
        ]
    }

    /// The body of a notify by token.
    package func tokenNotify(
        _ bank: TestBank, _ cardholder: TestCardholder, token: TestToken, status: Int = 0
    ) -> [String: JSON] {
        [
            "token": .string(token.text), "sessionId": .string(sessionId), "status": .integer(status),
            "hash": .string(hash(bankId: bank.id, uniqueId: cardholder.uniqueId, status: status)),
        ]
    }
}
