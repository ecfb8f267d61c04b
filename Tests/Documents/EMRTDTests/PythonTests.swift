import Cryptography
import EMRTD
import EMRTDSimulation
import PythonOracle
import Testing

@Suite(
    "With Python's asn1crypto and cryptography",
    .enabled(if: PythonOracle.isAvailable, Comment(rawValue: PythonOracle.absence)))
struct PythonTests {
    private let oracle = PythonOracle(script: "Oracles/document_oracle.py")

    @Test("Every certificate of both master lists says the same to both readers")
    func certificates() async throws {
        for (file, list) in [(Lists.germanFile, try Lists.german), (Lists.dutchFile, try Lists.dutch)] {
            let theirs = try await oracle.ask("list_certificates", ["file": file])
            for certificate in list.certificates {
                #expect(Self.fields(of: certificate) == theirs[Hex.encode(certificate.fingerprint)])
            }
            #expect(Set(list.certificates.map(\.fingerprint)).count == theirs.count)
        }
    }

    @Test("What the simulated state signs is well formed and valid")
    func simulatedIssuer() async throws {
        let issuer = try Simulation.issuer.get()
        let document = try Simulation.document.get()
        let theirs = try await oracle.ask(
            "check_security_object",
            [
                "securityObject": Hex.encode(document.files[.securityObject] ?? []),
                "authority": Hex.encode(issuer.certificate),
            ])
        for name in ["isDigestRight", "isSignatureRight", "isSignerSigned", "isAuthoritySigned", "isIssuerRight"] {
            #expect(theirs[name] == "true", "\(name)")
        }
        let authority = try SigningCertificate(Octets(copying: issuer.certificate))
        #expect(theirs["authority"] == Self.fields(of: authority))
    }

    private static func fields(of certificate: SigningCertificate) -> String {
        let kind: String =
            switch certificate.publicKey {
            case .rsa(let key): "rsa \(key.modulusBits)"
            case .ellipticCurve(let key): "ec \(key.point.count / 2 * 8)"
            case .diffieHellman: "dh"
            }
        let identifiers = [certificate.subjectKeyIdentifier, certificate.authorityKeyIdentifier].map {
            Hex.encode($0 ?? [])
        }
        let numbers = [
            Hex.encode(certificate.serialNumber.bytes), "\(certificate.notBefore)", "\(certificate.notAfter)",
        ]
        return (numbers + identifiers + [certificate.subject.country ?? "", kind]).joined(separator: "|")
    }
}
