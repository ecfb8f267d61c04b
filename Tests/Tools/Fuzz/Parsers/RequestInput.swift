import SecureMemory
import StrictJSON

@testable import CardCompanion

enum RequestInput {
    /// The body of each operation for apps.
    static func readBody(_ bytes: [UInt8]) {
        guard let body = try? JSONText(SecretBytes(copying: bytes)) else { return }
        _ = try? CaptchaFetch(body)
        _ = try? TokenFetch(body)
        _ = try? HMACDefinition(body)
        _ = try? TokenDefinition(pin: body)
        _ = try? TokenDefinition(indexes: body)
        _ = try? RequestedKeypad(body)
    }

    static func readToken(_ bytes: [UInt8]) {
        guard let token = try? AuthenticationToken(SecretBytes(copying: bytes)) else { return }
        _ = (token.bankId, token.uniqueId, token.providerId, token.transactionId, token.type, token.certificate)
        guard let timestamp = token.timestamp else { return }
        _ = (timestamp.skew(at: Fixture.now), timestamp.hmacExpiry)
    }
}
