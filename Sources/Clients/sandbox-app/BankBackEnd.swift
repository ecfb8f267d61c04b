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

    /// The HMAC over bankId + uniqueId + timestamp (protocol, section 2.1).
    func hmac(for cardholder: String) -> (timestamp: String, hashMac: String) {
        let timestamp = String(CardCompanionUtil.getTimestamp())
        return (timestamp, CryptoUtil.computeHMAC(key: hmacKey, data: bankId + cardholder + timestamp))
    }

    /// A token and its signature (protocol, section 2.2).
    func token(for cardholder: String) throws -> (token: String, signature: String) {
        let token = Token(
            bankId: bankId, uniqueId: cardholder, providerId: "sandbox", transactionId: UUID().uuidString,
            timestamp: Int(Date().timeIntervalSince1970), type: .delivery,
            authenticationCode: try authenticationCode(of: cardholder)
        ).json()
        let signature = try signingKey.signature(for: Data(token.utf8), padding: .insecurePKCS1v1_5)
        return (token, signature.rawRepresentation.base64EncodedString())
    }
}
