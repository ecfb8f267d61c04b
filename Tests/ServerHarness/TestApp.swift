public import Crypto
public import CryptoExtras
internal import Foundation

/// The paths of the protocol, section 2.
public enum Path {
    /// PIN distribution by authentication code: fetch.
    public static let captcha = "/v1/pin-distribution/captcha"
    /// PIN distribution by authentication code: notify.
    public static let notify = "/v1/pin-distribution/notify"
    /// PIN distribution by token: fetch.
    public static let tokenCaptcha = "/v1/pin-distribution/token/captcha"
    /// PIN distribution by token: notify.
    public static let tokenNotify = "/v1/pin-distribution/token/notify"
}

/// A bank's app, which makes requests whose every member a test can change, and opens what is delivered.
public struct TestApp: Sendable {
    /// The key of token fetches.
    public let ecKey = P256.KeyAgreement.PrivateKey()

    /// The key of AC fetches as DER, for the key itself is not `Sendable`.
    private let rsaKeyDER: [UInt8]

    private static let sharedRSAKeyDER = Result { try makeRSAKeyDER() }

    /// An app with a P-256 key of its own, and an RSA key that it shares, since making one takes long.
    public init() throws {
        rsaKeyDER = try Self.sharedRSAKeyDER.get()
    }

    /// An app with both keys of its own.
    public static func withOwnKeys() throws -> TestApp {
        TestApp(rsaKeyDER: try makeRSAKeyDER())
    }

    private init(rsaKeyDER: [UInt8]) {
        self.rsaKeyDER = rsaKeyDER
    }

    private static func makeRSAKeyDER() throws -> [UInt8] {
        Array(try _RSA.Encryption.PrivateKey(keySize: .bits2048).derRepresentation)
    }

    /// The key of AC fetches.
    public var rsaKey: _RSA.Encryption.PrivateKey {
        get throws { try _RSA.Encryption.PrivateKey(derRepresentation: rsaKeyDER) }
    }

    /// A fetch by authentication code.
    public func captcha(
        _ bank: TestBank, _ cardholder: TestCardholder, timestamp: Int = TestBank.timestamp()
    ) throws -> [String: JSON] {
        [
            "bankId": .string(bank.id), "uniqueId": .string(cardholder.uniqueId),
            "authCode": cardholder.code.map { .string($0) } ?? .null, "timestamp": .string("\(timestamp)"),
            "hashMac": .string(bank.hashMac(uniqueId: cardholder.uniqueId, timestamp: "\(timestamp)")),
            "rsaPublicKey": .string(try rsaKey.publicKey.derRepresentation.base64EncodedString()),
        ]
    }

    /// A fetch by token, signed by the bank's signer or another.
    public func tokenCaptcha(
        _ bank: TestBank, _ token: TestToken, signer: TestAuthority.Signer? = nil
    ) throws -> [String: JSON] {
        [
            "token": .string(token.text), "signature": .string(try (signer ?? bank.signer).signature(of: token.text)),
            "ecdhPublicKey": .string(ecKey.publicKey.derRepresentation.base64EncodedString()),
        ]
    }

    /// Opens a delivery of either channel.
    public func open(_ answer: HTTPAnswer) throws -> TestDelivery {
        let sealed = try SealedValue(answer.members["pin"]?.string ?? "")
        let isRSA = sealed.header["alg"] == "RSA-OAEP-256"
        let plaintext = try isRSA ? sealed.open(with: rsaKey) : sealed.open(with: ecKey)
        return try TestDelivery(
            sessionId: answer.members["sessionId"]?.string ?? "", header: sealed.header, plaintext: plaintext)
    }
}

/// A PIN as it was delivered.
public struct TestDelivery: Sendable {
    /// The session to notify.
    public let sessionId: String
    /// The JWE's header.
    public let header: [String: JSON]
    /// The plaintext.
    public let plaintext: [UInt8]
    /// Its members.
    public let members: [String: JSON]

    init(sessionId: String, header: [String: JSON], plaintext: [UInt8]) throws {
        self.sessionId = sessionId
        self.header = header
        self.plaintext = plaintext
        members = try JSON(parsing: plaintext).object ?? [:]
    }

    /// The key of the notify's hash.
    public var notifyKey: [UInt8] { members["notifyKey"]?.string.flatMap(Base64URL.decode) ?? [] }

    /// The images, decoded.
    public var images: [[UInt8]] {
        (members["images"]?.array ?? []).compactMap(\.string).compactMap { Data(base64Encoded: $0).map(Array.init) }
    }

    /// The hash of a notify, in hex.
    public func hash(bankId: String, uniqueId: String, status: Int) -> String {
        let text = bankId + uniqueId + sessionId + "\(status)"
        return Hex.encode(HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: SymmetricKey(data: notifyKey)))
    }

    /// The notify of a delivery by authentication code.
    public func notify(_ bank: TestBank, _ cardholder: TestCardholder, status: Int = 0) -> [String: JSON] {
        [
            "bankId": .string(bank.id), "uniqueId": .string(cardholder.uniqueId), "sessionId": .string(sessionId),
            "status": .integer(status),
            "hash": .string(hash(bankId: bank.id, uniqueId: cardholder.uniqueId, status: status)),
        ]
    }

    /// The notify of a delivery by token.
    public func tokenNotify(
        _ bank: TestBank, _ cardholder: TestCardholder, token: TestToken, status: Int = 0
    ) -> [String: JSON] {
        [
            "token": .string(token.text), "sessionId": .string(sessionId), "status": .integer(status),
            "hash": .string(hash(bankId: bank.id, uniqueId: cardholder.uniqueId, status: status)),
        ]
    }
}
