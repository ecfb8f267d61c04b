import Cryptography
import EMRTD
import EMRTDSimulation
import SecureMemory
import Testing

/// A made-up state, its documents, and sessions with their chips.
enum Simulation {
    /// 2026-11-22.
    static let now: Int64 = 1_795_305_600
    static let challenge: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]

    static let issuer: Result<SimulatedIssuer, any Error> = Result { try SimulatedIssuer(at: now) }
    static let document: Result<SimulatedDocument, any Error> = Result { try issuer.get().issue() }

    static func anchors(
        _ issuer: SimulatedIssuer, revocationLists: [CertificateRevocationList] = []
    ) throws -> TrustAnchors {
        TrustAnchors(
            [try SigningCertificate(Octets(copying: issuer.certificate))], revocationLists: revocationLists)
    }

    /// The document with a security object for the files that it has now.
    static func signed(
        _ document: SimulatedDocument, by issuer: SimulatedIssuer? = nil, otherCertificates: [[UInt8]] = []
    ) throws -> SimulatedDocument {
        var (document, groups): (SimulatedDocument, [Int: [UInt8]]) = (document, [:])
        for case (.dataGroup(let number), let content) in document.files { groups[number] = content }
        document.files[.securityObject] = try (issuer ?? self.issuer.get()).securityObject(
            of: groups, otherCertificates: otherCertificates)
        return document
    }

    /// The keys that access control has made.
    static func accessKeys(_ cipher: SessionKeys.Cipher = .aes128) throws -> SessionKeys {
        let key = [UInt8](repeating: 5, count: cipher.keyByteCount)
        return try SessionKeys(
            cipher, encryptionKey: SecretBytes(copying: key), authenticationKey: SecretBytes(copying: key))
    }

    static let limits = ChipAuthentication.Limits(
        commandByteCount: 1534, blockByteCount: 4096, allowsExtendedLength: true)

    /// What a session with a chip came to.
    struct Session {
        let outcome: ChipAuthentication.Outcome
        /// The commands that were sent.
        let commands: [[UInt8]]
        var chip: SimulatedChip
    }

    /// Relays the commands of chip authentication to a chip. A missing answer is what a connector makes of it: `6F00`.
    static func authenticate(
        _ chip: SimulatedChip, dg14: [UInt8]? = nil, infos: SecurityInfos? = nil, access: SessionKeys,
        limits: ChipAuthentication.Limits? = limits, relay: (Int, [UInt8]) -> [UInt8] = { $1 }
    ) throws -> Session {
        var chip = chip
        let file = try #require(dg14 ?? chip.document.files[.dataGroup(14)])
        var authentication = ChipAuthentication(
            try infos ?? SecurityInfos(Octets(copying: file)), channel: SecureChannel(keys: access),
            limits: try #require(limits))
        var (step, commands): (ChipAuthentication.Step, [[UInt8]]) = (authentication.start(), [])
        while case .send(let command) = step {
            #expect(command.count <= limits?.commandByteCount ?? 0)
            try #require(commands.count < 200, "the session does not end")
            commands.append(command)
            let answer = chip.answer(relay(commands.count, command)) ?? [0x6F, 0x00]
            step = authentication.receive(Octets(copying: answer))
        }
        guard case .finished(let outcome) = step else { throw Unfinished() }
        return Session(outcome: outcome, commands: commands, chip: chip)
    }

    struct Unfinished: Error {}

    /// A command for the chip's application in the channel after chip authentication.
    static func exchange(
        _ command: CommandAPDU, _ channel: inout SecureChannel, _ chip: inout SimulatedChip
    ) throws -> ResponseAPDU {
        let answer = chip.answer(try channel.protect(command)) ?? []
        return try channel.unprotect(Octets(copying: answer))
    }

    /// Reads a file as a client does.
    static func read(
        _ file: FileName, _ channel: inout SecureChannel, _ chip: inout SimulatedChip
    ) throws -> Octets? {
        var reading = FileReading(file, chunkByteCount: channel.longestShortData)
        var command = reading.first
        while true {
            switch reading.receive(try exchange(command, &channel, &chip)) {
            case .command(let next): command = next
            case .file(let bytes): return bytes
            case .failed: return nil
            }
        }
    }

    /// A whole session as document 003 has it: chip authentication, the other files, active authentication.
    static func evidence(
        _ document: SimulatedDocument, as presented: SimulatedDocument? = nil, misbehaviors: [Misbehavior] = [],
        signs: Bool = true
    ) throws -> DocumentEvidence {
        let access = try accessKeys()
        let presented = presented ?? document
        var chip = SimulatedChip(document, keys: access, misbehaviors: misbehaviors)
        var chipEvidence: DocumentEvidence.ChipAuthenticationEvidence?
        var channel = SecureChannel(keys: access)
        if let dg14 = presented.files[.dataGroup(14)] {
            let session = try authenticate(chip, dg14: dg14, access: access)
            chip = session.chip
            chipEvidence = DocumentEvidence.ChipAuthenticationEvidence(
                result: session.outcome.result, dg14: Octets(copying: dg14), dg1: session.outcome.handBack?.dg1,
                reason: session.outcome.reason)
            if let handBack = session.outcome.handBack { channel = handBack.channel }
        }
        let command = CommandAPDU(instruction: 0x88, p1: 0, p2: 0, data: challenge, expectedCount: 256)
        let answer = signs ? try? exchange(command, &channel, &chip) : nil
        return DocumentEvidence(
            files: presented.files.mapValues { Octets(copying: $0) }, chipAuthentication: chipEvidence,
            challenge: challenge,
            activeAuthenticationSignature: answer.flatMap { $0.status == .success ? $0.data.bytes : nil })
    }

    static func verify(
        _ evidence: DocumentEvidence, _ anchors: TrustAnchors? = nil, at time: Int64 = now,
        assurance: AssuranceLevel = .chip, isExpected: ([ExpectedIdentity]) -> Bool = { _ in true }
    ) throws -> DocumentVerification {
        try DocumentVerification.verify(
            evidence, anchors: anchors ?? self.anchors(issuer.get()), at: time, assurance: assurance,
            isExpected: isExpected)
    }
}

