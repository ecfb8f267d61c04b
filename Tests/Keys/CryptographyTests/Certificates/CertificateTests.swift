import Cryptography
import PythonOracle
import SecureMemory
import Testing

@Suite("Certificates")
struct CertificateTests {
    private let now: Int64 = 1_800_000_000
    private let key = RSATests.key
    private let root: CertificateAuthority

    init() throws {
        root = try CertificateAuthority(selfSigned: Self.request("Root"), key: RSATests.key)
    }

    @Test("A certificate has the requested contents, and reading its DER or PEM gives the same certificate")
    func contents() throws {
        var request = Self.request("Müller, \"Bank\" 1")
        request.organization = "Bank + Söhne"
        let certificate = try root.issue(request, for: key.publicKey)
        #expect(certificate.subject == #"CN=Müller\, \"Bank\" 1,O=Bank \+ Söhne"#)
        #expect(certificate.issuer == "CN=Root")
        #expect(certificate.notBefore == request.notBefore)
        #expect(certificate.notAfter == request.notAfter)
        #expect(certificate.rsaPublicKey == key.publicKey)
        #expect(certificate.fingerprintSHA256 == SHA256.hash(certificate.der))
        #expect(try Certificate(der: certificate.der) == certificate)
        #expect(try Certificate(pem: certificate.pem().bytes) == certificate)
        let chain = "text before\n" + certificate.pem() + "\n" + root.certificate.pem() + "text after\n"
        #expect(try Certificate.readPEMChain(chain.bytes) == [certificate, root.certificate])
    }

    @Test(
        "Validity dates after 2049 and before 1970 are read as Unix seconds",
        arguments: [-86_401, 0, 2_524_608_000, 253_402_300_799])
    func times(seconds: Int64) throws {
        var request = Self.request("Time")
        (request.notBefore, request.notAfter) = (seconds, seconds)
        let certificate = try root.issue(request, for: key.publicKey)
        #expect(certificate.notBefore == seconds)
        #expect(certificate.notAfter == seconds)
    }

    @Test("Anything other than exactly one complete certificate is refused")
    func malformed() throws {
        let certificate = root.certificate
        let pem = certificate.pem()
        for der in [[], certificate.der + [0], certificate.der.dropLast(), "no DER".bytes] {
            let error = #expect(throws: CryptographyError.self) { try Certificate(der: Array(der)) }
            #expect(error?.code == .invalidCertificate)
        }
        let wrong = [
            "", "no PEM", pem + pem, String(pem.dropLast(30)), pem.replacing("CERTIFICATE", with: "PRIVATE KEY"),
            pem.replacing("MII", with: "MIJ"), String(repeating: pem, count: 100),
        ]
        for pem in wrong {
            let error = #expect(throws: CryptographyError.self) { try Certificate(pem: pem.bytes) }
            #expect(error?.code == .invalidCertificate)
        }
        #expect(throws: CryptographyError.self) { try Certificate.readPEMChain((pem + pem.dropLast(30)).bytes) }
        #expect(throws: CryptographyError.self) { try Certificate.readPEMChain([]) }
        let tooMany = String(repeating: Self.smallCertificate, count: Certificate.chainCountLimit + 1)
        #expect(throws: CryptographyError.self) { try Certificate.readPEMChain(tooMany.bytes) }
    }

    @Test("A certificate with a chain to a trusted CA is accepted, with or without key usage or an intermediate")
    func valid() throws {
        try verify(Self.request("Bank"))
        try verify(Self.request("Bank", keyUsage: .unspecified))
        let intermediate = try intermediate()
        let certificate = try intermediate.issue(Self.request("Bank"), for: key.publicKey)
        let others = [root.certificate, intermediate.certificate, certificate]
        try certificate.verify(chain: [intermediate.certificate], trustedCAs: [root.certificate], at: now)
        try certificate.verify(chain: others, trustedCAs: [root.certificate], at: now)
    }

