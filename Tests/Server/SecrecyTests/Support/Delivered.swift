import Crypto
import CryptoExtras
import Foundation
import ServerHarness

/// An opened delivery from a raw connection.
struct Delivered: Sendable {
    let sessionId: String
    let plaintext: [UInt8]
    let members: [String: JSON]

    init(_ answer: RawAnswer, for app: TestApp) throws {
        let answered = try JSON(parsing: answer.body).object ?? [:]
        let sealed = try SealedValue(answered["pin"]?.string ?? "")
        let isRSA = sealed.header["alg"] == "RSA-OAEP-256"
        plaintext = try isRSA ? sealed.open(with: app.rsaKey) : sealed.open(with: app.ecKey)
        sessionId = answered["sessionId"]?.string ?? ""
        members = try JSON(parsing: plaintext).object ?? [:]
    }

    var notifyKey: [UInt8] { members["notifyKey"]?.string.flatMap(Base64URL.decode) ?? [] }

    /// The images in base64, as in the plaintext.
    var imageTexts: [String] { (members["images"]?.array ?? []).compactMap(\.string) }
    var images: [[UInt8]] { imageTexts.compactMap { Data(base64Encoded: $0).map(Array.init) } }

    /// A notify with status 0.
    ///
    /// - Parameter token: nil for a delivery by authentication code.
    func notify(_ bank: TestBank, _ holder: TestCardholder, token: String?) -> [String: JSON] {
        let hash = HMAC<SHA256>.authenticationCode(
            for: Data("\(bank.id)\(holder.uniqueId)\(sessionId)0".utf8), using: SymmetricKey(data: notifyKey))
        var members: [String: JSON] = [
            "sessionId": .string(sessionId), "status": 0, "hash": .string(Hex.encode(hash)),
        ]
        if let token {
            members["token"] = .string(token)
        } else {
            members["bankId"] = .string(bank.id)
            members["uniqueId"] = .string(holder.uniqueId)
        }
        return members
    }
}
