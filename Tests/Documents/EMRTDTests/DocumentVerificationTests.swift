import Cryptography
import EMRTD
import EMRTDSimulation
import Testing

@Suite("Verification of a whole document")
struct DocumentVerificationTests {
    // MARK: What passes

    @Test("A document with chip and active authentication passes")
    func passes() throws {
        let result = try Simulation.verify(Simulation.evidence(Simulation.document.get()))
        #expect(result.passed && result.refusals.isEmpty)
        #expect(result.chipAuthentication == .success && result.activeAuthentication == .success)
        #expect(result.passiveAuthentication.succeeded && result.passiveAuthentication.areAllHashesValid)
        #expect(result.passiveAuthentication.dataGroupsChecked == [1, 2, 14, 15])
        #expect(result.machineReadableZone?.name.primary.text == "ERIKSSON")
        #expect(result.details.faceImages.count == 1 && result.securityObject?.hashAlgorithm == .sha256)
        #expect(result.errors == ["there is no revocation list of the document signer's CA"])
    }

    @Test("Without chip authentication on the chip, active authentication passes")
    func activeOnly() throws {
        let features = SimulatedDocument.Features(chipAuthentication: nil)
        let evidence = try Simulation.evidence(Simulation.issuer.get().issue(SimulatedHolder(), features))
        let result = try Simulation.verify(evidence)
        #expect(result.passed && result.chipAuthentication == .unavailable && result.activeAuthentication == .success)
    }

    @Test("After chip authentication no answer to active authentication is needed, and none is missed")
    func chipOnly() throws {
        let evidence = try Simulation.evidence(Simulation.document.get(), signs: false)
        for evidence in [evidence, evidence.changing(removing: [.dataGroup(15)])] {
            let result = try Simulation.verify(evidence)
            #expect(result.passed && result.chipAuthentication == .success)
            // The published apps show FAILED as a cloned chip.
            #expect(result.activeAuthentication == .unavailable)
            #expect(!result.errors.contains { $0.hasPrefix("active authentication") })
        }
    }

    @Test("A signature of active authentication that was sent is judged, also after chip authentication")
    func unaskedSignature() throws {
        let evidence = try Simulation.evidence(Simulation.document.get())
        #expect(try Simulation.verify(evidence).activeAuthentication == .success)
        let wrong = try Simulation.verify(evidence.changing(signature: [1, 2, 3]))
        #expect(wrong.activeAuthentication == .failed && wrong.refusals == [.wrongActiveAuthenticationSignature])
        let keyless = try Simulation.verify(evidence.changing(removing: [.dataGroup(15)]))
        #expect(keyless.activeAuthentication == .failed && keyless.passed)
    }

    // MARK: Sessions that have failed

    @Test("A session that has failed gives no pass, whatever is known of the document")
    func incomplete() throws {
        let evidence = try Simulation.evidence(Simulation.document.get()).incomplete
        let whole = try Simulation.verify(evidence)
        #expect(whole.refusals == [.readingNotFinished])
        #expect(whole.machineReadableZone != nil && whole.details.faceImages.count == 1, "a state has signed it")
        let early = try Simulation.verify(evidence.changing(removing: [.securityObject]).incomplete)
        // What the session did not come to is not held against the document.
        #expect(early.refusals == [.readingNotFinished] && !early.passiveAuthentication.succeeded)
        #expect(early.securityObject == nil)
        let forged = try Simulation.evidence(Simulation.document.get()).changing(
            files: [.dataGroup(2): Octets(copying: [1])]
        ).incomplete
        #expect(try Simulation.verify(forged).refusals == [.passiveAuthenticationFailed, .readingNotFinished])
        #expect(early.machineReadableZone == nil && early.details.faceImages.isEmpty, "nobody has signed it")
        #expect(early.chipAuthentication == .failed)
    }

