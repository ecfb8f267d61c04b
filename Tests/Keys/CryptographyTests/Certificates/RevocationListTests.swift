import PythonOracle
import SecureMemory
import Testing

@testable import Cryptography

/// CRLs that Python's cryptography makes.
@Suite("Revocation lists", .enabled(if: PythonOracle.isAvailable, Comment(rawValue: PythonOracle.absence)))
struct RevocationListTests {
    private static let now: Int64 = 1_800_000_000

    private struct Made {
        let certificate: Certificate
        let authority: Certificate
        let pem: [UInt8]
        let der: [UInt8]

        init(_ kind: String) async throws {
            let made = try await PythonOracle(script: "../Oracles/certificate_oracle.py").ask(
                "crl", ["kind": kind, "now": "\(RevocationListTests.now)"])
            certificate = try Certificate(pem: #require(made["certificate"]).bytes)
            authority = try Certificate(pem: #require(made["authority"]).bytes)
            pem = try #require(made["crl"]).bytes
            der = try #require(made["der"].flatMap(Hex.decode))
        }

        func check(_ bytes: [UInt8]? = nil, authorities: [Certificate]? = nil) throws(CertificateError) {
            let list = try RevocationList(bytes ?? pem)
            try list.verify(signedByOneOf: authorities ?? [authority], at: RevocationListTests.now)
            try certificate.requireNotRevoked(by: list)
        }

        func refusal(_ bytes: [UInt8]? = nil, authorities: [Certificate]? = nil) -> CertificateError? {
            do {
                try check(bytes, authorities: authorities)
                return nil
            } catch {
                return error
            }
        }
    }

    @Test(
        "A list is refused for what is wrong with it, and a certificate if the list names it",
        arguments: [
            ("empty", nil), ("another certificate", nil), ("revoked", .revoked), ("on hold", .revoked),
            ("expired", .expired), ("from the future", .notYetValid), ("another CA", .untrusted),
            ("another key", .untrusted), ("changed", .untrusted), ("no cRLSign", .wrongKeyUsage),
            ("weak key", .weakSignature), ("SHA-1", .weakSignature), ("delta", .partial),
            ("distribution point", .partial), ("indirect entry", .partial),
        ] as [(String, CertificateError.Code?)])
    func kinds(kind: String, code: CertificateError.Code?) async throws {
        let made = try await Made(kind)
        for bytes in [made.pem, made.der] {
            let problem = made.refusal(bytes)
            #expect(problem?.code == code, "\(problem?.message ?? "accepted")")
        }
    }

    @Test("A list says who made it, when, and for how long it is good")
    func fields() async throws {
        let made = try await Made("revoked")
        let list = try RevocationList(made.pem)
        #expect(list.issuer == "CN=CA" && list.issuer == made.certificate.issuer)
        #expect(list.thisUpdate == Self.now - 2 * 86_400 && list.nextUpdate == Self.now + 3 * 86_400)
        #expect(list.serialNumbers == [made.certificate.serialNumber])
    }

    @Test("A list that no trusted CA signed is refused, and it says nothing of certificates of another CA")
    func strangers() async throws {
        let (one, other) = (try await Made("empty"), try await Made("empty"))
        #expect(one.refusal(authorities: [])?.code == .untrusted)
        // The same name, another key.
        #expect(one.refusal(authorities: [other.authority])?.code == .untrusted)
        #expect(one.refusal(authorities: [other.authority, one.authority]) == nil)
        let another = try await Made("another CA")
        let list = try RevocationList(another.pem)
        #expect(!list.revokes(another.certificate))
        #expect(throws: CertificateError.self) { try another.certificate.requireNotRevoked(by: list) }
    }

    @Test("Something else than one list is refused")
    func malformed() async throws {
        let made = try await Made("empty")
        let others: [[UInt8]] = [
            [], "CRL".bytes, made.certificate.der, made.certificate.pem().bytes, made.pem + made.pem, made.der + [0],
            Array(made.der.dropLast()),
        ]
        for bytes in others { #expect(made.refusal(bytes)?.code == .malformed) }
    }
}
