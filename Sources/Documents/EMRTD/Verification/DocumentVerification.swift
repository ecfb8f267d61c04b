internal import Cryptography

/// What was found about a document, and whether it passed. It proves that the document was present, and not that its holder was.
package struct DocumentVerification: Sendable {
    /// Why a document did not pass.
    package enum Refusal: String, Hashable, Sendable, CaseIterable, CustomStringConvertible {
        /// The files are not those that a trusted state has signed.
        case passiveAuthenticationFailed
        /// There is no machine readable zone that can be read.
        case noMachineReadableZone
        case documentExpired
        case noDateOfExpiry
        /// It is another document, or another person's.
        case notExpected
        /// The chip has a key for it, but did not prove that it has the private one.
        case chipAuthenticationFailed
        /// The chip has no key for chip authentication, and did not prove that it has the one for active authentication.
        case activeAuthenticationFailed
        /// There is a signature, and it is wrong.
        case wrongActiveAuthenticationSignature
        /// The chip can do neither, and the assurance level asks for it.
        case chipCannotBeAuthenticated
        /// The session has ended before the client had read all that it wanted.
        case readingNotFinished

        /// For people. Nothing personal.
        package var description: String {
            switch self {
            case .passiveAuthenticationFailed: "no trusted state has signed the files"
            case .noMachineReadableZone: "there is no machine readable zone that can be read"
            case .documentExpired: "the document has expired"
            case .noDateOfExpiry: "the document has no date of expiry"
            case .notExpected: "it is not the expected document, or not the expected person's"
            case .chipAuthenticationFailed: "the chip did not prove that it has the document's key"
            case .activeAuthenticationFailed: "the chip did not answer the challenge"
            case .wrongActiveAuthenticationSignature: "the chip's answer to the challenge is wrong"
            case .chipCannotBeAuthenticated: "the chip cannot prove that it is no copy"
            case .readingNotFinished: "the session ended before the document was read"
            }
        }
    }

    /// Nil if there was none that could be read.
    package let securityObject: SecurityObject?
    package let machineReadableZone: MachineReadableZone?
    package let details: DocumentDetails
    package let passiveAuthentication: PassiveAuthentication
    package let activeAuthentication: ChipAuthentication.Result
    package let chipAuthentication: ChipAuthentication.Result
    /// What happened in chip authentication, without personal data; nil after success, and if it was not begun.
    package let chipAuthenticationReason: String?
    /// What was wrong or is worth knowing. Nothing personal.
    package let errors: [String]
    /// Empty if the document passed. In the order of ``Refusal``.
    package let refusals: [Refusal]

    package var passed: Bool { refusals.isEmpty }
}

extension DocumentVerification {
    /// Verifies a document.
    ///
    /// - Parameters:
    ///   - anchors: whom to trust, for this bank.
    ///   - unixSeconds: now.
    ///   - isExpected: gets the identities of the machine readable zone, and says whether one of them is the expected one.
    /// - Throws: the errors of `isExpected`.
    package static func verify<Failure>(
        _ evidence: DocumentEvidence, anchors: TrustAnchors, at unixSeconds: Int64, assurance: AssuranceLevel,
        isExpected: ([ExpectedIdentity]) throws(Failure) -> Bool
    ) throws(Failure) -> DocumentVerification {
        var files = DocumentFiles(evidence)
        let zone = files.read(1, MachineReadableZone.init(dg1:))
        let passive = PassiveAuthentication.check(
            files.securityObject, dataGroups: files.dataGroups, issuingState: zone?.issuingState, anchors: anchors,
            at: unixSeconds)
        let signed = SignedDataGroups(files, passive)
        let chip = ChipAuthenticationFinding(evidence, signed)
        let active = ActiveAuthenticationFinding(evidence, signed, isNeeded: chip.result != .success)
        let details = DocumentDetails(&files, signed)
        if zone?.checkDigits.areAllRight == false { files.problems.append("dg1: a check digit is wrong") }
        let hidesDate = if case .missingOrChanged = signed.coverage(of: 11) { true } else { false }
        var isExpectedOne = true
        if let zone {
            isExpectedOne = try isExpected(
                ExpectedIdentity.forms(of: zone, details.person, hidesDate: hidesDate, at: unixSeconds))
        }
        let isPersonalKept = evidence.isComplete || passive.succeeded
        let findings = Findings(
            evidence: evidence, files: files, zone: zone, isExpected: isExpectedOne, passive: passive,
            chip: chip.result,
            active: active)
        return DocumentVerification(
            securityObject: isPersonalKept ? files.securityObject : nil,
            machineReadableZone: isPersonalKept ? zone : nil,
            details: isPersonalKept ? details : DocumentDetails(), passiveAuthentication: passive,
            activeAuthentication: active.result, chipAuthentication: chip.result,
            chipAuthenticationReason: evidence.chipAuthentication?.reason,
            errors: files.problems + passive.remarks + [chip.problem, active.problem].compactMap(\.self),
            refusals: findings.refusals(at: unixSeconds, assurance))
    }
}