    @Test("A certificate is refused outside its validity, with the date in the message, and accepted at both ends")
    func validity() throws {
        var request = Self.request("Bank")
        // OpenSSL treats the last second as expired.
        (request.notBefore, request.notAfter) = (now, now + 1)
        try verify(request)
        (request.notBefore, request.notAfter) = (now - 10, now - 1)
        let expired = refusal(of: request)
        #expect(expired?.code == .expired)
        #expect(expired?.message == "The certificate of CN=Bank expired on 2027-01-15 07:59:59 UTC: renew it.")
        (request.notBefore, request.notAfter) = (now + 1, now + 10)
        let early = refusal(of: request)
        #expect(early?.code == .notYetValid)
        #expect(
            early?.message
                == "The certificate of CN=Bank is not valid before 2027-01-15 08:00:01 UTC: wait, or check the clock.")
    }

    @Test("A certificate without the key usage digitalSignature, a CA certificate and a root are refused")
    func usage() throws {
        #expect(refusal(of: Self.request("Bank", keyUsage: .keyEncipherment))?.code == .wrongKeyUsage)
        #expect(refusal(of: Self.request("Bank", keyUsage: .certificateSigning))?.code == .isCA)
        #expect(refusal(of: root.certificate)?.code == .isCA)
    }

    @Test("A certificate without a chain to a trusted CA is refused")
    func untrusted() throws {
        let (certificate, intermediate) = (
            try root.issue(Self.request("Bank"), for: key.publicKey), try intermediate()
        )
        #expect(refusal(of: certificate, trustedCAs: [])?.code == .untrusted)
        let stranger = try CertificateAuthority(
            selfSigned: Self.request("Root"), key: RSAPrivateKey.generate(bits: 2048))
        #expect(refusal(of: certificate, trustedCAs: [stranger.certificate])?.code == .untrusted)
        let below = try intermediate.issue(Self.request("Bank"), for: key.publicKey)
        #expect(refusal(of: below)?.code == .untrusted)
        #expect(refusal(of: below, chain: [intermediate.certificate], trustedCAs: [])?.code == .untrusted)
        // Issued by a certificate that is not a CA.
        let forger = try CertificateAuthority(certificate: certificate, key: key)
        let forged = try forger.issue(Self.request("Forged"), for: key.publicKey)
        #expect(refusal(of: forged, chain: [certificate])?.code == .untrusted)
    }

    @Test("A certificate with a changed signature is refused")
    func changedSignature() throws {
        let der = try root.issue(Self.request("Bank"), for: key.publicKey).der
        let changed = try Certificate(der: der.flipping(bit: der.count * 8 - 1))
        #expect(refusal(of: changed)?.code == .untrusted)
    }

    @Test("An expired intermediate is named in the error")
    func expiredIntermediate() throws {
        var request = Self.request("Old intermediate")
        request.notAfter = now - 1
        let intermediate = try intermediate(request)
        let certificate = try intermediate.issue(Self.request("Bank"), for: key.publicKey)
        let problem = refusal(of: certificate, chain: [intermediate.certificate])
        #expect(problem?.code == .expired)
        #expect(problem?.message.contains("CN=Old intermediate") == true)
    }

    @Test("An authority cannot be made from a certificate and another key")
    func foreignKey() throws {
        let error = #expect(throws: CryptographyError.self) {
            try CertificateAuthority(certificate: root.certificate, key: RSAPrivateKey.generate(bits: 2048))
        }
        #expect(error?.code == .invalidKey)
    }

    @Test(
        "Short keys, broken hashes, other keys than RSA and unreadable keys are refused, each with its own code",
        .enabled(if: PythonOracle.isAvailable, Comment(rawValue: PythonOracle.absence)),
        arguments: [
            ("good", nil), ("weak key", .weakKey), ("SHA-1", .weakSignature), ("EC", .notRSA),
            ("RSA-PSS key", .notRSA), ("weak CA", .weakKey), ("unreadable key", .malformed), ("Ed25519 CA", nil),
        ] as [(String, CertificateError.Code?)])
    func foreign(name: String, code: CertificateError.Code?) async throws {
        let made = try await PythonOracle(script: "../Oracles/certificate_oracle.py").ask("make", ["kind": name])
        let certificate = try Certificate(pem: #require(made["certificate"]).bytes)
        let authority = try Certificate(pem: #require(made["authority"]).bytes)
        let problem = refusal(of: certificate, trustedCAs: [authority])
        #expect(problem?.code == code, "\(problem?.message ?? "accepted")")
    }

    @Test(
        "Python's cryptography verifies a certificate that the authority issued",
        .enabled(if: PythonOracle.isAvailable, Comment(rawValue: PythonOracle.absence)))
    func readByPython() async throws {
        let certificate = try root.issue(Self.request("Bank"), for: key.publicKey)
        let read = try await PythonOracle(script: "../Oracles/certificate_oracle.py").ask(
            "read", ["certificate": certificate.pem(), "authority": root.certificate.pem()])
        #expect(read["subject"] == certificate.subject)
        #expect(read["notBefore"] == String(certificate.notBefore))
        #expect(read["notAfter"] == String(certificate.notAfter))
        #expect(read["keyUsage"] == "digital_signature")
        #expect(read["isCA"] == "False")
    }

    // MARK: Issuing and checking

    private static func request(
        _ name: String, keyUsage: CertificateAuthority.KeyUsage = .digitalSignature
    ) -> CertificateAuthority.Request {
        CertificateAuthority.Request(
            commonName: name, notBefore: 1_700_000_000, notAfter: 1_900_000_000, keyUsage: keyUsage)
    }

    private func intermediate(
        _ request: CertificateAuthority.Request = CertificateTests.request("Intermediate")
    ) throws -> CertificateAuthority {
        var request = request
        request.keyUsage = .certificateSigning
        let key = try RSAPrivateKey.generate(bits: 2048)
        return try CertificateAuthority(certificate: root.issue(request, for: key.publicKey), key: key)
    }

    private func verify(_ request: CertificateAuthority.Request) throws {
        try root.issue(request, for: key.publicKey).verify(chain: [], trustedCAs: [root.certificate], at: now)
    }

    private func refusal(of request: CertificateAuthority.Request) -> CertificateError? {
        (try? root.issue(request, for: key.publicKey)).flatMap { refusal(of: $0) }
    }

    private func refusal(
        of certificate: Certificate, chain: [Certificate] = [], trustedCAs: [Certificate]? = nil
    ) -> CertificateError? {
        do {
            try certificate.verify(chain: chain, trustedCAs: trustedCAs ?? [root.certificate], at: now)
            return nil
        } catch {
            return error
        }
    }

    /// So small that the limit on the number of certificates is reached before the limit on the size.
    private static let smallCertificate = """
        -----BEGIN CERTIFICATE-----
        MIIBLDCB36ADAgECAhQw9Ic7HOzC3NMJuTqfBWi/Kr0zIDAFBgMrZXAwDDEKMAgG
        A1UEAwwBczAeFw0yNjExMjEwOTE5MzRaFw0yNjExMjIwOTE5MzRaMAwxCjAIBgNV
        BAMMAXMwKjAFBgMrZXADIQCkdg7G1V69a3z0QPaaIyhm27pAUSnvP7kUILlBU3Qr
        E6NTMFEwHQYDVR0OBBYEFI2arti0bP3AtHjpH6CkbfRw96OcMB8GA1UdIwQYMBaA
        FI2arti0bP3AtHjpH6CkbfRw96OcMA8GA1UdEwEB/wQFMAMBAf8wBQYDK2VwA0EA
        POqAI2VXVoshvAwDszqCzx7jmDaLjoP9Qo6GYGjMsyiN3B/t6Mx+OBnUuYhq33rF
        ScFfPQuRnbMRo3OMOCKsCw==
        -----END CERTIFICATE-----

        """
}
