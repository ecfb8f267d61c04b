internal import CardCompanionModel
internal import Cryptography
package import SecureMemory

extension Explanation {
    /// What a client sent with an HMAC.
    package struct HMACRequest: Sendable {
        package let bankId: String
        package let uniqueId: String
        package let timestamp: String
        /// If it is nil, the explanation only shows the bytes that must be authenticated.
        package let hashMac: String?

        package init(bankId: String, uniqueId: String, timestamp: String, hashMac: String?) {
            self.bankId = bankId
            self.uniqueId = uniqueId
            self.timestamp = timestamp
            self.hashMac = hashMac
        }
    }

    /// Explains an HMAC (protocol, section 2.1).
    ///
    /// - Parameter hexKey: the bank's key in hex. If it is nil, the HMAC itself is not checked.
    package static func hmac(
        _ request: HMACRequest, hexKey: SharedSecret?, now: Int64, toleranceSeconds: Int
    ) -> Explanation {
        var explanation = Explanation()
        explanation.checkIdentifier("bankId", request.bankId)
        explanation.checkIdentifier("uniqueId", request.uniqueId)
        let timestamp = RequestTimestamp(request.timestamp)
        explanation.check(timestamp, sent: request.timestamp, now: now, toleranceSeconds: toleranceSeconds)
        let message = request.bankId + request.uniqueId + request.timestamp
        explanation.note("authenticated text", message)
        explanation.note("authenticated bytes", Hex.encode(Array(message.utf8)))
        guard let sent = request.hashMac else { return explanation }
        guard let hashMac = Hex.decode(sent), hashMac.count == HMACSHA256.byteCount else {
            explanation.bad("hashMac", "must be the hex of \(HMACSHA256.byteCount) bytes (205, 141)")
            return explanation
        }
        guard let hexKey else {
            explanation.note("hashMac", "has the right form; to check it, provide the key (--hex-file)")
            return explanation
        }
        explanation.check(hashMac, of: request, hexKey: hexKey)
        return explanation
    }

    private mutating func check(_ hashMac: [UInt8], of request: HMACRequest, hexKey: SharedSecret) {
        let key: HMACKeyImport
        do {
            key = try HMACKeyImport(hex: hexKey.bytes)
        } catch {
            return bad("key", "\(error)")
        }
        note("key", "KCV \(key.kcv)")
        let (bank, id, time) = (request.bankId, request.uniqueId, request.timestamp)
        if key.authenticates(hashMac, bank + id + time) {
            return good(
                "hashMac",
                "matches this key; a server still refuses it if it was already used, or if the key's usage is another")
        }
        let mistakes: [(text: String, made: Bool)] = [
            ("the text ended with a line break", key.authenticates(hashMac, bank + id + time + "\n")),
            ("the parts were joined with ';'", key.authenticates(hashMac, [bank, id, time].joined(separator: ";"))),
            ("the parts were joined with ':'", key.authenticates(hashMac, [bank, id, time].joined(separator: ":"))),
            ("the parts were joined with '|'", key.authenticates(hashMac, [bank, id, time].joined(separator: "|"))),
            ("uniqueId came before bankId", key.authenticates(hashMac, id + bank + time)),
            ("the timestamp was missing", key.authenticates(hashMac, bank + id)),
            ("the text was in hex", key.authenticates(hashMac, Hex.encode(Array((bank + id + time).utf8)))),
            (
                "the key was its hex text: decode the hex first",
                HMACSHA256.isValid(hashMac, for: Array((bank + id + time).utf8), key: hexKey.bytes)
            ),
            (
                "it is plain SHA-256: use HMAC with the key",
                ConstantTime.areEqual(hashMac, SHA256.hash(Array((bank + id + time).utf8)))
            ),
        ]
        let mistake = mistakes.first(where: \.made)?.text
        bad("hashMac", "does not match (205, 141)" + (mistake.map { ": \($0)" } ?? ": wrong key or wrong text"))
    }
}