/// What was found about a document, and what speaks against it.
private struct Findings {
    typealias Refusal = DocumentVerification.Refusal

    let evidence: DocumentEvidence
    let files: DocumentFiles
    let zone: MachineReadableZone?
    let isExpected: Bool
    let passive: PassiveAuthentication
    let chip: ChipAuthentication.Result
    let active: ActiveAuthenticationFinding

    /// In the order of ``DocumentVerification/Refusal``. What a session that has failed did not come to is not held against the
    /// document.
    func refusals(at unixSeconds: Int64, _ assurance: AssuranceLevel) -> [Refusal] {
        let isComplete = evidence.isComplete
        let hasZone = isComplete || files.dataGroups[1] != nil
        let hasSecurityObject = isComplete || files.securityObject != nil
        let hasProof = isComplete || evidence.chipAuthentication?.result == .failed
        let refusals: [Refusal?] = [
            !passive.succeeded && hasZone && hasSecurityObject ? .passiveAuthenticationFailed : nil,
            zone == nil && hasZone ? .noMachineReadableZone : nil,
            zone.flatMap { Self.expiry($0, at: unixSeconds) },
            isExpected ? nil : .notExpected,
            hasProof ? Self.proof(chip, active.result, assurance) : nil,
            active.isSignatureWrong ? .wrongActiveAuthenticationSignature : nil,
            isComplete ? nil : .readingNotFinished,
        ]
        return refusals.compactMap(\.self)
    }

    /// A document's last day ends last at UTC-12.
    private static func expiry(_ zone: MachineReadableZone, at unixSeconds: Int64) -> Refusal? {
        guard let today = CalendarDate(unixSeconds: unixSeconds), let day = zone.dayOfExpiry(near: today) else {
            return .noDateOfExpiry
        }
        let end = Int64(day.daysSince1970 + 1) * 86_400 + 12 * 3600
        return unixSeconds < end ? nil : .documentExpired
    }

    /// Is the chip the one that the state made? Active authentication counts only if the signed data show no key for chip
    /// authentication: otherwise a copy could leave out what it cannot do.
    private static func proof(
        _ chip: ChipAuthentication.Result, _ active: ChipAuthentication.Result, _ assurance: AssuranceLevel
    ) -> Refusal? {
        switch (chip, active) {
        case (.success, _), (.unavailable, .success): nil
        case (.failed, _): .chipAuthenticationFailed
        case (.unavailable, .failed): .activeAuthenticationFailed
        case (.unavailable, .unavailable): assurance == .passive ? nil : .chipCannotBeAuthenticated
        }
    }
}

/// What data groups 2, 7, 11 and 12 have, if the security object covers them.
package struct DocumentDetails: Sendable {
    package let faceImages: [DocumentImage]
    package let signatureImages: [DocumentImage]
    package let person: AdditionalPersonalDetails?
    package let document: AdditionalDocumentDetails?

    fileprivate init() {
        (faceImages, signatureImages, person, document) = ([], [], nil, nil)
    }

    fileprivate init(_ files: inout DocumentFiles, _ signed: SignedDataGroups) {
        faceImages = files.read(2, in: signed, FaceImages.init)?.images ?? []
        signatureImages = files.read(7, in: signed, SignatureImages.init)?.images ?? []
        person = files.read(11, in: signed, AdditionalPersonalDetails.init)
        document = files.read(12, in: signed, AdditionalDocumentDetails.init)
    }
}

/// The files of a session, and what is wrong with them.
private struct DocumentFiles {
    let dataGroups: [Int: Octets]
    let securityObject: SecurityObject?
    var problems: [String] = []

    init(_ evidence: DocumentEvidence) {
        dataGroups = evidence.dataGroups
        do {
            let file = evidence.files[.securityObject]
            securityObject = try file.map { (file) throws(FormatError) in try SecurityObject(file) }
        } catch {
            securityObject = nil
            problems.append("sod: \(error)")
        }
    }

    /// Reads a data group if the security object covers it: unsigned data are not worth the work.
    mutating func read<Value>(
        _ number: Int, in signed: SignedDataGroups, _ parse: (Octets) throws(FormatError) -> Value
    ) -> Value? {
        guard case .signed = signed.coverage(of: number) else { return nil }
        return read(number, parse)
    }

    /// Reads a data group if it is there.
    mutating func read<Value>(_ number: Int, _ parse: (Octets) throws(FormatError) -> Value) -> Value? {
        guard let file = dataGroups[number] else { return nil }
        do {
            return try parse(file)
        } catch {
            problems.append("dg\(number): \(error)")
            return nil
        }
    }
}

/// What the security object says about data groups, if its signature is valid.
private struct SignedDataGroups {
    private let securityObject: SecurityObject?
    private let files: [Int: Octets]
    private let valid: [Int]

    init(_ files: DocumentFiles, _ passive: PassiveAuthentication) {
        securityObject = passive.isSecurityObjectSignatureValid ? files.securityObject : nil
        self.files = files.dataGroups
        valid = securityObject == nil ? [] : passive.dataGroupsWithValidHash
    }

