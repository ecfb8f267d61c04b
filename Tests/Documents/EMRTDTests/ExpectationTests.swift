import EMRTD
import EMRTDSimulation
import Testing

/// Which documents are the expected one, or the expected person's.
@Suite("Expected documents and persons")
struct ExpectationTests {
    @Test("Only the expected document or person passes")
    func expectations() throws {
        let evidence = try Simulation.evidence(Simulation.document.get())
        let (now, name) = (Simulation.now, "Eriksson<<Anna Maria")
        let identities = [
            (try Expected.document("UTO", "l898902c3"), true), (try Expected.document("UTO", "L898902C4"), false),
            (try Expected.document("UTO", "L898902C3", code: "p"), true),
            (try Expected.document("UTO", "L898902C3", code: "ID"), false),
            (try Expected.person(name, "740812", at: now), true),
            (try Expected.person("ERIKSSON<<ANNA", "740812", at: now), false),
            (try Expected.person(name, "1974-08-12", at: now), true),
            (try Expected.person(name, "1974-08-13", at: now), false),
        ]
        for (identity, passes) in identities {
            let result = try Simulation.verify(evidence) { found in
                found.contains { $0.canonicalForm == identity.canonicalForm }
            }
            #expect(result.refusals == (passes ? [] : [.notExpected]))
        }
    }

    @Test(
        "A date of birth in data group 11 is compared in full; without it, the century makes the holder 0 to 120 years old",
        arguments: [
            // MRZ, data group 11, expected
            ("260310", nil, "1926-03-10", true), ("260310", nil, "2026-03-10", true),
            ("260310", "19260310", "2026-03-10", false), ("260310", "19260310", "1926-03-10", true),
            ("650310", nil, "1965-03-10", true), ("650310", "19650310", "1965-03-10", true),
            ("650310", "19650310", "650310", true), ("6503<<", nil, "1965-03-10", false),
            ("650310", "19650000", "1965-03-10", true), ("650310", "19650311", "1965-03-10", false),
        ] as [(String, String?, String, Bool)])
    func century(inMRZ: String, inGroup11: String?, expected: String, matches: Bool) throws {
        let issuer = try Simulation.issuer.get()
        var document = try issuer.issue(SimulatedHolder(dateOfBirth: inMRZ))
        if let inGroup11 {
            let elements = DERWriter.element(0x5C, [0x5F, 0x2B]) + DERWriter.element(0x5F2B, Array(inGroup11.utf8))
            document.files[.dataGroup(11)] = DERWriter.element(FileName.dataGroup(11).tag, elements)
        }
        let identity = try Expected.person("ERIKSSON<<ANNA<MARIA", expected, at: Simulation.now)
        let result = try Simulation.verify(Simulation.evidence(Simulation.signed(document))) { found in
            found.contains { $0.canonicalForm == identity.canonicalForm }
        }
        #expect(result.refusals == (matches ? [] : [.notExpected]))
    }

    @Test("An app cannot choose the century by leaving out data group 11")
    func hiddenBirth() throws {
        var document = try Simulation.issuer.get().issue(SimulatedHolder(dateOfBirth: "260310"))
        let elements = DERWriter.element(0x5C, [0x5F, 0x2B]) + DERWriter.element(0x5F2B, Array("19260310".utf8))
        document.files[.dataGroup(11)] = DERWriter.element(FileName.dataGroup(11).tag, elements)
        let evidence = try Simulation.evidence(Simulation.signed(document)).changing(removing: [.dataGroup(11)])
        for birth in ["1926-03-10", "2026-03-10"] {
            let identity = try Expected.person("ERIKSSON<<ANNA<MARIA", birth, at: Simulation.now)
            let result = try Simulation.verify(evidence) { found in
                found.contains { $0.canonicalForm == identity.canonicalForm }
            }
            #expect(result.refusals == [.notExpected])
        }
    }

    @Test("A data group 11 that the security object does not cover says nothing")
    func unsignedBirth() throws {
        var document = try Simulation.issuer.get().issue(SimulatedHolder(dateOfBirth: "260310"))
        let elements = DERWriter.element(0x5C, [0x5F, 0x2B]) + DERWriter.element(0x5F2B, Array("20260310".utf8))
        document.files[.dataGroup(11)] = DERWriter.element(FileName.dataGroup(11).tag, elements)
        let identity = try Expected.person("ERIKSSON<<ANNA<MARIA", "1926-03-10", at: Simulation.now)
        let result = try Simulation.verify(Simulation.evidence(document)) { found in
            found.contains { $0.canonicalForm == identity.canonicalForm }
        }
        #expect(result.refusals == [.passiveAuthenticationFailed])
    }
}
