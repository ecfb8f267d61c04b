internal import Foundation

/// The key management algorithms (`alg`) that the server and the SDK use.
enum KeyManagement: String {
    case rsaOAEP256 = "RSA-OAEP-256"
    case ecdhESA256KW = "ECDH-ES+A256KW"
}

/// The protected header of a JWE (RFC 7516 section 4).
struct JWEHeader: Codable {
    var alg: String
    var enc: String
    var kid: String?
    var epk: JWK?
    var apu: String?
    var apv: String?
    /// What a value sealed to the server is: `pin` or `indexes`.
    var cty: String?
    /// Of a value sealed to the server: the bank.
    var iss: String?
    /// Of a value sealed to the server: the cardholder.
    var sub: String?
    /// Of a value sealed to the server: the request, by IdTransaction or timestamp.
    var jti: String?
    /// Of indexes: the keypad that they refer to.
    var keypadId: String?
}

extension JWEHeader {
    static let contentEncryption = "A256GCM"

    /// Parameters that change how the JWE must be processed. They are not supported, so the JWE is refused.
    private enum RefusedParameter: CodingKey {
        case crit, zip
    }

    init(from decoder: any Decoder) throws {
        let refused = try decoder.container(keyedBy: RefusedParameter.self)
        if let parameter = refused.allKeys.first {
            throw DecodingError.dataCorruptedError(
                forKey: parameter, in: refused, debugDescription: "\(parameter) is not supported")
        }
        let container = try decoder.container(keyedBy: CodingKeys.self)
        alg = try container.decode(String.self, forKey: .alg)
        enc = try container.decode(String.self, forKey: .enc)
        kid = try container.decodeIfPresent(String.self, forKey: .kid)
        epk = try container.decodeIfPresent(JWK.self, forKey: .epk)
        apu = try container.decodeIfPresent(String.self, forKey: .apu)
        apv = try container.decodeIfPresent(String.self, forKey: .apv)
        cty = try container.decodeIfPresent(String.self, forKey: .cty)
        iss = try container.decodeIfPresent(String.self, forKey: .iss)
        sub = try container.decodeIfPresent(String.self, forKey: .sub)
        jti = try container.decodeIfPresent(String.self, forKey: .jti)
        keypadId = try container.decodeIfPresent(String.self, forKey: .keypadId)
    }
}