extension DocumentEvidence {
    /// The same with other files, or without some.
    func changing(
        files changes: [FileName: Octets] = [:], removing removed: [FileName] = [],
        chipAuthentication change: (ChipAuthenticationEvidence?) -> ChipAuthenticationEvidence? = { $0 },
        challenge: [UInt8]? = nil, signature: [UInt8]?? = .none
    ) -> DocumentEvidence {
        let files = files.merging(changes) { $1 }.filter { !removed.contains($0.key) }
        return DocumentEvidence(
            files: files, chipAuthentication: change(chipAuthentication), challenge: challenge ?? self.challenge,
            activeAuthenticationSignature: signature ?? activeAuthenticationSignature)
    }

    /// The same, of a session that has failed.
    var incomplete: DocumentEvidence {
        DocumentEvidence(
            files: files, chipAuthentication: chipAuthentication, challenge: challenge,
            activeAuthenticationSignature: activeAuthenticationSignature, isComplete: false)
    }
}

/// What a bank expects.
enum Expected {
    static func document(_ state: String, _ number: String, code: String? = nil) throws -> ExpectedIdentity {
        try ExpectedIdentity(
            issuingState: MRZText.state(octets(state)), documentNumber: MRZText.documentNumber(octets(number)),
            documentCode: code.map { try MRZText.documentCode(octets($0)) })
    }

    static func person(_ name: String, _ birth: String, at now: Int64) throws -> ExpectedIdentity {
        try ExpectedIdentity(
            nameInMRZ: MRZText.name(octets(name)), dateOfBirth: DateOfBirth(octets(birth), at: now))
    }

    private static func octets(_ text: String) -> Octets { Octets(copying: Array(text.utf8)) }
}
