import Cryptography
import Foundation
import JOSE
import SecureMemory
import Testing

@Suite("Wycheproof: JWE")
struct JWETests {
    @Test("JWE in compact serialization")
    func compact() throws {
        var tally = Tally()
        try Wycheproof.forEach(of: "json_web_encryption_test", JWEGroup.self) { group, vector in
            let opened = try vector.jwe.compact.flatMap { try open($0, with: group.privateKey) }
            #expect(opened == nil || opened == vector.pt?.bytes, "vector \(vector.tcId)")
            tally.count(vector, isSupported: vector.isSupported(by: group.privateKey), isAccepted: opened != nil)
        }
        #expect(tally == Tally(accepted: 2, refused: 74, unsupported: 63))
    }

    /// The plaintext; nil if the JWE is refused, or there is no such key.
    private func open(_ text: String, with key: PrivateJWK) throws -> [UInt8]? {
        guard let jwe = try? JWE(compact: text) else { return nil }
        return switch (key.kty, key.crv) {
        case ("RSA", _): try? jwe.open(with: RSAPrivateKey(pkcs8: key.rsaPKCS8)).revealed
        case ("EC", "P-256"): try? jwe.open(with: P256PrivateKey(pkcs8: key.p256PKCS8)).revealed
        default: nil
        }
    }
}

private struct JWEGroup: VectorGroup {
    struct Vector: WycheproofVector {
        let tcId: Int
        let comment: String
        let result: ExpectedResult
        let jwe: Serialization
        /// Absent from most invalid ones.
        let pt: Octets?

        /// Whether the server has the algorithms of the JWE. What is invalid must be refused in any case.
        func isSupported(by key: PrivateJWK) -> Bool {
            guard result != .invalid else { return true }
            let header = jwe.compact.flatMap(Self.header(of:)) ?? [:]
            let algorithms = ["RSA": "RSA-OAEP-256", "EC": "ECDH-ES+A256KW"]
            return header["alg"] == algorithms[key.kty] && header["enc"] == "A256GCM" && header["zip"] == nil
        }

        private static func header(of compact: String) -> [String: String]? {
            let header = compact.split(separator: ".").first.flatMap { Base64URL.decode(String($0)) } ?? []
            let members = try? JSONSerialization.jsonObject(with: Data(header)) as? [String: Any]
            return members?.compactMapValues { $0 as? String }
        }
    }

    enum CodingKeys: String, CodingKey {
        case tests
        case privateKey = "private"
    }

    let privateKey: PrivateJWK
    let tests: [Vector]
}

/// A JWE as text, or as JSON, which the server does not read.
private struct Serialization: Decodable {
    /// Nil if it is JSON.
    let compact: String?

    init(from decoder: any Decoder) throws {
        compact = try? decoder.singleValueContainer().decode(String.self)
    }
}

/// A private key (RFC 7518 section 6). Its numbers are base64url.
private struct PrivateJWK: Decodable {
    let kty: String
    let crv: String?
    let x, y, d: String?
    let n, e, p, q, dp, dq, qi: String?

    /// The key as PKCS#8 (RFC 5958, RFC 5915).
    var p256PKCS8: [UInt8] {
        let beginning = "308187020100301306072a8648ce3d020106082a8648ce3d030107046d306b0201010420"
        return Self.hex(beginning) + Self.number(d) + Self.hex("a14403420004") + Self.number(x) + Self.number(y)
    }

    /// The key as PKCS#8 (RFC 5958, RFC 8017 appendix A.1.2).
    var rsaPKCS8: [UInt8] {
        let numbers = [n, e, d, p, q, dp, dq, qi].map { Self.element(0x02, [0] + Self.number($0)) }
        let key = Self.element(0x30, Self.hex("020100") + numbers.joined())
        return Self.element(0x30, Self.hex("020100300d06092a864886f70d0101010500") + Self.element(0x04, key))
    }

    /// An element of DER whose content has less than 65536 bytes.
    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        let length: [UInt8] =
            switch count {
            case ..<0x80: [UInt8(count)]
            case ..<0x100: [0x81, UInt8(count)]
            default: [0x82, UInt8(count >> 8), UInt8(count & 0xff)]
            }
        return [tag] + length + content
    }

    private static func number(_ text: String?) -> [UInt8] {
        text.flatMap { Base64URL.decode($0) } ?? []
    }

    private static func hex(_ digits: String) -> [UInt8] {
        Hex.decode(digits) ?? []
    }
}