    @Test("If a chip has not proven its key, that is known before the security object is")
    func failedChipAuthentication() throws {
        let clone = try Simulation.document.get().clone()
        let evidence = try Simulation.evidence(clone).changing(
            removing: [.securityObject, .dataGroup(1), .dataGroup(2), .dataGroup(15)]
        ).incomplete
        let result = try Simulation.verify(evidence)
        #expect(result.chipAuthentication == .failed && result.refusals.contains(.chipAuthenticationFailed))
        #expect(result.refusals == [.chipAuthenticationFailed, .readingNotFinished])
        let reason = try #require(result.chipAuthenticationReason)
        #expect(
            result.errors.contains("chip authentication: the chip did not prove that it has its key (\(reason))"))
    }

    @Test("A chip that can do neither passes at the passive level only")
    func passiveOnly() throws {
        let evidence = try Simulation.evidence(Simulation.issuer.get().issue(SimulatedHolder(), .none))
        let strict = try Simulation.verify(evidence)
        #expect(strict.refusals == [.chipCannotBeAuthenticated])
        #expect(strict.chipAuthentication == .unavailable && strict.activeAuthentication == .unavailable)
        #expect(try Simulation.verify(evidence, assurance: .passive).passed)
    }

    @Test("If the signed key for chip authentication cannot be used, active authentication decides")
    func unusableKey() throws {
        let issuer = try Simulation.issuer.get()
        var document = try Simulation.document.get()
        var dg14 = try #require(document.files[.dataGroup(14)])
        let order = try #require(NamedCurve.p256.parameters).order
        let place = try #require(dg14.firstRange(of: order))
        dg14[place.upperBound - 1] ^= 2
        document.files[.dataGroup(14)] = dg14
        var groups: [Int: [UInt8]] = [:]
        for case (.dataGroup(let number), let content) in document.files { groups[number] = content }
        document.files[.securityObject] = try issuer.securityObject(of: groups)
        let result = try Simulation.verify(Simulation.evidence(document))
        #expect(result.passed && result.chipAuthentication == .unavailable && result.activeAuthentication == .success)
        #expect(result.errors.contains("chip authentication: no usable key"))
        let unsigned = try Simulation.verify(Simulation.evidence(document, signs: false), assurance: .passive)
        #expect(unsigned.refusals == [.activeAuthenticationFailed])
    }

    // MARK: Copies and lies

    @Test("A clone does not pass, at either level")
    func clone() throws {
        let clone = try Simulation.document.get().clone()
        for assurance in [AssuranceLevel.chip, .passive] {
            let result = try Simulation.verify(Simulation.evidence(clone), assurance: assurance)
            #expect(result.refusals.contains(.chipAuthenticationFailed) && result.chipAuthentication == .failed)
        }
        // With active authentication alone.
        let features = SimulatedDocument.Features(chipAuthentication: nil)
        let copied = try Simulation.issuer.get().issue(SimulatedHolder(), features).clone()
        let result = try Simulation.verify(Simulation.evidence(copied), assurance: .passive)
        #expect(result.refusals == [.activeAuthenticationFailed, .wrongActiveAuthenticationSignature])
    }

    @Test("The copied files of a document without a chip do not pass, whatever is left out")
    func copiedFiles() throws {
        let document = try Simulation.document.get()
        let all = document.files.mapValues { Octets(copying: $0) }
        let leftOut: [[FileName]] = [
            [], [.dataGroup(14)], [.dataGroup(15)], [.dataGroup(14), .dataGroup(15)],
            [.dataGroup(14), .dataGroup(15), .dataGroup(2), .common],
        ]
        for names in leftOut {
            for assurance in [AssuranceLevel.chip, .passive] {
                let evidence = DocumentEvidence(
                    files: all.filter { !names.contains($0.key) }, chipAuthentication: nil,
                    challenge: Simulation.challenge, activeAuthenticationSignature: nil)
                let result = try Simulation.verify(evidence, assurance: assurance)
                #expect(result.refusals == [.chipAuthenticationFailed], "without \(names)")
                #expect(result.chipAuthentication == .failed && result.activeAuthentication == .failed)
            }
        }
    }

    @Test("A downgrade is refused: chip authentication that was not done, or claimed to be unavailable")
    func downgrade() throws {
        let evidence = try Simulation.evidence(Simulation.document.get())
        for result in [ChipAuthentication.Result.unavailable, .failed, nil] {
            let changed = evidence.changing(chipAuthentication: { evidence in
                result.flatMap { result in
                    evidence.map { .init(result: result, dg14: $0.dg14, dg1: $0.dg1) }
                }
            })
            let verdict = try Simulation.verify(changed)
            #expect(verdict.chipAuthentication == .failed)
            // The good answer to active authentication does not help.
            #expect(verdict.activeAuthentication == .success && verdict.refusals == [.chipAuthenticationFailed])
        }
    }

    @Test("Chip authentication with the key of another data group 14 fails")
    func otherKey() throws {
        // The attacker's own chip has a key of its own, and the files of another person's document.
        let victim = try Simulation.document.get()
        let attacker = try Simulation.issuer.get().issue(SimulatedHolder(name: "MALLORY<<EVE"))
        var chip = victim
        chip.chipAuthenticationKey = attacker.chipAuthenticationKey
        chip.files[.dataGroup(14)] = attacker.files[.dataGroup(14)]
        let evidence = try Simulation.evidence(chip)
        #expect(evidence.chipAuthentication?.result == .success)
        let sent = try Simulation.verify(evidence)
        #expect(sent.chipAuthentication == .failed && !sent.passiveAuthentication.succeeded && !sent.passed)
        // The right file is sent later, in its place.
        let later = try Simulation.verify(
            evidence.changing(files: [.dataGroup(14): Octets(copying: victim.files[.dataGroup(14)] ?? [])]))
        #expect(later.chipAuthentication == .failed && later.passiveAuthentication.succeeded && !later.passed)
    }

    @Test("A data group 14 or 15 that the security object does not cover counts for nothing")
    func injectedKeys() throws {
        let issuer = try Simulation.issuer.get()
        let bare = try issuer.issue(SimulatedHolder(), .none)
        let other = try issuer.issue(SimulatedHolder())
        var chip = bare
        chip.chipAuthenticationKey = other.chipAuthenticationKey
        chip.activeAuthenticationKey = other.activeAuthenticationKey
        for number in [14, 15] { chip.files[.dataGroup(number)] = other.files[.dataGroup(number)] }
        let evidence = try Simulation.evidence(chip)
        #expect(evidence.chipAuthentication?.result == .success && evidence.activeAuthenticationSignature != nil)
        for assurance in [AssuranceLevel.chip, .passive] {
            let result = try Simulation.verify(evidence, assurance: assurance)
            #expect(result.chipAuthentication == .failed && result.activeAuthentication == .unavailable)
            #expect(!result.passiveAuthentication.succeeded && !result.passed)
            let hidden = try Simulation.verify(
                evidence.changing(removing: [.dataGroup(14), .dataGroup(15)]), assurance: assurance
            )
            #expect(hidden.chipAuthentication == .failed && !hidden.passed)
        }
    }

    @Test("A security object of a forger with the same names does not pass")
    func forgedSecurityObject() throws {
        let forger = try SimulatedIssuer(at: Simulation.now)
        let forged = try forger.issue(SimulatedHolder(name: "MALLORY<<EVE"))
        let result = try Simulation.verify(Simulation.evidence(forged))
        #expect(result.passiveAuthentication.isSecurityObjectSignatureValid)
        #expect(!result.passiveAuthentication.isDocumentCertificateValid)
        #expect(result.refusals == [.passiveAuthenticationFailed])
        // With a bit of the real one's signature changed.
        let document = try Simulation.document.get()
        var bytes = try #require(document.files[.securityObject])
        bytes[bytes.count - 1] ^= 1
        let changed = try Simulation.verify(
            Simulation.evidence(document).changing(files: [.securityObject: Octets(copying: bytes)]))
        #expect(!changed.passiveAuthentication.isSecurityObjectSignatureValid)
        #expect(!changed.passiveAuthentication.isDocumentCertificateValid)
        #expect(!changed.passiveAuthentication.areAllHashesValid)
        #expect(changed.chipAuthentication == .failed && changed.activeAuthentication == .failed && !changed.passed)
    }

    @Test("A swapped data group does not pass", arguments: [1, 2, 15])
    func swappedDataGroup(number: Int) throws {
        let issuer = try Simulation.issuer.get()
        let other = try issuer.issue(SimulatedHolder(name: "MALLORY<<EVE", documentNumber: "M00000000"))
        var document = try Simulation.document.get()
        if number == 2 {
            document.files[.dataGroup(2)] = try TestData.bytes("lds/single/dg2-jpeg-text-image.bin")
        } else {
            document.files[.dataGroup(number)] = other.files[.dataGroup(number)]
        }
        let result = try Simulation.verify(Simulation.evidence(document))
        #expect(!result.passiveAuthentication.dataGroupsWithValidHash.contains(number))
        #expect(result.refusals.contains(.passiveAuthenticationFailed))
        #expect(!result.passiveAuthentication.areAllHashesValid)
        #expect(result.passiveAuthentication.isSecurityObjectSignatureValid)
    }

    @Test("Data group 1 is the one that the server read, and a client cannot send another")
    func otherDataGroup1() throws {
        let issuer = try Simulation.issuer.get()
        let other = issuer.dataGroup1(SimulatedHolder(name: "MALLORY<<EVE"))
        let evidence = try Simulation.evidence(Simulation.document.get())
            .changing(files: [.dataGroup(1): Octets(copying: other)])
        let result = try Simulation.verify(evidence)
        #expect(result.machineReadableZone?.name.primary.text == "ERIKSSON")
        #expect(result.chipAuthentication == .failed && !result.passed)
    }

    @Test("A replayed or wrong signature of active authentication never passes, even after chip authentication")
    func replayedSignature() throws {
        let evidence = try Simulation.evidence(Simulation.document.get())
        for changed in [
            evidence.changing(challenge: [8, 7, 6, 5, 4, 3, 2, 1]),
            evidence.changing(signature: [UInt8](repeating: 1, count: 64)), evidence.changing(signature: []),
        ] {
            let result = try Simulation.verify(changed)
            #expect(result.activeAuthentication == .failed && result.chipAuthentication == .success)
            #expect(result.refusals == [.wrongActiveAuthenticationSignature])
        }
    }

    // MARK: What is missing

    @Test("Without security object or data group 1, or with ones that cannot be read, nothing passes")
    func missingFiles() throws {
        let evidence = try Simulation.evidence(Simulation.document.get())
        let junk = Octets(copying: [1, 2, 3])
        for file in [nil, junk] as [Octets?] {
            let result = try Simulation.verify(
                evidence.changing(
                    files: file.map { [.securityObject: $0] } ?? [:], removing: file == nil ? [.securityObject] : []),
                assurance: .passive)
            #expect(!result.passed && !result.passiveAuthentication.succeeded && result.securityObject == nil)
            #expect(result.chipAuthentication == .failed && result.activeAuthentication == .failed)
        }
        let without = evidence.changing(
            removing: [.dataGroup(1)],
            chipAuthentication: { $0.map { .init(result: $0.result, dg14: $0.dg14, dg1: nil) } })
        let result = try Simulation.verify(without)
        #expect(result.refusals.prefix(2) == [.passiveAuthenticationFailed, .noMachineReadableZone])
        #expect(!result.passiveAuthentication.areAllHashesValid)
        let nothing = DocumentEvidence(
            files: [:], chipAuthentication: nil, challenge: Simulation.challenge, activeAuthenticationSignature: nil)
        #expect(try !Simulation.verify(nothing, assurance: .passive).passed)
    }

    @Test("A data group that cannot be read is an error, and does not decide if it is signed")
    func unreadableDataGroup() throws {
        let issuer = try Simulation.issuer.get()
        var document = try Simulation.document.get()
        document.files[.dataGroup(11)] = [0x6B, 0x02, 0x5C, 0x00] + []
        document.files[.dataGroup(12)] = [0x6C, 0x03, 0x5C, 0x01, 0x5F]
        var groups: [Int: [UInt8]] = [:]
        for case (.dataGroup(let number), let content) in document.files { groups[number] = content }
        document.files[.securityObject] = try issuer.securityObject(of: groups)
        let result = try Simulation.verify(Simulation.evidence(document))
        #expect(result.passed && result.details.document == nil)
        #expect(result.errors.contains { $0.hasPrefix("dg12: ") })
    }

    @Test("Pictures and details are read only if they are signed")
    func unsignedDetails() throws {
        var document = try Simulation.document.get()
        document.files[.dataGroup(11)] = try TestData.bytes("lds/single/dg11-birth-date.bin")
        document.files[.dataGroup(12)] = try TestData.bytes("lds/single/dg12-authority-date.bin")
        document.files[.dataGroup(7)] = try TestData.bytes("lds/single/dg7-jpeg-text-image.bin")
        let signed = try Simulation.signed(document)
        let read = try Simulation.verify(Simulation.evidence(signed))
        #expect(read.passed && read.details.faceImages.count == 1 && read.details.signatureImages.count == 1)
        #expect(read.details.person != nil && read.details.document != nil)
        // The data groups 7, 11 and 12 are not in this security object.
        document.files[.dataGroup(2)]?[700] ^= 1
        var changed = signed
        changed.files[.securityObject]?[signed.files[.securityObject]!.count - 1] ^= 1
        for evidence in [try Simulation.evidence(document), try Simulation.evidence(changed)] {
            let result = try Simulation.verify(evidence)
            #expect(!result.passed && result.details.faceImages.isEmpty && result.details.signatureImages.isEmpty)
            #expect(result.details.person == nil && result.details.document == nil)
        }
    }

    @Test("A signed data group 1 that cannot be read fails passive authentication too, for clients that see no more")
    func unreadableZone() throws {
        var document = try Simulation.document.get()
        document.files[.dataGroup(1)] = [0x61, 0x05, 0x5F, 0x1F, 0x02, 0x41, 0x41]
        let result = try Simulation.verify(Simulation.evidence(Simulation.signed(document)))
        #expect(result.refusals.prefix(2) == [.passiveAuthenticationFailed, .noMachineReadableZone])
        #expect(!result.passiveAuthentication.isDocumentCertificateValid)
    }

    @Test("A signature cannot be wrong if the chip's key, or every hash for it, cannot be used")
    func unusableActiveAuthenticationKey() throws {
        var unusable = try Simulation.document.get()
        let order = try #require(NamedCurve.p256.parameters).order
        let place = try #require(unusable.files[.dataGroup(15)]?.firstRange(of: order))
        unusable.files[.dataGroup(15)]?[place.upperBound - 1] ^= 2

        // A key that is shorter than each hash, and no data group 14 that names one.
        let issuer = try Simulation.issuer.get()
        let other = try issuer.issue(SimulatedHolder(), .init(activeAuthentication: .p192))
        var short = try issuer.issue(SimulatedHolder(), .init(activeAuthentication: nil))
        short.files[.dataGroup(15)] = other.files[.dataGroup(15)]
        short.activeAuthenticationKey = other.activeAuthenticationKey
        for document in [unusable, short] {
            let evidence = try Simulation.evidence(Simulation.signed(document))
            #expect(evidence.activeAuthenticationSignature != nil)
            let result = try Simulation.verify(evidence)
            #expect(result.passed && result.activeAuthentication == .failed && result.chipAuthentication == .success)
            #expect(result.errors.contains("active authentication: the chip's key cannot be used"))
        }
    }

    @Test("The documents of Utopia pass with their published chip keys")
    func utopia() throws {
        let numbers = [1, 2, 11, 12, 14, 15]
        var files: [FileName: Octets] = [.securityObject: try TestData.octets("lds/utopia-ec/sod.bin")]
        for number in numbers { files[.dataGroup(number)] = try TestData.octets("lds/utopia-ec/dg\(number).bin") }
        struct Keys: Decodable {
            struct Chip: Decodable {
                struct Key: Decodable { let privateKey: HexBytes }
                let chipAuthentication, activeAuthentication: Key
            }
            let chip: Chip
        }
        let keys = try TestData.json("lds/utopia-ec/expected.json", Keys.self).chip
        let document = SimulatedDocument(
            files: files.mapValues(\.bytes),
            chipAuthenticationKey: .ellipticCurve(
                try ECPrivateKey(curve: .p256, number: keys.chipAuthentication.privateKey.bytes)),
            activeAuthenticationKey: try ECPrivateKey(curve: .p256, number: keys.activeAuthentication.privateKey.bytes))
        let anchors = TrustAnchors([try SigningCertificate(TestData.octets("lds/utopia-ec/csca.cer"))])
        let evidence = try Simulation.evidence(document)
        let result = try Simulation.verify(evidence, anchors)
        #expect(result.chipAuthentication == .success && result.activeAuthentication == .success)
        // Its date of expiry is in 2012.
        #expect(
            result.refusals == [.documentExpired] && result.passiveAuthentication.dataGroupsWithValidHash == numbers)
        // It was signed in 2024.
        #expect(try Simulation.verify(evidence, anchors, at: 1_320_000_000).refusals == [.passiveAuthenticationFailed])
        #expect(result.details.person?.profession?.text == "TEST ENGINEER")
        #expect(result.details.document?.issuingAuthority?.text == "UTOPIA PASSPORT OFFICE")
    }
}
