import Cryptography
import EMRTD
import EMRTDSimulation
import SecureMemory
import Testing

@Suite("Chip authentication with a simulated chip")
struct ChipAuthenticationTests {
    /// The RFC 5114 group of 2048 bits with a subgroup of 256, and that of 1024 bits.
    private static func groups() throws -> [SimulatedDocument.Features.AgreementGroup] {
        try ["generated-dh-2048-aes128", "generated-dh-1024-3des-kat"].map { name in
            let dg14 = try TestData.json("chip-authentication/\(name).json", DG14File.self).dg14
            let infos = try SecurityInfos(dg14.octets)
            guard case .diffieHellman(let key) = ChipAuthenticationOffer.strongest(in: infos)?.publicKey else {
                throw Simulation.Unfinished()
            }
            return .diffieHellman(key.group)
        } + NamedCurve.allCases.map { .ellipticCurve($0) }
    }

    private struct DG14File: Decodable { let dg14: HexBytes }

    @Test("Each curve, group, cipher and channel before succeeds", arguments: SessionKeys.Cipher.allCases)
    func success(_ cipher: SessionKeys.Cipher) throws {
        let issuer = try Simulation.issuer.get()
        for (index, group) in try Self.groups().enumerated() {
            let document = try issuer.issue(
                SimulatedHolder(), SimulatedDocument.Features(chipAuthentication: (group, cipher)))
            let before = SessionKeys.Cipher.allCases[index % 4]
            let access = try Simulation.accessKeys(before)
            let session = try Simulation.authenticate(SimulatedChip(document, keys: access), access: access)
            let handBack = try #require(session.outcome.handBack, "\(group)")
            #expect(session.outcome.result == .success && session.outcome.reason == nil)
            #expect(handBack.channel.keys.cipher == cipher)
            #expect(handBack.dg1 == (document.files[.dataGroup(1)] ?? []))
            // The client goes on with the new keys.
            var (channel, chip) = (handBack.channel, session.chip)
            #expect(
                try Simulation.read(.dataGroup(2), &channel, &chip)
                    == Octets(copying: document.files[.dataGroup(2)] ?? []))
        }
    }

    @Test("An old chip that names no protocol gets Triple DES")
    func inferred() throws {
        let features = SimulatedDocument.Features(
            chipAuthentication: (.ellipticCurve(.brainpoolP224r1), .tripleDES), namesProtocol: false)
        let document = try Simulation.issuer.get().issue(SimulatedHolder(), features)
        let access = try Simulation.accessKeys()
        let session = try Simulation.authenticate(SimulatedChip(document, keys: access), access: access)
        #expect(session.outcome.result == .success && session.outcome.handBack?.channel.keys.cipher == .tripleDES)
        #expect(session.commands[0][..<4] == [0x0C, 0x22, 0x41, 0xA6])
    }

    @Test("A chip with Triple DES that knows one way only is asked in that way, if it refuses the other in the channel")
    func otherWay() throws {
        let features = SimulatedDocument.Features(chipAuthentication: (.ellipticCurve(.p256), .tripleDES))
        let document = try Simulation.issuer.get().issue(SimulatedHolder(), features)
        let access = try Simulation.accessKeys(.tripleDES)
        for known in [ChipAuthentication.Command.keyAgreementTemplate, .authenticationTemplate] {
            let chip = SimulatedChip(document, keys: access, knownCommands: [known])
            let session = try Simulation.authenticate(chip, access: access)
            #expect(session.outcome.result == .success && session.outcome.handBack != nil)
        }
        let chip = SimulatedChip(document, keys: access, knownCommands: [])
        let session = try Simulation.authenticate(chip, access: access)
        #expect(session.outcome.result == .failed)
        // The old channel still works, so that the client gets data group 1.
        #expect(session.outcome.handBack?.dg1 == Octets(copying: document.files[.dataGroup(1)] ?? []))
        #expect(session.outcome.handBack?.channel.keys.cipher == .tripleDES)
    }

    @Test(
        "Long commands are sent in a chain if there are no extended lengths, and blocks are as short as the client says"
    )
    func chains() throws {
        let issuer = try Simulation.issuer.get()
        for group in try Self.groups() + [.ellipticCurve(.p521)] {
            for cipher in [SessionKeys.Cipher.aes256, .tripleDES] {
                let document = try issuer.issue(
                    SimulatedHolder(), SimulatedDocument.Features(chipAuthentication: (group, cipher)))
                for (command, block, extended) in [
                    (100, 7, false), (261, 256, false), (1534, 16, true), (120, 1, true),
                ] {
                    let limits = ChipAuthentication.Limits(
                        commandByteCount: command, blockByteCount: block, allowsExtendedLength: extended)
                    let access = try Simulation.accessKeys(.tripleDES)
                    let session = try Simulation.authenticate(
                        SimulatedChip(document, keys: access), access: access, limits: limits)
                    #expect(session.outcome.result == .success, "\(group) \(cipher) \(command) \(block)")
                    #expect(extended || session.commands.allSatisfy { $0.count <= 261 && $0[4] != 0 })
                }
            }
        }
        for (command, block) in [(99, 1), (100, 0), (0, 0), (-1, -1)] {
            #expect(
                ChipAuthentication.Limits(commandByteCount: command, blockByteCount: block, allowsExtendedLength: true)
                    == nil)
        }
    }

    @Test("A chip without a key is not asked, and data group 1 is read in the old channel")
    func unavailable() throws {
        let features = SimulatedDocument.Features(chipAuthentication: nil)
        let document = try Simulation.issuer.get().issue(SimulatedHolder(), features)
        let access = try Simulation.accessKeys()
        let session = try Simulation.authenticate(SimulatedChip(document, keys: access), access: access)
        #expect(session.outcome.result == .unavailable)
        #expect(session.outcome.handBack?.dg1 == Octets(copying: document.files[.dataGroup(1)] ?? []))
        #expect(
            session.outcome.handBack?.channel.keys.encryptionKey.bytes.revealed == access.encryptionKey.bytes.revealed)
        #expect(session.commands.allSatisfy { [0xA4, 0xB0].contains($0[1]) })
        // The counter is the one after the last answer, so that the client can go on.
        var (channel, chip) = (try #require(session.outcome.handBack).channel, session.chip)
        #expect(try Simulation.read(.securityObject, &channel, &chip)?.count == document.files[.securityObject]?.count)
    }

    @Test("If data group 14 cannot be read, data group 1 is read in the old channel")
    func unreadableInfos() throws {
        let document = try Simulation.document.get()
        let access = try Simulation.accessKeys()
        let session = try Simulation.authenticate(
            SimulatedChip(document, keys: access), infos: SecurityInfos.none, access: access)
        #expect(session.outcome.result == .unavailable)
        #expect(session.outcome.handBack?.dg1 == Octets(copying: document.files[.dataGroup(1)] ?? []))
        #expect(
            session.outcome.handBack?.channel.keys.encryptionKey.bytes.revealed == access.encryptionKey.bytes.revealed)
        #expect(session.commands.allSatisfy { [0xA4, 0xB0].contains($0[1]) })
    }

    @Test("A clone fails, and never gets new keys")
    func clone() throws {
        for cipher in SessionKeys.Cipher.allCases {
            let features = SimulatedDocument.Features(chipAuthentication: (.ellipticCurve(.p256), cipher))
            let clone = try Simulation.issuer.get().issue(SimulatedHolder(), features).clone()
            let access = try Simulation.accessKeys()
            let session = try Simulation.authenticate(SimulatedChip(clone, keys: access), access: access)
            #expect(session.outcome.result == .failed)
            // The clone has changed its keys too, so that it does not understand the old ones any more.
            #expect(session.outcome.handBack == nil)
        }
    }

    @Test(
        "A chip or a carrier that does wrong at any step fails, and never gets new keys",
        arguments: Misbehavior.Kind.allCases)
    func misbehavior(_ kind: Misbehavior.Kind) throws {
        let document = try Simulation.document.get()
        let access = try Simulation.accessKeys()
        let old = access.encryptionKey.bytes.revealed
        for step in Misbehavior.Step.allCases where step != .internalAuthenticate {
            // A short answer has no data that could be another.
            let isHarmless = kind == .lie && [.manageSecurityEnvironment, .select, .generalAuthenticate].contains(step)
            let isLie = kind == .lie && [.readHeader, .readRest].contains(step)
            let chip = SimulatedChip(document, keys: access, misbehaviors: [Misbehavior(kind, at: step)])
            let outcome = try Simulation.authenticate(chip, access: access).outcome
            guard !isHarmless, !(kind == .replay && step == .manageSecurityEnvironment) else { continue }
            if isLie {
                // Its own chip may lie: then the security object says so.
                let evidence = try Simulation.evidence(document, misbehaviors: [Misbehavior(kind, at: step)])
                let result = try Simulation.verify(evidence)
                #expect(step == .readHeader || !result.passed, "\(kind) at \(step)")
                continue
            }
            #expect(outcome.result == .failed, "\(kind) at \(step)")
            #expect(outcome.reason != nil)
            #expect(outcome.handBack.map { $0.channel.keys.encryptionKey.bytes.revealed == old } ?? true)
        }
    }

    @Test("A carrier that changes any byte of a command or an answer makes it fail")
    func relay() throws {
        let document = try Simulation.document.get()
        let access = try Simulation.accessKeys()
        let commands = try Simulation.authenticate(SimulatedChip(document, keys: access), access: access).commands
        #expect(commands.count == 5)
        for (index, command) in commands.enumerated() {
            for place in stride(from: 0, to: command.count - 1, by: 3) {
                let session = try Simulation.authenticate(SimulatedChip(document, keys: access), access: access) {
                    var changed = $1
                    if $0 == index + 1 { changed[place] ^= 0x11 }
                    return changed
                }
                #expect(session.outcome.result == .failed, "byte \(place) of command \(index)")
                let keys = session.outcome.handBack?.channel.keys.encryptionKey.bytes.revealed
                #expect(keys == nil || keys == access.encryptionKey.bytes.revealed)
            }
        }
    }

    @Test("Answers of any bytes at any step do no harm")
    func hostileAnswers() throws {
        let document = try Simulation.document.get()
        let access = try Simulation.accessKeys()
        let infos = try SecurityInfos(Octets(copying: document.files[.dataGroup(14)] ?? []))
        var generator = SecureRandomNumbers()
        for stepCount in 0..<5 {
            for length in [0, 1, 2, 3, 4, 14, 16, 50, 258, 70_000] {
                var chip = SimulatedChip(document, keys: access)
                var authentication = ChipAuthentication(
                    infos, channel: SecureChannel(keys: access), limits: try #require(Simulation.limits))
                var step = authentication.start()
                for _ in 0..<stepCount {
                    guard case .send(let command) = step else { break }
                    step = authentication.receive(Octets(copying: chip.answer(command) ?? []))
                }
                let answer = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
                for _ in 0..<3 { step = authentication.receive(Octets(copying: answer)) }
                guard case .finished(let outcome) = step else {
                    Issue.record("the session did not end")
                    continue
                }
                #expect(outcome.result == .failed && outcome.handBack == nil)
            }
        }
    }

    @Test("After the end, the outcome stays the same")
    func end() throws {
        let document = try Simulation.document.get()
        let access = try Simulation.accessKeys()
        var authentication = ChipAuthentication(
            try SecurityInfos(Octets(copying: document.files[.dataGroup(14)] ?? [])),
            channel: SecureChannel(keys: access), limits: try #require(Simulation.limits))
        _ = authentication.start()
        for _ in 0..<3 {
            guard case .finished(let outcome) = authentication.receive(try Octets(hex: "6F00")) else {
                Issue.record("the session did not end")
                return
            }
            #expect(outcome.result == .failed)
        }
    }

    @Test("Each session has another key pair")
    func freshKeys() throws {
        let document = try Simulation.document.get()
        let access = try Simulation.accessKeys()
        let keys = try (0..<4).map { _ in
            try Simulation.authenticate(SimulatedChip(document, keys: access), access: access)
                .outcome.handBack?.channel.keys.encryptionKey.bytes.revealed
        }
        #expect(Set(keys).count == 4 && !keys.contains(nil))
    }
}
