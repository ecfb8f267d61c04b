import Cryptography
import DocumentValidation
import DocumentValidationSimulation
import EMRTD
import EMRTDSimulation
import SecureMemory
import StrictJSON
import Testing

@Suite("Whole sessions with simulated chips")
struct ConversationTests {
    private let utopia: Utopia

    init() throws {
        utopia = try Utopia()
    }

    @Test(
        "A genuine document passes, and the client gets what was posted",
        arguments: SessionKeys.Cipher.allCases, SessionKeys.Cipher.allCases)
    func genuine(ofChannel: SessionKeys.Cipher, ofChip: SessionKeys.Cipher) throws {
        var plan = SimulatedConnector.Plan()
        plan.cipher = ofChannel
        let document = try utopia.issuer.issue(
            .init(), .init(chipAuthentication: (.ellipticCurve(.brainpoolP256r1), ofChip)))
        var conversation = try Conversation(document, plan: plan)
        try conversation.run(trusting: utopia.anchors)
        let found = try #require(conversation.verification)
        #expect(found.passed, "\(found.errors) \(found.refusals)")
        #expect(conversation.closure == .normal)
        #expect(conversation.connector.end == .init(code: 1000, reason: ""))
        #expect(conversation.connector.chipAuthenticationResult == "SUCCESS")
        let passport = try #require(conversation.connector.result)
        #expect(passport["validationId"] == .string("check"))
        #expect(passport["passiveAuthentication"] == .bool(true))
        #expect(passport["activeAuthenticationResult"] == .string("UNAVAILABLE"))
        #expect(passport["chipAuthenticationResult"] == .string("SUCCESS"))
        #expect(passport["mrzInfo"]?["primaryIdentifier"] == .string("ERIKSSON"))
        #expect(passport["mrzInfo"]?["secondaryIdentifier"] == .array([.string("ANNA"), .string("MARIA")]))
        #expect(passport["passiveAuthenticationDetails"]?["error"] == .string(""))
        let refusals = found.refusals.map { "not passed: \($0)" }
        #expect(passport["errors"] == .array((found.errors + refusals).map(JSONValue.string)))
    }

    @Test("An app that asks for a signature after chip authentication gets it judged")
    func bothAuthentications() throws {
        var plan = SimulatedConnector.Plan()
        plan.activeAuthentication = .always
        let document = try utopia.issuer.issue()
        var conversation = try Conversation(document, plan: plan)
        try conversation.run(trusting: utopia.anchors)
        #expect(conversation.connector.result?["activeAuthenticationResult"] == .string("SUCCESS"))
        var mixed = document
        mixed.activeAuthenticationKey = try document.clone().activeAuthenticationKey
        var other = try Conversation(mixed, plan: plan)
        try other.run(trusting: utopia.anchors)
        #expect(other.connector.result?["activeAuthenticationResult"] == .string("FAILED"))
        #expect(other.verification?.refusals == [.wrongActiveAuthenticationSignature])
    }

