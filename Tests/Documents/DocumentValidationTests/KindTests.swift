import Cryptography
import DocumentValidation
import DocumentValidationSimulation
import EMRTD
import EMRTDSimulation
import Foundation
import SecureMemory
import StrictJSON
import Testing

/// The table of docs/documents.md: what an app sees, and what the bank sees, for each kind of document and chip.
@Suite("Kinds of documents and chips")
struct KindTests {
    private static let documentation = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs/documents.md")

    @Test("The table says what happens, for each kind")
    func table() throws {
        let text = try String(contentsOf: Self.documentation, encoding: .utf8)
        let rows = try Kinds().all.map { try $0.row() }
        #expect(rows.count >= 20)
        for row in rows { #expect(text.contains(row + "\n"), "docs/documents.md lacks: \(row)") }
        let section = try #require(
            text.split(separator: "## What apps and banks see").last?.split(separator: "\n## ").first)
        #expect(section.split(separator: "\n").count { $0.hasPrefix("| ") } == rows.count + 1, "no other rows")
    }
}

/// One kind: a document, a chip, an app, and what the bank asks for.
private struct Kind {
    let name: String
    let document: SimulatedDocument
    var misbehaviors: [Misbehavior] = []
    var plan = SimulatedConnector.Plan()
    var anchors: TrustAnchors
    var assurance = AssuranceLevel.chip
    var isExpected = true
    /// What happens when the app has nothing more to say.
    var end: (inout ValidationSession, ContinuousClock.Instant) -> [ValidationSession.Action] = { _, _ in [] }

    func row() throws -> String {
        var conversation = try Conversation(document, misbehaviors: misbehaviors, plan: plan)
        let isExpected = isExpected
        try conversation.run(trusting: anchors, assurance: assurance, isExpected: isExpected, end: end)
        let handBack = conversation.connector.chipAuthenticationResult.map { "`\($0)`" } ?? "none"
        let closed = conversation.closure.map { $0.reason.isEmpty ? "\($0.code)" : "\($0.code) `\($0.reason)`" }
        return
            "| \(name) | \(handBack) | \(closed ?? "it closes") | \(try result(conversation)) | \(event(conversation)) |"
    }

    private func result(_ conversation: Conversation) throws -> String {
        guard let found = conversation.verification else { return "none" }
        let authentications = [found.chipAuthentication, found.activeAuthentication].map { "`\($0.rawValue)`" }
        return (["\(found.passiveAuthentication.succeeded)"] + authentications).joined(separator: ", ")
    }

    private func event(_ conversation: Conversation) -> String {
        guard let found = conversation.verification else { return "none" }
        guard !found.passed else { return "`identity.checked`" }
        return (["`identity.failed`"] + [found.refusals.map(\.rawValue).joined(separator: ", ")]).joined(
            separator: ": ")
    }
}

private struct Kinds {
    private typealias Features = SimulatedDocument.Features

    private let issuer: SimulatedIssuer
    private let usual: SimulatedDocument
    private let anchors: TrustAnchors

    init() throws {
        issuer = try SimulatedIssuer(at: Utopia.now)
        usual = try issuer.issue()
        anchors = TrustAnchors([try SigningCertificate(Octets(copying: issuer.certificate))])
    }

    var all: [Kind] {
        get throws { try genuine + copies + wrongFiles + wrongDocuments + brokenOff }
    }

    private func kind(_ name: String, _ document: SimulatedDocument, _ change: (inout Kind) -> Void = { _ in }) -> Kind
    {
        var kind = Kind(name: name, document: document, anchors: anchors)
        change(&kind)
        return kind
    }

