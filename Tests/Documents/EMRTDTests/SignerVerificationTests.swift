import Cryptography
import EMRTD
import EMRTDSimulation
import Testing

@Suite("Verification of a whole document: its signer and the time")
struct SignerVerificationTests {
    private let day: Int64 = 86_400

    // MARK: Time

    @Test("A document passes until the end of its last day in every time zone")
    func expiry() throws {
        let issuer = try Simulation.issuer.get()
        let evidence = try Simulation.evidence(issuer.issue(SimulatedHolder(dateOfExpiry: "261123")))
        let end = try #require(CalendarDate(year: 2026, month: 11, day: 24)).daysSince1970
        let last = Int64(end) * day + 12 * 3600
        #expect(try Simulation.verify(evidence, at: last - 1).passed)
        #expect(try Simulation.verify(evidence, at: last).refusals == [.documentExpired])
        let unknown = try Simulation.evidence(issuer.issue(SimulatedHolder(dateOfExpiry: "<<<<<<")))
        #expect(try Simulation.verify(unknown).refusals == [.noDateOfExpiry])
    }

    @Test("A document whose signer and CA have expired since still passes")
    func expiredCertificates() throws {
        let evidence = try Simulation.evidence(Simulation.issuer.get().issue(SimulatedHolder(dateOfExpiry: "391231")))
        let result = try Simulation.verify(evidence, at: Simulation.now + 11 * 365 * day)
        #expect(result.passed)
    }

    @Test("A signature that the signer made outside of its validity does not count")
    func signingTime() throws {
        let issuer = try Simulation.issuer.get()
        let document = try Simulation.document.get()
        var groups: [Int: [UInt8]] = [:]
        for case (.dataGroup(let number), let content) in document.files { groups[number] = content }
        for time in [Simulation.now - 20 * day, Simulation.now + 4000 * day] {
            var changed = document
            changed.files[.securityObject] = try issuer.securityObject(of: groups, signingTime: time)
            let result = try Simulation.verify(Simulation.evidence(changed))
            #expect(!result.passiveAuthentication.isDocumentCertificateValid && !result.passed)
        }
    }

    @Test("What was signed in the future, beyond what clocks may differ, does not count")
    func signedInTheFuture() throws {
        let issuer = try Simulation.issuer.get()
        var document = try Simulation.document.get()
        var groups: [Int: [UInt8]] = [:]
        for case (.dataGroup(let number), let content) in document.files { groups[number] = content }
        for (seconds, passes) in [(300, true), (301, false), (30 * day, false)] as [(Int64, Bool)] {
            document.files[.securityObject] = try issuer.securityObject(
                of: groups, signingTime: Simulation.now + seconds)
            let result = try Simulation.verify(Simulation.evidence(document))
            #expect(result.passed == passes)
            let failure = "the security object was signed in the future"
            #expect(result.passiveAuthentication.failure == (passes ? nil : failure))
        }
    }

    // MARK: Trust

    @Test("A revoked signer is refused, and a missing or old list is an error only")
    func revocation() throws {
        let issuer = try Simulation.issuer.get()
        let evidence = try Simulation.evidence(Simulation.document.get())
        let now = Simulation.now
        for (revokes, next, passes, remark) in [
            (false, now + day, true, nil), (true, now + day, false, nil), (true, now - 1, false, nil),
            (false, now - 1, true, "out of date"),
        ] as [(Bool, Int64, Bool, String?)] {
            let list = try issuer.revocationList(revokesSigner: revokes, thisUpdate: now - day, nextUpdate: next)
            let anchors = try Simulation.anchors(
                issuer, revocationLists: [CertificateRevocationList(Octets(copying: list))])
            let result = try Simulation.verify(evidence, anchors)
            #expect(result.passed == passes && result.passiveAuthentication.isDocumentCertificateValid == passes)
            #expect(remark.map { text in result.errors.contains { $0.contains(text) } } ?? result.errors.isEmpty)
        }
    }

