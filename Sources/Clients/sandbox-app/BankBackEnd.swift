import CardCompanionAPI
import CardCompanionSDK
import Crypto
import CryptoExtras
import Foundation

/// The sandbox bank's back-end, after it has authenticated the cardholder.
struct BankBackEnd {
    let bankId: String
    private let codes: [String: String]
    private let hmacKey: String
    private let signingKey: _RSA.Signing.PrivateKey

    /// Reads the files that `card-companion-sandbox create` wrote.
    init(sandbox: URL) throws {
        func read(_ name: String) throws -> Data { try Data(contentsOf: sandbox.appendingPathComponent(name)) }
        let description = try JSONDecoder().decode(Description.self, from: try read("sandbox.json"))
        bankId = description.bankId
        codes = description.authenticationCodes
        hmacKey = String(decoding: try read("hmac.hex"), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        signingKey = try _RSA.Signing.PrivateKey(
            pemRepresentation: String(decoding: try read("signing-key.pem"), as: UTF8.self))
    }

    private struct Description: Decodable {
        let bankId: String
        let authenticationCodes: [String: String]
    }

    /// The cardholder's authentication code.
    ///
    /// - Throws: A ``Failure`` if the sandbox has no such cardholder.
    func authenticationCode(of cardholder: String) throws -> String {
        guard let code = codes[cardholder] else {
            throw Failure(step: "authentication", code: 301, message: "sandbox.json has no cardholder \(cardholder)")
        }
        return code
    }

    /// The names of a proof to come. The app seals its PIN for them. A real back-end remembers them.
    func transaction() -> Transaction {
        Transaction(timestamp: CardCompanionUtil.getTimestamp().stringValue, id: UUID().uuidString)
    }

    /// The HMAC over bankId + uniqueId + timestamp, bound to the app's key or sealed PIN (protocol, section 2.2.1).
    func hashMac(for cardholder: String, _ transaction: Transaction, binding: String) -> String {
        CryptoUtil.computeHMAC(
            key: hmacKey, data: bankId + cardholder + transaction.timestamp + ".\(binding).")
    }

    /// A token, bound to the app's key or sealed PIN, and its signature (protocol, section 2.2).
    func token(
        for cardholder: String, _ transaction: Transaction, type: TokenType, binding: String
    ) throws -> (token: String, signature: String) {
        let token = Token(
            bankId: bankId, uniqueId: cardholder, providerId: "sandbox", transactionId: transaction.id,
            timestamp: Int(transaction.timestamp) ?? 0, type: type,
            authenticationCode: try authenticationCode(of: cardholder), binding: binding
        ).json()
        let signature = try signingKey.signature(for: Data(token.utf8), padding: .insecurePKCS1v1_5)
        return (token, signature.rawRepresentation.base64EncodedString())
    }
}

/// When a proof was made, and its id.
struct Transaction {
    /// Unix seconds.
    let timestamp: String
    /// The token's IdTransaction.
    let id: String
}
