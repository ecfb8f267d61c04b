import Cryptography
import SecureMemory

/// Keys, certificates and revocation lists. Private RSA keys are left out: to check that their parts belong together takes so
/// long that nothing else would be tried.
enum KeyFileInput {
    static func readPEM(_ bytes: [UInt8]) {
        if let der = try? PEM.decodePublicKey(bytes) { readPublicKey(der) }
        _ = try? P256PrivateKey(pem: bytes)
        _ = try? Ed25519PrivateKey(pem: bytes)
        for certificate in (try? Certificate.readPEMChain(bytes)) ?? [] { use(certificate) }
        readRevocationList(bytes)
    }

    static func readDER(_ bytes: [UInt8]) {
        readPublicKey(bytes)
        _ = try? P256PrivateKey(pkcs8: bytes)
        _ = try? Ed25519PrivateKey(pkcs8: bytes)
        if let certificate = try? Certificate(der: bytes) { use(certificate) }
        readRevocationList(bytes)
    }

    /// A public key has one form.
    private static func readPublicKey(_ der: [UInt8]) {
        let forms = [
            (try? P256PublicKey(subjectPublicKeyInfo: der))?.subjectPublicKeyInfo,
            (try? RSAPublicKey(subjectPublicKeyInfo: der))?.subjectPublicKeyInfo,
            (try? Ed25519PublicKey(subjectPublicKeyInfo: der))?.subjectPublicKeyInfo,
        ]
        let read = forms.compactMap(\.self)
        require(read.isEmpty || read == [der], "a public key is written in another form than it was read")
    }

    private static func use(_ certificate: Certificate) {
        let again = try? Certificate(pem: Array(certificate.pem().utf8))
        require(again == certificate, "a certificate is written as another")
        _ = certificate.isSigned(by: certificate)
    }

    private static func readRevocationList(_ bytes: [UInt8]) {
        guard let list = try? RevocationList(bytes) else { return }
        require(list.thisUpdate < list.nextUpdate, "a list ends before it begins")
    }
}
