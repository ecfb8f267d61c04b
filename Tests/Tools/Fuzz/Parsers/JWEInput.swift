import Cryptography
import JOSE
import SecureMemory

enum JWEInput {
    private static let p256Key = make { try P256PrivateKey(pem: Array(VectorKeys.p256.utf8)) }
    private static let rsaKey = make { try RSAPrivateKey(pem: Array(VectorKeys.rsa.utf8)) }

    static func read(_ bytes: [UInt8]) {
        let text = bytes.text
        for algorithm in JWEHeader.Algorithm.allCases {
            let isRead = (try? JWE(compact: text, for: algorithm)) != nil
            require(!isRead || (try? JWE(compact: text)) != nil, "a JWE is read only if its algorithm is known")
        }
        guard let jwe = try? JWE(compact: text) else { return }
        switch jwe.header.algorithm {
        case .ecdhESA256KW: _ = try? jwe.open(with: p256Key)
        case .rsaOAEP256: _ = try? jwe.open(with: rsaKey)
        }
    }
}
