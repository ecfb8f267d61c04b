import Crypto
import CryptoExtras
import Foundation
import ServerHarness

/// What is measured.
enum Operation: String, CaseIterable, Sendable {
    case health
    case keypad
    case definePINByToken = "token/pin"
    case definePINByIndexes = "token/pin-indexes"
    case definePINByHMAC = "pin (HMAC, RSA-3072)"
    case fetchByToken = "token/captcha"
    case notifyByToken = "token/notify"
    case fetchByCode = "captcha (AC)"
    case notifyByCode = "notify (AC)"
    case getCardholder = "GET cardholder"
    case putCardholder = "PUT cardholder"
    /// Requests as a bank with many apps could have them.
    case mix

    /// Of 20 requests of the mix, how many are of which operation.
    static let shares: [(operation: Operation, count: Int)] = [
        (.fetchByToken, 5), (.notifyByToken, 4), (.fetchByCode, 2), (.notifyByCode, 2), (.keypad, 3),
        (.definePINByToken, 1), (.definePINByIndexes, 1), (.getCardholder, 1), (.putCardholder, 1),
    ]

    /// The operations that it consists of.
    var parts: [Operation] { self == .mix ? Self.shares.map(\.operation) : [self] }

    /// Whether an answer says that the operation was done.
    static func isExpected(_ answer: UnsafeRawBufferPointer) -> Bool {
        guard answer.end(of: success) != nil else { return false }
        return answer.end(of: errorCode).map { answer[$0] == UInt8(ascii: "0") } ?? true
    }

    private static let success = Array("HTTP/1.1 200".utf8)
    private static let errorCode = Array("\"errorCode\":".utf8)

    /// New valid requests.
    ///
    /// - Parameter numbers: of the requests, which tell whose they are.
    func requests(_ numbers: Range<Int>, of service: BenchService) async throws -> RequestBatch {
        switch self {
        case .definePINByIndexes, .notifyByToken, .notifyByCode:
            return try await followingRequests(numbers, of: service)
        case .mix: return try await Self.mixedRequests(numbers, of: service)
        default: return try await batch(of: numbers) { try append(to: &$0, service.cardholder($1), service) }
        }
    }

    /// Makes requests on all processors.
    func batch(
        of numbers: Range<Int>, _ append: @escaping @Sendable (inout RequestBatch, _ number: Int) throws -> Void
    ) async throws -> RequestBatch {
        var batch = RequestBatch()
        try await inParallel(numbers.count) { range in
            var part = RequestBatch()
            for index in range { try append(&part, numbers.lowerBound + index) }
            return part
        } then: {
            batch.append($0)
        }
        return batch
    }

    private func append(
        to batch: inout RequestBatch, _ holder: TestCardholder, _ service: BenchService
    ) throws {
        let bank = service.bank
        switch self {
        case .health: batch.append("GET", "/health/live", body: [])
        case .keypad:
            batch.post(
                "/v1/pin-definition/keypad-coordinates",
                ["bankId": .string(bank.id), "uniqueId": .string(holder.uniqueId), "keypadSize": 12])
        case .definePINByToken:
            let token = bank.token(for: holder, type: "02")
            let pin = try service.ecKey.seal(Self.newPIN, SealedBinding("pin", for: token))
            batch.post(
                "/v1/pin-definition/token/pin",
                [
                    "token": .string(token.text), "signature": .string(try bank.signer.signature(of: token.text)),
                    "pin": .string(pin),
                ])
        case .definePINByHMAC: batch.post("/v1/pin-definition/pin", try definition(holder, service))
        case .fetchByToken: batch.post(Path.tokenCaptcha, try service.app.tokenCaptcha(bank, bank.token(for: holder)))
        case .fetchByCode:
            let timestamp = service.timestamps.next(of: holder.uniqueId)
            batch.post(Path.captcha, try service.app.captcha(bank, holder, timestamp: timestamp))
        case .getCardholder: try append(to: &batch, "GET", holder, body: [], service)
        case .putCardholder:
            let members = try holder.members(sealedTo: service.ecKey, of: bank.id)
            try append(to: &batch, "PUT", holder, body: Array(JSON.object(members).text.utf8), service)
        case .definePINByIndexes, .notifyByToken, .notifyByCode, .mix:
            preconditionFailure("\(self) is not made of one request")
        }
    }

    private static let newPIN = Array("8305            ".utf8)

    private func definition(_ holder: TestCardholder, _ service: BenchService) throws -> [String: JSON] {
        let timestamp = "\(service.timestamps.next(of: holder.uniqueId))"
        let binding = SealedBinding(
            "pin", bankId: service.bank.id, uniqueId: holder.uniqueId, requestId: timestamp)
        let sealed = try RSASealing.seal(
            Self.newPIN, to: service.rsaKey.key, keyId: service.rsaKeyId, binding: binding)
        return [
            "bankId": .string(service.bank.id), "uniqueId": .string(holder.uniqueId), "timestamp": .string(timestamp),
            "hashMac": .string(service.bank.hashMac(uniqueId: holder.uniqueId, timestamp: timestamp)),
            "pin": .string(sealed),
        ]
    }

    private func append(
        to batch: inout RequestBatch, _ method: String, _ holder: TestCardholder, body: [UInt8], _ service: BenchService
    ) throws {
        var call = IssuerCall(
            method, "/v1/banks/\(service.bank.id)/cardholders/\(holder.uniqueId)", body: body)
        call.authority = RequestBatch.host
        call.headers = body.isEmpty ? [] : [("Content-Type", "application/json")]
        let fields = try call.signedFields(service.issuer, for: service.server)
        batch.append(method, call.path, headers: fields, body: body)
    }
}

/// RSA-OAEP-256 and A256GCM with swift-crypto.
enum RSASealing {
    static func seal(
        _ plaintext: [UInt8], to key: _RSA.Encryption.PublicKey, keyId: String, binding: SealedBinding
    ) throws -> String {
        let contentKey = SymmetricKey(size: .bits256)
        let encryptedKey = try key.encrypt(
            contentKey.withUnsafeBytes { Data($0) }, padding: .PKCS1_OAEP_SHA256)
        var header: [String: JSON] = ["alg": "RSA-OAEP-256", "enc": "A256GCM", "kid": .string(keyId)]
        header.merge(binding.members) { $1 }
        let headerText = Base64URL.encode(Array(JSON.object(header).text.utf8))
        let box = try AES.GCM.seal(plaintext, using: contentKey, authenticating: Array(headerText.utf8))
        let parts = [Array(encryptedKey), Array(box.nonce), Array(box.ciphertext), Array(box.tag)]
        return ([headerText] + parts.map(Base64URL.encode)).joined(separator: ".")
    }
}
