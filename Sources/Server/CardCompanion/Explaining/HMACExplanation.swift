internal import CardCompanionModel
internal import Cryptography
package import SecureMemory

extension Explanation {
    /// What a client sent with an HMAC.
    package struct HMACRequest: Sendable {
        package let bankId: String
        package let uniqueId: String
        package let timestamp: String
        /// The digest of the app's key or sealed PIN, if the hashMac is bound to it.
        package let binding: String?
        /// If it is nil, the explanation only shows the bytes that must be authenticated.
        package let hashMac: String?

        package init(bankId: String, uniqueId: String, timestamp: String, binding: String?, hashMac: String?) {
            self.bankId = bankId
            self.uniqueId = uniqueId
            self.timestamp = timestamp
            self.binding = binding
            self.hashMac = hashMac
        }

        /// What the hashMac is over (protocol, sections 2.1 and 2.2.1).
        var text: String { bankId + uniqueId + timestamp + (binding.map { ".\($0)." } ?? "") }
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
        if let binding = request.binding, !ProofBinding.hasForm(binding) {
            explanation.bad("binding", "\(ProofBinding.form) (205, 141)")
        }
        explanation.note("authenticated text", request.text)
        explanation.note("authenticated bytes", Hex.encode(Array(request.text.utf8)))
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
        let (bank, id, time, text) = (request.bankId, request.uniqueId, request.timestamp, request.text)
        if key.authenticates(hashMac, text) {
            return good(
                "hashMac",
                "matches this key; a server still refuses it if it was already used, or if the key's usage is another")
        }
        let mistakes: [(text: String, made: Bool)] = [
            ("the text ended with a line break", key.authenticates(hashMac, text + "\n")),
            ("it is not bound to the app's key or sealed PIN", key.authenticates(hashMac, bank + id + time)),
            (
                "the dots around the binding were missing",
                key.authenticates(hashMac, bank + id + time + (request.binding ?? ""))
            ),
            ("the parts were joined with ';'", key.authenticates(hashMac, [bank, id, time].joined(separator: ";"))),
            ("the parts were joined with ':'", key.authenticates(hashMac, [bank, id, time].joined(separator: ":"))),
            ("the parts were joined with '|'", key.authenticates(hashMac, [bank, id, time].joined(separator: "|"))),
            ("uniqueId came before bankId", key.authenticates(hashMac, id + bank + time)),
            ("the timestamp was missing", key.authenticates(hashMac, bank + id)),
            ("the text was in hex", key.authenticates(hashMac, Hex.encode(Array(text.utf8)))),
            (
                "the key was its hex text: decode the hex first",
                HMACSHA256.isValid(hashMac, for: Array(text.utf8), key: hexKey.bytes)
            ),
            (
                "it is plain SHA-256: use HMAC with the key",
                ConstantTime.areEqual(hashMac, SHA256.hash(Array(text.utf8)))
            ),
        ]
        let mistake = mistakes.first(where: \.made)?.text
        bad("hashMac", "does not match (205, 141)" + (mistake.map { ": \($0)" } ?? ": wrong key or wrong text"))
    }
}
