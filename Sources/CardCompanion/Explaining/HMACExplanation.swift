internal import CardCompanionStore
internal import Cryptography
package import SecureMemory

extension Explanation {
    /// What a client sent with an HMAC.
    package struct HMACRequest: Sendable {
        /// bankId.
        package let bankId: String
        /// uniqueId.
        package let uniqueId: String
        /// timestamp.
        package let timestamp: String
        /// hashMac; nil asks only for the bytes that are to be authenticated.
        package let hashMac: String?

        /// See the members.
        package init(bankId: String, uniqueId: String, timestamp: String, hashMac: String?) {
            self.bankId = bankId
            self.uniqueId = uniqueId
            self.timestamp = timestamp
            self.hashMac = hashMac
        }
    }

    /// Explains an HMAC (protocol, section 2.1).
    ///
    /// - Parameter hexKey: the bank's key in hex; without it everything but the HMAC itself is looked at.
    package static func hmac(
        _ request: HMACRequest, hexKey: SharedSecret?, now: Int64, toleranceSeconds: Int
    ) -> Explanation {
        var explanation = Explanation()
        explanation.judgeIdentifier("bankId", request.bankId)
        explanation.judgeIdentifier("uniqueId", request.uniqueId)
        let timestamp = RequestTimestamp(request.timestamp)
        explanation.judge(timestamp, sent: request.timestamp, now: now, toleranceSeconds: toleranceSeconds)
        let message = request.bankId + request.uniqueId + request.timestamp
        explanation.note("authenticated text", message)
        explanation.note("authenticated bytes", Hex.encode(Array(message.utf8)))
        guard let sent = request.hashMac else { return explanation }
        guard let hashMac = Hex.decode(sent), hashMac.count == HMACSHA256.byteCount else {
            explanation.bad("hashMac", "not the hex of \(HMACSHA256.byteCount) bytes (205, 141)")
            return explanation
        }
        guard let hexKey else {
            explanation.note("hashMac", "of the right form; without the key no more can be said")
            return explanation
        }
        explanation.judge(hashMac, of: request, hexKey: hexKey)
        return explanation
    }

    private mutating func judge(_ hashMac: [UInt8], of request: HMACRequest, hexKey: SharedSecret) {
        let key: HMACKeyImport
        do {
            key = try HMACKeyImport(hex: hexKey.bytes)
        } catch {
            return bad("key", "\(error)")
        }
        note("key", "KCV \(key.kcv)")
        let (bank, id, time) = (request.bankId, request.uniqueId, request.timestamp)
        if key.authenticates(hashMac, bank + id + time) {
            return good("hashMac", "matches")
        }
        let mistakes: [(text: String, made: Bool)] = [
            ("it is over the text with a line break at its end", key.authenticates(hashMac, bank + id + time + "\n")),
            (
                "it is over the parts with ';' between them",
                key.authenticates(hashMac, [bank, id, time].joined(separator: ";"))
            ),
            (
                "it is over the parts with ':' between them",
                key.authenticates(hashMac, [bank, id, time].joined(separator: ":"))
            ),
            (
                "it is over the parts with '|' between them",
                key.authenticates(hashMac, [bank, id, time].joined(separator: "|"))
            ),
            ("it is over uniqueId, bankId, timestamp", key.authenticates(hashMac, id + bank + time)),
            ("it is over bankId and uniqueId without the timestamp", key.authenticates(hashMac, bank + id)),
            ("it is over the hex of the text", key.authenticates(hashMac, Hex.encode(Array((bank + id + time).utf8)))),
            (
                "it is made with the key's hex as text; the key is the bytes that the hex stands for",
                HMACSHA256.isValid(hashMac, for: Array((bank + id + time).utf8), key: hexKey.bytes)
            ),
            (
                "it is SHA-256 of the text without a key",
                ConstantTime.areEqual(hashMac, SHA256.hash(Array((bank + id + time).utf8)))
            ),
        ]
        let mistake = mistakes.first(where: \.made)?.text
        bad("hashMac", "does not match (205, 141)" + (mistake.map { ": \($0)" } ?? ": another key, or another text"))
    }
}