    enum Coverage {
        /// There are no signed hashes at all.
        case nothingSigned
        /// The chip does not have the data group.
        case notOnChip
        /// The chip has it, but it was not sent, or is different.
        case missingOrChanged
        case signed(Octets)
    }

    func coverage(of number: Int) -> Coverage {
        guard let securityObject else { return .nothingSigned }
        guard securityObject.hashes[number] != nil else { return .notOnChip }
        guard valid.contains(number), let file = files[number] else { return .missingOrChanged }
        return .signed(file)
    }
}

/// The result of chip authentication, after the security object was checked: no downgrade is possible.
private struct ChipAuthenticationFinding {
    let result: ChipAuthentication.Result
    let problem: String?

    init(_ evidence: DocumentEvidence, _ signed: SignedDataGroups) {
        (result, problem) = Self.find(evidence.chipAuthentication, signed, sentDG1: evidence.files[.dataGroup(1)])
    }

    private static func find(
        _ evidence: DocumentEvidence.ChipAuthenticationEvidence?, _ signed: SignedDataGroups, sentDG1: Octets?
    ) -> (ChipAuthentication.Result, String?) {
        switch signed.coverage(of: 14) {
        case .nothingSigned where evidence?.result == .failed: return (.failed, notProven(evidence))
        case .nothingSigned: return (.failed, "chip authentication: nothing says whether the chip has a key")
        case .notOnChip where evidence.map({ $0.result != .unavailable }) ?? false:
            return (.failed, "chip authentication: its key is not in the security object")
        case .notOnChip: return (.unavailable, nil)
        case .missingOrChanged: return (.failed, "chip authentication: data group 14 is missing or was changed")
        case .signed(let dg14):
            guard let infos = try? SecurityInfos(dg14) else {
                return (.failed, "chip authentication: data group 14 cannot be read")
            }
            guard ChipAuthenticationOffer.strongest(in: infos) != nil else {
                return (.unavailable, infos.chipAuthenticationKeys.isEmpty ? nil : "chip authentication: no usable key")
            }
            return find(evidence, usedKeyOf: dg14, sentDG1: sentDG1)
        }
    }

    private static func notProven(_ evidence: DocumentEvidence.ChipAuthenticationEvidence?) -> String {
        "chip authentication: the chip did not prove that it has its key"
            + (evidence?.reason.map { " (\($0))" } ?? "")
    }

    private static func find(
        _ evidence: DocumentEvidence.ChipAuthenticationEvidence?, usedKeyOf dg14: Octets, sentDG1: Octets?
    ) -> (ChipAuthentication.Result, String?) {
        guard let evidence else { return (.failed, "chip authentication: it was not done") }
        guard evidence.dg14 == dg14 else { return (.failed, "chip authentication: it was done with another key") }
        guard evidence.result == .success, let dg1 = evidence.dg1 else {
            return (.failed, notProven(evidence))
        }
        guard sentDG1 == nil || sentDG1 == dg1 else {
            return (.failed, "chip authentication: the client sent another data group 1")
        }
        return (.success, nil)
    }
}

/// The result of active authentication, with the key of a signed data group 15 only.
private struct ActiveAuthenticationFinding {
    let result: ChipAuthentication.Result
    let problem: String?
    /// Whether there is a signature that the chip's key did not make, although that key can be used.
    let isSignatureWrong: Bool

    /// - Parameter isNeeded: whether chip authentication has not succeeded. If it has, apps do not ask the chip for a signature
    ///   (9303-11 section 6), so its absence is no failure.
    init(_ evidence: DocumentEvidence, _ signed: SignedDataGroups, isNeeded: Bool) {
        (result, problem, isSignatureWrong) =
            isNeeded || evidence.activeAuthenticationSignature != nil
            ? Self.find(evidence, signed) : (.unavailable, nil, false)
    }

    private static func find(
        _ evidence: DocumentEvidence, _ signed: SignedDataGroups
    ) -> (ChipAuthentication.Result, String?, Bool) {
        switch signed.coverage(of: 15) {
        case .nothingSigned:
            return (.failed, "active authentication: nothing says whether the chip has a key", false)
        case .notOnChip: return (.unavailable, nil, false)
        case .missingOrChanged:
            return (.failed, "active authentication: data group 15 is missing or was changed", false)
        case .signed(let dg15):
            guard let signature = evidence.activeAuthenticationSignature else {
                return (.failed, "active authentication: there is no signature", false)
            }
            guard let authentication = authentication(dg15, signed), authentication.canVerify else {
                return (.failed, "active authentication: the chip's key cannot be used", false)
            }
            return authentication.isValid(signature, challenge: evidence.challenge)
                ? (.success, nil, false) : (.failed, "active authentication: the signature is wrong", true)
        }
    }

    private static func authentication(_ dg15: Octets, _ signed: SignedDataGroups) -> ActiveAuthentication? {
        var infos: SecurityInfos?
        if case .signed(let dg14) = signed.coverage(of: 14) { infos = try? SecurityInfos(dg14) }
        return try? ActiveAuthentication(dg15: dg15, infos: infos)
    }
}
