import Crypto
import CryptoExtras
import Foundation
import ServerHarness

/// What is measured.
enum Operation: String, CaseIterable, Sendable {
    case health
    case keypad
    case definePINByToken = "token/pin"
    case definePINByHMAC = "pin (HMAC, RSA-3072)"
    case fetchByToken = "token/captcha"
    case fetchByCode = "captcha (AC)"
    case getCardholder = "GET cardholder"
    case putCardholder = "PUT cardholder"

    /// Whether an answer says that the operation was done.
    var isExpected: @Sendable (UnsafeRawBufferPointer) -> Bool {
        let text =
            switch self {
            case .health, .getCardholder, .putCardholder: "HTTP/1.1 200"
            default: "\"errorCode\":0"
            }
        let bytes = Array(text.utf8)
        return { $0.end(of: bytes) != nil }
    }

    /// New valid requests.
    ///
    /// - Parameter numbers: they are different for each request of a run.
    func requests(_ numbers: Range<Int>, of service: BenchService) async throws -> RequestBatch {
        var batch = RequestBatch()
        try await inParallel(numbers.count) { range in
            var part = RequestBatch()
            for index in range { try append(to: &part, number: numbers.lowerBound + index, service) }
            return part
        } then: {
            batch.append($0)
        }
        return batch
    }

    private func append(to batch: inout RequestBatch, number: Int, _ service: BenchService) throws {
        let (bank, holder) = (service.bank, service.cardholder(number))
        func post(_ path: String, _ members: [String: JSON]) {
            batch.append(
                "POST", path, headers: [("Content-Type", "application/json")],
                body: Array(JSON.object(members).text.utf8))
        }
        switch self {
        case .health: batch.append("GET", "/health/live", body: [])
        case .keypad:
            post(
                "/v1/pin-definition/keypad-coordinates",
                ["bankId": .string(bank.id), "uniqueId": .string(holder.uniqueId), "keypadSize": 12])
        case .definePINByToken:
            let token = bank.token(for: holder, type: "02")
            let pin = try service.ecKey.seal(Self.newPIN, SealedBinding("pin", for: token))
            post(
                "/v1/pin-definition/token/pin",
                [
                    "token": .string(token.text), "signature": .string(try bank.signer.signature(of: token.text)),
                    "pin": .string(pin),
                ])
        case .definePINByHMAC: post("/v1/pin-definition/pin", try definition(number, holder, service))
        case .fetchByToken: post(Path.tokenCaptcha, try TestApp().tokenCaptcha(bank, bank.token(for: holder)))
        case .fetchByCode:
            post(Path.captcha, try TestApp().captcha(bank, holder, timestamp: timestamp(number, service)))
        case .getCardholder: try append(to: &batch, "GET", holder, body: [], service)
        case .putCardholder:
            let members = try holder.members(sealedTo: service.ecKey, of: bank.id)
            try append(to: &batch, "PUT", holder, body: Array(JSON.object(members).text.utf8), service)
        }
    }

    private static let newPIN = Array("8305            ".utf8)

    /// A hashMac can be used once, so each request of a cardholder has another second, before the time of the start. The two
    /// operations with hashMacs have different seconds.
    private func timestamp(_ number: Int, _ service: BenchService) -> Int {
        let range = 1500
        let latest = service.startedAt - (self == .fetchByCode ? range : 0)
        return latest - (number / service.cardholderCount) % range
    }

    private func definition(
        _ number: Int, _ holder: TestCardholder, _ service: BenchService
    ) throws -> [String: JSON] {
        let timestamp = "\(self.timestamp(number, service))"
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