    @Test("A list that another CA signed does not count, and of two the newer one does")
    func otherRevocationLists() throws {
        let issuer = try Simulation.issuer.get()
        let evidence = try Simulation.evidence(Simulation.document.get())
        let now = Simulation.now
        let forger = try SimulatedIssuer(at: now)
        let forged = try CertificateRevocationList(
            Octets(copying: forger.revocationList(revokesSigner: true, thisUpdate: now, nextUpdate: now + day)))
        #expect(try Simulation.verify(evidence, Simulation.anchors(issuer, revocationLists: [forged])).passed)
        let lists = try [(true, now - 2 * day), (false, now - day)].map { revokes, time in
            try CertificateRevocationList(
                Octets(copying: issuer.revocationList(revokesSigner: revokes, thisUpdate: time, nextUpdate: now + day)))
        }
        for order in [lists, lists.reversed()] {
            #expect(try Simulation.verify(evidence, Simulation.anchors(issuer, revocationLists: order)).passed)
        }
    }

    @Test("A revoked signer is refused if its issuer's name is not the one of the list")
    func revocationUnderAnotherName() throws {
        var profile = SimulatedIssuer.SignerProfile()
        profile.issuerCommonName = "CSCA of Utopia"
        let issuer = try SimulatedIssuer(at: Simulation.now, signer: profile)
        let evidence = try Simulation.evidence(issuer.issue())
        #expect(try Simulation.verify(evidence, Simulation.anchors(issuer)).passed)
        let list = try issuer.revocationList(
            revokesSigner: true, thisUpdate: Simulation.now, nextUpdate: Simulation.now + day)
        let anchors = try Simulation.anchors(
            issuer, revocationLists: [CertificateRevocationList(Octets(copying: list))])
        #expect(try Simulation.verify(evidence, anchors).refusals == [.passiveAuthenticationFailed])
    }

    @Test("The newest list of each key of a name counts")
    func revocationListsOfSeveralKeys() throws {
        let now = Simulation.now
        let (old, new) = (try Simulation.issuer.get(), try SimulatedIssuer(at: now))
        let lists = try [(old, true, now - 2 * day), (new, false, now - day)].map { issuer, revokes, time in
            try CertificateRevocationList(
                Octets(copying: issuer.revocationList(revokesSigner: revokes, thisUpdate: time, nextUpdate: now + day)))
        }
        let certificates = try [old, new].map { try SigningCertificate(Octets(copying: $0.certificate)) }
        for order in [lists, lists.reversed()] {
            let anchors = TrustAnchors(certificates, revocationLists: order)
            let result = try Simulation.verify(Simulation.evidence(Simulation.document.get()), anchors)
            #expect(result.refusals == [.passiveAuthenticationFailed])
        }
    }

    @Test("A signer whose certificate is for other purposes, or is a CA's, cannot sign documents")
    func otherPurposes() throws {
        func passes(_ change: (inout SimulatedIssuer.SignerProfile) -> Void) throws -> Bool {
            var profile = SimulatedIssuer.SignerProfile()
            change(&profile)
            let issuer = try SimulatedIssuer(at: Simulation.now, signer: profile)
            return try Simulation.verify(Simulation.evidence(issuer.issue()), Simulation.anchors(issuer)).passed
        }
        #expect(try passes { _ in })
        #expect(try passes { $0.extendedKeyUsage = ObjectIdentifier("2.23.136.1.1.1") })
        #expect(try passes { $0.extendedKeyUsage = ObjectIdentifier("2.5.29.37.0") })
        // Master lists, deviation lists, visible seals, TLS.
        for usage in ["2.23.136.1.1.3", "2.23.136.1.1.8", "2.23.136.1.1.14.2", "1.3.6.1.5.5.7.3.1"] as [StaticString] {
            #expect(try !passes { $0.extendedKeyUsage = ObjectIdentifier(usage) }, "\(usage)")
        }
        #expect(try !passes { $0.isAuthority = true })
    }

    @Test("SHA-1 in the signature of the signer's certificate is an error")
    func certificateWithSHA1() throws {
        var profile = SimulatedIssuer.SignerProfile()
        profile.certificateHash = .sha1
        let issuer = try SimulatedIssuer(at: Simulation.now, signer: profile)
        let result = try Simulation.verify(Simulation.evidence(issuer.issue()), Simulation.anchors(issuer))
        #expect(result.passed && result.errors.contains { $0.contains("SHA-1") })
    }