    private var genuine: [Kind] {
        get throws {
            let activeOnly = try issuer.issue(.init(), Features(chipAuthentication: nil))
            let chipOnly = try issuer.issue(.init(), Features(activeAuthentication: nil))
            let plain = try issuer.issue(.init(), .none)
            return [
                kind("Keys for both; the app asks for no signature after chip authentication", usual),
                kind("Keys for both; the app asks for a signature all the same", usual) {
                    $0.plan.activeAuthentication = .always
                },
                kind("A key for chip authentication only", chipOnly),
                kind("A key for active authentication only", activeOnly),
                kind("A key for active authentication only; the app asks for no signature", activeOnly) {
                    $0.plan.activeAuthentication = .never
                },
                kind("Keys for both; the app skips chip authentication", usual) { $0.plan.handsOver = false },
                kind("No key; level `chip`", plain),
                kind("No key; level `passive`", plain) { $0.assurance = .passive },
            ]
        }
    }

    private var copies: [Kind] {
        get throws {
            let activeOnly = try issuer.issue(.init(), Features(chipAuthentication: nil))
            var mixed = usual
            mixed.activeAuthenticationKey = try usual.clone().activeAuthenticationKey
            return [
                kind("A copy with another key for chip authentication", try usual.clone()),
                kind("Such a copy; the app skips chip authentication", try usual.clone()) {
                    $0.plan.handsOver = false
                },
                kind("A copy with another key for active authentication", try activeOnly.clone()),
                kind("A chip with the right key for chip authentication and a wrong signature", mixed) {
                    $0.plan.activeAuthentication = .always
                },
            ]
        }
    }

    private var wrongFiles: [Kind] {
        get throws {
            var forged = usual
            forged.files[.dataGroup(1)] = issuer.dataGroup1(SimulatedHolder(name: "FORGED<<PERSON"))
            var picture = usual
            picture.files[.dataGroup(2)]?[100] ^= 1
            var unsigned = usual
            unsigned.files[.securityObject] = nil
            var groups: [Int: [UInt8]] = [:]
            for case (.dataGroup(let number), let content) in usual.files { groups[number] = content }
            var future = usual
            future.files[.securityObject] = try issuer.securityObject(
                of: groups, signingTime: Utopia.now + 30 * 86_400)
            return [
                kind("A changed data group 1", forged), kind("A changed picture", picture),
                kind("No security object", unsigned), kind("A security object that was signed in the future", future),
            ]
        }
    }

    private var wrongDocuments: [Kind] {
        get throws {
            let list = try issuer.revocationList(
                revokesSigner: true, thisUpdate: Utopia.now - 86_400, nextUpdate: Utopia.now + 86_400)
            let revoked = TrustAnchors(
                [try SigningCertificate(Octets(copying: issuer.certificate))],
                revocationLists: [try CertificateRevocationList(Octets(copying: list))])
            return [
                kind("A state that nobody trusts", try SimulatedIssuer(at: Utopia.now).issue()),
                kind("A document signer that is revoked", usual) { $0.anchors = revoked },
                kind("An expired document", try issuer.issue(SimulatedHolder(dateOfExpiry: "200101"))),
                kind("Another document, or another person's", usual) { $0.isExpected = false },
            ]
        }
    }

    private var brokenOff: [Kind] {
        [
            kind("The chip is lost during chip authentication", usual) {
                $0.misbehaviors = [Misbehavior(.loseChip, at: .generalAuthenticate)]
            },
            kind("The app is silent during chip authentication", usual) {
                $0.misbehaviors = [Misbehavior(.drop, at: .generalAuthenticate)]
                $0.end = { session, start in session.timeOut(at: start + .seconds(20)) }
            },
            kind("The connection is lost during chip authentication", usual) {
                $0.misbehaviors = [Misbehavior(.drop, at: .generalAuthenticate)]
                $0.end = { session, _ in session.end(by: .connectionLost) }
            },
            kind("The user cancels (`CANCELLED_BY_USER`)", usual) {
                $0.misbehaviors = [Misbehavior(.drop, at: .generalAuthenticate)]
                $0.end = { session, _ in session.end(by: .closed(reason: "CANCELLED_BY_USER")) }
            },
        ]
    }
}