    @Test("The messages come in the order of the document")
    func order() throws {
        var conversation = try Conversation(try utopia.issuer.issue())
        try conversation.run(trusting: utopia.anchors)
        let story = conversation.connector.story.filter { $0 != "received APDU" }
        #expect(
            story == [
                "sent START", "received ACCEPT", "sent dg14", "sent CA_HANDOVER", "received FILE",
                "received CA_HANDBACK", "sent sod", "sent dg2", "sent dg15", "sent FINISH", "received RESULT",
                "received CLOSE",
            ])
    }

    @Test("A client that does not want the result gets none")
    func noResult() throws {
        var plan = SimulatedConnector.Plan()
        plan.sendsResult = false
        var conversation = try Conversation(try utopia.issuer.issue(), plan: plan)
        try conversation.run(trusting: utopia.anchors)
        #expect(conversation.verification?.passed == true && conversation.connector.result == nil)
        #expect(conversation.closure == .normal)
    }

    @Test("Commands are short enough for the client's limits", arguments: [100, 256, 1_534])
    func limits(maxTransceiveLength: Int) throws {
        var plan = SimulatedConnector.Plan()
        plan.maxTransceiveLength = maxTransceiveLength
        var conversation = try Conversation(try utopia.issuer.issue(), plan: plan)
        try conversation.run(trusting: utopia.anchors)
        #expect(conversation.verification?.passed == true)
    }

    @Test("A cloned chip does not pass, whatever it leaves out")
    func clone() throws {
        let document = try utopia.issuer.issue()
        for handsOver in [true, false] {
            var plan = SimulatedConnector.Plan()
            plan.handsOver = handsOver
            var conversation = try Conversation(try document.clone(), plan: plan)
            try conversation.run(trusting: utopia.anchors)
            let passed = conversation.verification?.passed ?? false
            #expect(!passed)
            if handsOver {
                let posted = try #require(conversation.posted)
                #expect(posted["chipAuthenticationResult"] == .string("FAILED"))
                #expect(posted["passiveAuthentication"] == .bool(false) && posted["mrzInfo"] == nil)
                #expect(conversation.connector.chipAuthenticationResult != "SUCCESS")
            }
        }
    }

    @Test("A user who cancels when the chip was found out is reported all the same")
    func cancelledCopy() throws {
        var plan = SimulatedConnector.Plan()
        plan.pausesAfterHandBack = true
        // The chip refuses, and EF.DG1 can still be read in the old channel.
        let refusal = Misbehavior(.refuse, at: .generalAuthenticate)
        var conversation = try Conversation(try utopia.issuer.issue(), misbehaviors: [refusal], plan: plan)
        try conversation.run(
            trusting: utopia.anchors, end: { session, _ in session.end(by: .closed(reason: "CANCELLED_BY_USER")) })
        #expect(conversation.connector.chipAuthenticationResult == "FAILED")
        #expect(conversation.posted?["chipAuthenticationResult"] == .string("FAILED"))
    }

    @Test("A chip that can only do active authentication passes with the right signature, and not without one")
    func activeOnly() throws {
        let document = try utopia.issuer.issue(.init(), .init(chipAuthentication: nil))
        var conversation = try Conversation(document)
        try conversation.run(trusting: utopia.anchors)
        #expect(conversation.verification?.passed == true)
        #expect(conversation.connector.chipAuthenticationResult == "UNAVAILABLE")

        var plan = SimulatedConnector.Plan()
        plan.activeAuthentication = .never
        var silent = try Conversation(document, plan: plan)
        try silent.run(trusting: utopia.anchors)
        #expect(silent.verification?.refusals == [.activeAuthenticationFailed])

        var cloned = try Conversation(try document.clone())
        try cloned.run(trusting: utopia.anchors)
        #expect(cloned.verification?.refusals.contains(.wrongActiveAuthenticationSignature) == true)
    }

    @Test("A chip that can prove nothing passes only if the check allows it")
    func passive() throws {
        let document = try utopia.issuer.issue(.init(), .none)
        for (assurance, passes) in [(AssuranceLevel.chip, false), (.passive, true)] {
            var conversation = try Conversation(document)
            try conversation.run(trusting: utopia.anchors, assurance: assurance)
            #expect(conversation.verification?.passed == passes)
        }
    }

    @Test(
        "A chip that misbehaves, or is tampered with on its way, never passes",
        arguments: [Misbehavior.Step.manageSecurityEnvironment, .generalAuthenticate, .select, .readHeader, .readRest],
        Misbehavior.Kind.allCases)
    func misbehavior(step: Misbehavior.Step, kind: Misbehavior.Kind) throws {
        // The app reads DG14 by itself first, so that only steps of chip authentication differ from others here.
        var conversation = try Conversation(
            try utopia.issuer.issue(), misbehaviors: [Misbehavior(kind, at: step)])
        try conversation.run(trusting: utopia.anchors)
        let passed = conversation.verification?.passed ?? false
        // Only the last part of a file has data that a lie changes.
        let isHarmless = kind == .lie && step != .readRest
        #expect(passed == isHarmless, "\(conversation.connector.story)")
    }

    @Test("An app that changes an answer of the chip does not pass")
    func relay() throws {
        for place in 1..<8 {
            var conversation = try Conversation(try utopia.issuer.issue())
            var count = 0
            try conversation.run(trusting: utopia.anchors) { message in
                guard case .binary(var bytes) = message, bytes.first == 2 else { return message }
                count += 1
                if count == place { bytes[bytes.count / 2] ^= 1 }
                return .binary(bytes)
            }
            guard count >= place else { break }
            #expect(conversation.verification?.passed != true, "answer \(place)")
        }
    }

    @Test("Files of another document do not pass")
    func swapped() throws {
        let document = try utopia.issuer.issue()
        let other = try utopia.issuer.issue(SimulatedHolder(name: "SPECIMEN<<ERIKA", documentNumber: "X1"))
        for name in [FileName.dataGroup(1), .dataGroup(2), .dataGroup(14), .dataGroup(15), .securityObject] {
            var mixed = document
            mixed.files[name] = other.files[name]
            // A face that is the same proves nothing.
            guard document.files[name] != other.files[name] else { continue }
            var conversation = try Conversation(mixed)
            try conversation.run(trusting: utopia.anchors)
            #expect(conversation.verification?.passed != true, "\(name)")
        }
    }

    @Test("If DG14 cannot be read, the app goes on in its old channel, and the document does not pass")
    func unreadableInfos() throws {
        var document = try utopia.issuer.issue()
        document.files[.dataGroup(14)] = [0x6E, 0x04, 0x01, 0x02, 0x03, 0x04]
        var conversation = try Conversation(document)
        try conversation.run(trusting: utopia.anchors)
        #expect(conversation.connector.chipAuthenticationResult == "UNAVAILABLE")
        #expect(conversation.closure == .normal, "\(conversation.connector.story)")
        let found = try #require(conversation.verification)
        #expect(found.chipAuthentication == .failed && !found.passed)
    }

    @Test("A document of a state that nobody trusts does not pass")
    func stranger() throws {
        let stranger = try SimulatedIssuer(at: Utopia.now)
        var conversation = try Conversation(try stranger.issue())
        try conversation.run(trusting: utopia.anchors)
        #expect(conversation.verification?.refusals == [.passiveAuthenticationFailed])
    }
}