    @Test("Certificates that cannot be used do no harm, and at most three are tried")
    func otherCertificates() throws {
        func verify(_ others: [[UInt8]]) throws -> DocumentVerification {
            let document = try Simulation.signed(Simulation.document.get(), otherCertificates: others)
            return try Simulation.verify(Simulation.evidence(document))
        }
        let junk = DERWriter.sequence(DERWriter.integer(5))
        #expect(try verify([junk]).passed)
        // Signers of other keys with the same issuer and serial number.
        let same = try (0..<3).map { _ in try SimulatedIssuer(at: Simulation.now).signerCertificate }
        #expect(try verify(Array(same.prefix(2))).passed)
        #expect(try !verify(same).passiveAuthentication.isSecurityObjectSignatureValid)
    }

    @Test("A revocation list that is cut off is refused")
    func malformedRevocationList() throws {
        let list = try Simulation.issuer.get().revocationList(
            revokesSigner: true, thisUpdate: Simulation.now, nextUpdate: Simulation.now + day)
        for count in 0..<list.count {
            #expect(throws: FormatError.self) {
                _ = try CertificateRevocationList(Octets(copying: Array(list.prefix(count))))
            }
        }
    }

    @Test("Without the CA of the document there is no trust")
    func noAnchor() throws {
        let evidence = try Simulation.evidence(Simulation.document.get())
        for anchors in [TrustAnchors([]), try Lists.germanAnchors] {
            #expect(try Simulation.verify(evidence, anchors).refusals == [.passiveAuthenticationFailed])
        }
    }

    @Test("A state's signer cannot sign the documents of another state")
    func otherState() throws {
        let other = try SimulatedIssuer(country: "DE", state: "UTO", at: Simulation.now)
        let evidence = try Simulation.evidence(other.issue())
        let result = try Simulation.verify(evidence, Simulation.anchors(other))
        #expect(!result.passiveAuthentication.isDocumentCertificateValid && !result.passed)
        let right = try SimulatedIssuer(country: "DE", state: "D", at: Simulation.now)
        #expect(try Simulation.verify(Simulation.evidence(right.issue()), Simulation.anchors(right)).passed)
    }

    @Test("A simulated master list is verified under its root, and not under another")
    func simulatedMasterList() throws {
        let issuer = try Simulation.issuer.get()
        let other = try SimulatedIssuer(country: "DE", state: "D", at: Simulation.now)
        let bytes = try issuer.masterList(of: [issuer.certificate, other.certificate], signingTime: Simulation.now)
        let list = try MasterList(Octets(copying: bytes))
        let root = try SigningCertificate(Octets(copying: issuer.certificate))
        let verified = try list.verify(root: root)
        #expect(verified.certificates.count == 2 && verified.signingTime == Simulation.now)
        #expect(throws: MasterList.Refusal.signerNotUnderRoot) {
            try list.verify(root: SigningCertificate(Octets(copying: other.certificate)))
        }
        let old = try issuer.masterList(of: [issuer.certificate], signingTime: Simulation.now - 4000 * day)
        #expect(throws: MasterList.Refusal.signerExpired) { try MasterList(Octets(copying: old)).verify(root: root) }
        for count in stride(from: 0, to: bytes.count, by: 11) {
            #expect(throws: FormatError.self) { _ = try MasterList(Octets(copying: Array(bytes.prefix(count)))) }
        }
    }

    @Test("A master list of a revoked signer is refused")
    func revokedMasterListSigner() throws {
        let issuer = try Simulation.issuer.get()
        let list = try MasterList(
            Octets(copying: issuer.masterList(of: [issuer.certificate], signingTime: Simulation.now)))
        let root = try SigningCertificate(Octets(copying: issuer.certificate))
        func verify(revoked: Bool, by authority: SimulatedIssuer) throws -> MasterList.Verified {
            let revocationList = try authority.revocationList(
                revokesSigner: false, revokesListSigner: revoked, thisUpdate: Simulation.now,
                nextUpdate: Simulation.now + day)
            return try list.verify(
                root: root, revocationLists: [CertificateRevocationList(Octets(copying: revocationList))])
        }
        #expect(try verify(revoked: false, by: issuer).certificates.count == 1)
        #expect(try verify(revoked: true, by: SimulatedIssuer(at: Simulation.now)).certificates.count == 1)
        #expect(throws: MasterList.Refusal.signerRevoked) { try verify(revoked: true, by: issuer) }
    }
}
