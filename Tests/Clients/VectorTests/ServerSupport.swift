import Cryptography
import JOSE
import SecureMemory
import Testing

extension SecretBytes {
    /// The bytes. In tests they are not secret.
    var revealed: [UInt8] { withBytes { [UInt8]($0) } }
}

extension KeyVector {
    func serverRSA() throws -> RSAPrivateKey { try RSAPrivateKey(pem: Array(pem.utf8)) }

    func serverP256() throws -> P256PrivateKey { try P256PrivateKey(pem: Array(pem.utf8)) }
}

extension P256PrivateKey {
    /// Reads a private JWK by converting it to PKCS#8.
    convenience init(jwk: [String: String]) throws {
        let parts = try ["d", "x", "y"].map { try #require(Base64URL.decode(jwk[$0] ?? "")) }
        let beginning = "308187020100301306072a8648ce3d020106082a8648ce3d030107046d306b0201010420"
        let (start, middle) = (try #require(Hex.decode(beginning)), try #require(Hex.decode("a14403420004")))
        try self.init(pkcs8: start + parts[0] + middle + parts[1] + parts[2])
    }
}

extension JWE {
    /// Decrypts the content with an RSA or an EC key, as the header requires.
    func open(with key: KeyVector) throws -> SecretBytes {
        switch header.algorithm {
        case .rsaOAEP256: try open(with: key.serverRSA())
        case .ecdhESA256KW: try open(with: key.serverP256())
        }
    }
}
