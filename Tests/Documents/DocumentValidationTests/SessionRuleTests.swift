import Cryptography
import DocumentValidation
import EMRTD
import EMRTDSimulation
import SecureMemory
import Testing

@Suite("Rules of a session")
struct SessionRuleTests {
    private static let startText = #"""
        {"type":"START","validationId":"cf847daa-a548-4509-bdeb-4edd51aee448","clientId":"client",\#
        "platform":"android","nfcAdapterSupportsExtendedLength":true,"enableDiagnostics":true}
        """#
    private static let channelText =
        #"{"algorithm":"AES","encKey":"AAAAAAAAAAAAAAAAAAAAAA==","macKey":"AAAAAAAAAAAAAAAAAAAAAA==","ssc":5}"#
    private static let handOverText =
        #"{"type":"CA_HANDOVER","maxTransceiveLengthForSecureMessaging":1534,"maxBlockSize":4096,"#
        + #""secureMessagingInfo":\#(channelText)}"#
    private static let finishText = #"{"type":"FINISH","sendResult":true}"#
    private static let monitoringText = #"{"type":"MONITORING","message":"Starting PACE protocol with CAN"}"#

    private let opened = ContinuousClock.now
    private let challenge: [UInt8] = [0x04, 0xAE, 0xBD, 0xCF, 0x21, 0xFF, 0x9E, 0xC0]

    private func session(_ memory: FileMemory = FileMemory()) -> ValidationSession {
        ValidationSession(challenge: challenge, memory: memory, openedAt: opened)
    }

    /// A session after ACCEPT.
    private func reading(_ memory: FileMemory = FileMemory()) -> ValidationSession {
        var session = session(memory)
        _ = session.receive(text: SecretBytes(copying: Array(Self.startText.utf8)), at: opened)
        _ = session.accept()
        return session
    }

    private func file(_ name: String, _ content: [UInt8]) -> Octets {
        Octets(copying: [1, UInt8(name.utf8.count)] + Array(name.utf8) + content)
    }

    private func dg14() throws -> [UInt8] {
        try #require(try SimulatedIssuer(at: Utopia.now).issue().files[.dataGroup(14)])
    }

    private func send(_ text: String, _ session: inout ValidationSession) -> [ValidationSession.Action] {
        session.receive(text: SecretBytes(copying: Array(text.utf8)), at: opened)
    }

    private func expect(
        _ actions: [ValidationSession.Action], close reason: CloseReason, _ code: UInt16,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var actions = actions
        // What was shown before is reported.
        if case .report? = actions.first { actions.removeFirst() }
        guard actions.count == 1, case .close(let closure) = actions[0] else {
            Issue.record("no closing, but \(actions.count) actions", sourceLocation: sourceLocation)
            return
        }
        #expect(closure == Closure(reason) && closure.code == code, sourceLocation: sourceLocation)
    }

    @Test("START is answered by ACCEPT with the challenge, as in the document's example")
    func accept() throws {
        var session = session()
        let actions = send(Self.startText, &session)
        guard case .admit(let start)? = actions.first, actions.count == 1 else {
            Issue.record("START is not looked at")
            return
        }
        #expect(start.validationId == "cf847daa-a548-4509-bdeb-4edd51aee448" && start.clientId == "client")
        #expect(start.allowsExtendedLength && start.wantsDiagnostics)
        guard case .send(let message)? = session.accept().first else {
            Issue.record("there is no ACCEPT")
            return
        }
        let text = try message.text().bytes.withBytes { String(decoding: $0, as: UTF8.self) }
        #expect(text == #"{"type":"ACCEPT","activeAuthenticationChallenge":"BK69zyH/nsA="}"#)
    }

    @Test(
        "A START with a wrong or missing member is refused",
        arguments: [
            (#""validationId":"cf847daa-a548-4509-bdeb-4edd51aee448","#, ""), (#""clientId":"client","#, ""),
            (#""platform":"android","#, ""), (#""android""#, #""windows""#),
            (#""clientId":"client""#, #""clientId":5"#),
            (#""nfcAdapterSupportsExtendedLength":true"#, #""nfcAdapterSupportsExtendedLength":"true""#),
            (#","enableDiagnostics":true"#, ""), (#""clientId":"client""#, #""clientId":"""#),
            (#""clientId":"client""#, #""clientId":"a b""#),
        ])
    func badStart(part: String, other: String) {
        var session = session()
        expect(send(Self.startText.replacing(part, with: other), &session), close: .invalidStartMessage, 1008)
    }

    @Test("Members that nobody knows are ignored")
    func unknownMember() {
        var session = session()
        #expect(send(Self.startText.replacing(#""platform""#, with: #""new":[1],"platform""#), &session).count == 1)
    }

    @Test("What is not JSON is refused")
    func malformed() {
        var session = session()
        expect(send("{", &session), close: .malformedJSON, 1008)
        var later = reading()
        expect(send("[1]", &later), close: .malformedJSON, 1008)
    }

    @Test(
        "Before START, and in each state, only its own messages are taken",
        arguments: [finishText, handOverText, monitoringText, #"{"type":"X"}"#, #"{"a":1}"#])
    func beforeStart(text: String) {
        var session = session()
        expect(send(text, &session), close: .unexpectedMessage, 1008)
        var admitting = self.session()
        _ = send(Self.startText, &admitting)
        expect(send(text, &admitting), close: .unexpectedMessage, 1008)
    }

    @Test("A second START, a CA_HANDOVER without DG14 and an unknown type are unexpected")
    func unexpected() {
        for text in [Self.startText, Self.handOverText, #"{"type":"RESULT"}"#] {
            var session = reading()
            expect(send(text, &session), close: .unexpectedMessage, 1008)
        }
    }

    @Test("A file before START is unexpected, and an APDU outside of chip authentication breaks the protocol")
    func binaryState() {
        var session = session()
        expect(session.receive(binary: file("sod", [1]), at: opened), close: .unexpectedMessage, 1008)
        var reading = reading()
        expect(reading.receive(binary: Octets(copying: [2, 0x90, 0x00]), at: opened), close: .protocolError, 1008)
    }

    @Test(
        "Binary messages of another form break the protocol",
        arguments: [[], [0], [3, 1], [1], [1, 5, 65]])
    func badBinary(bytes: [UInt8]) {
        var session = reading()
        expect(session.receive(binary: Octets(copying: bytes), at: opened), close: .protocolError, 1008)
    }

    @Test("The same file again is taken, another one with its name breaks the protocol, an unknown name is ignored")
    func repeatedFile() {
        var session = reading()
        #expect(session.receive(binary: file("sod", [1]), at: opened).isEmpty)
        #expect(session.receive(binary: file("sod", [1]), at: opened).isEmpty)
        #expect(session.receive(binary: file("dg99", [1]), at: opened).isEmpty)
        expect(session.receive(binary: file("sod", [2]), at: opened), close: .protocolError, 1008)
    }

    @Test("Files have limits: of one, of their number, of all, and of all sessions")
    func fileLimits() {
        var long = reading()
        expect(
            long.receive(binary: file("dg2", [UInt8](repeating: 0, count: (1 << 20) + 1)), at: opened),
            close: .protocolError, 1008)

        var many = reading()
        for number in 0..<24 { #expect(many.receive(binary: file("x\(number)", [1]), at: opened).isEmpty) }
        expect(many.receive(binary: file("x24", [1]), at: opened), close: .protocolError, 1008)

        var large = reading()
        for number in 2..<6 {
            #expect(
                large.receive(binary: file("dg\(number)", [UInt8](repeating: 0, count: 1 << 20)), at: opened).isEmpty)
        }
        expect(large.receive(binary: file("dg7", [1]), at: opened), close: .protocolError, 1008)

        let memory = FileMemory(byteLimit: 10)
        var first = reading(memory)
        #expect(first.receive(binary: file("sod", [UInt8](repeating: 0, count: 10)), at: opened).isEmpty)
        var second = reading(memory)
        expect(second.receive(binary: file("sod", [1]), at: opened), close: .serverError, 1011)
        _ = first.refuse(.communicationFailed)
        #expect(memory.takenByteCount == 0, "a closed session keeps no file")
    }

    @Test("A message that is not complete takes room, until it is complete or the session is closed")
    func partOfMessage() {
        let memory = FileMemory(byteLimit: 10)
        var first = reading(memory)
        #expect(first.receive(partByteCount: 4).isEmpty)
        #expect(first.receive(partByteCount: 9).isEmpty)
        #expect(memory.takenByteCount == 9, "the newest part counts, and not the sum")
        var second = reading(memory)
        expect(second.receive(partByteCount: 2), close: .serverError, 1011)
        #expect(first.receive(binary: file("sod", [UInt8](repeating: 0, count: 10)), at: opened).isEmpty)
        #expect(memory.takenByteCount == 10, "the file has taken the place of its parts")
        _ = first.refuse(.communicationFailed)
        #expect(memory.takenByteCount == 0)
        #expect(first.receive(partByteCount: 1).isEmpty && memory.takenByteCount == 0)
    }

    @Test(
        "Keys that cannot be a channel's are refused",
        arguments: [
            (#""AES""#, #""RC4""#), (#""ssc":5"#, #""ssc":-1"#), (#""ssc":5"#, #""ssc":5.0"#),
            (#""ssc":5"#, #""ssc":9223372036854775808"#), (#"AAAAAAAAAAAAAAAAAAAAAA=="#, "AAAA"),
            (#"AAAAAAAAAAAAAAAAAAAAAA=="#, "!"), (#""AES""#, #""DESede""#.replacing("DESede", with: "DES")),
        ])
    func badKeys(part: String, other: String) throws {
        var session = reading()
        _ = session.receive(binary: file("dg14", try dg14()), at: opened)
        expect(send(Self.handOverText.replacing(part, with: other), &session), close: .invalidAccessKeyValues, 1008)
    }

    @Test("Limits that no command fits into, and members that are missing, break the protocol")
    func badLimits() throws {
        for (part, other) in [(":1534", ":20"), (":4096", ":0"), (#""maxBlockSize":4096,"#, "")] {
            var session = reading()
            _ = session.receive(binary: file("dg14", try dg14()), at: opened)
            expect(send(Self.handOverText.replacing(part, with: other), &session), close: .protocolError, 1008)
        }
    }

    @Test("During chip authentication only answers and MONITORING are taken")
    func duringChipAuthentication() throws {
        for text in [Self.finishText, Self.handOverText, Self.startText] {
            var session = reading()
            _ = session.receive(binary: file("dg14", try dg14()), at: opened)
            guard case .sendBinary(.apdu)? = send(Self.handOverText, &session).first else {
                Issue.record("there is no command")
                return
            }
            guard case .monitoring(let byteCount)? = send(Self.monitoringText, &session).first else {
                Issue.record("MONITORING is not taken")
                return
            }
            #expect(byteCount == 31)
            expect(send(text, &session), close: .unexpectedMessage, 1008)
        }
    }

    @Test("If the chip is lost, the file cannot be read")
    func lostChip() throws {
        var session = reading()
        _ = session.receive(binary: file("dg14", try dg14()), at: opened)
        _ = send(Self.handOverText, &session)
        let lost = session.receive(binary: Octets(copying: [2, 0x6F, 0x00]), at: opened)
        expect(lost, close: .fileReadError, 1011)
    }

    @Test(
        "A FINISH with a malformed signature breaks the protocol; null and none are taken",
        arguments: [(#""!""#, false), ("5", false), ("null", true), (#""AAAA""#, true)])
    func finish(signature: String, isTaken: Bool) {
        var session = reading()
        let text = #"{"type":"FINISH","sendResult":false,"activeAuthenticationSignature":\#(signature)}"#
        let actions = send(text, &session)
        guard isTaken else { return expect(actions, close: .protocolError, 1008) }
        guard case .verify(let evidence)? = actions.first else {
            Issue.record("nothing is verified")
            return
        }
        #expect(evidence.challenge == challenge)
        #expect(evidence.activeAuthenticationSignature == (signature == "null" ? nil : [0, 0, 0]))
    }

    @Test("After FINISH only MONITORING is taken, and the result ends the session")
    func finishing() {
        for text in [Self.finishText, Self.startText, Self.handOverText] {
            var session = reading()
            _ = send(Self.finishText, &session)
            #expect(send(Self.monitoringText, &session).count == 1)
            expect(send(text, &session), close: .unexpectedMessage, 1008)
        }
        var session = reading()
        _ = send(Self.finishText, &session)
        let actions = session.finish(result: SharedSecret(SecretBytes(copying: Array(#"{"a":1}"#.utf8))))
        guard case .send(.result)? = actions.first, case .close(let closure)? = actions.last else {
            Issue.record("there is no result")
            return
        }
        #expect(closure == .normal && closure.code == 1000 && closure.reason.isEmpty)
        #expect(session.deadline == nil)
        #expect(send(Self.monitoringText, &session).isEmpty, "a closed session says nothing")
    }

    @Test("A file without a name is one that nobody asks for, and counts")
    func namelessFile() {
        var session = reading()
        #expect(session.receive(binary: Octets(copying: [1, 0, 7]), at: opened).isEmpty)
        for _ in 1..<24 { #expect(session.receive(binary: Octets(copying: [1, 0]), at: opened).isEmpty) }
        expect(session.receive(binary: Octets(copying: [1, 0]), at: opened), close: .protocolError, 1008)
    }

    @Test("A session that has shown a document and then fails is reported, with its cause")
    func reports() throws {
        let seconds = Duration.seconds(300)
        let ways: [(cause: String?, (inout ValidationSession) -> [ValidationSession.Action])] = [
            ("PROTOCOL_ERROR", { $0.receive(binary: Octets(copying: [9]), at: opened) }),
            ("UNEXPECTED_MESSAGE", { send(Self.startText, &$0) }), ("MALFORMED_JSON", { send("{", &$0) }),
            ("MAX_SESSION_TIME_EXCEEDED", { $0.timeOut(at: opened + seconds) }),
            ("INVALID_FRAMES", { $0.end(.invalidFrames) }), ("INVALID_TEXT", { $0.end(.invalidText) }),
            ("CONNECTION_LOST", { $0.end(by: .connectionLost) }),
            ("CLOSED_BY_CLIENT", { $0.end(by: .closed(reason: "somebody's words")) }),
            ("CLIENT_ACCESS_CONTROL_FAILED", { $0.end(by: .closed(reason: "ACCESS_CONTROL_FAILED")) }),
            ("NFC_CHIP_COMMUNICATION_FAILED", { $0.end(by: .closed(reason: "NFC_CHIP_COMMUNICATION_FAILED")) }),
            // The user did not want to go on, the server stops, or the result is on its way already.
            (nil, { $0.end(by: .closed(reason: "CANCELLED_BY_USER")) }), (nil, { $0.stop() }),
            (nil, { send(Self.finishText, &$0) + $0.end(by: .connectionLost) + $0.timeOut(at: opened + seconds) }),
        ]
        for (cause, fail) in ways {
            var shown = reading()
            _ = shown.receive(binary: file("dg14", try dg14()), at: opened)
            let reports = Self.reports(fail(&shown))
            #expect(reports.map(\.cause) == (cause.map { [$0] } ?? []))
            #expect(reports.allSatisfy { !$0.evidence.isComplete && $0.evidence.files.count == 1 })
            #expect(Self.reports(shown.refuse(.serverError)).isEmpty, "it is reported once")
            var empty = reading()
            #expect(Self.reports(fail(&empty)).isEmpty, "nothing was shown")
        }
    }

    @Test("A chip that does not prove its key is reported with that finding")
    func reportedChip() throws {
        for (way, cause) in [(0, "FILE_READ_ERROR"), (1, "TIMEOUT_WHILE_WAITING_FOR_RESPONSE")] {
            var session = reading()
            _ = session.receive(binary: file("dg14", try dg14()), at: opened)
            _ = send(Self.handOverText, &session)
            let actions =
                way == 0
                ? session.receive(binary: Octets(copying: [2, 0x6F, 0x00]), at: opened)
                : session.timeOut(at: opened + .seconds(20))
            let report = try #require(Self.reports(actions).first)
            #expect(report.cause == cause)
            #expect(report.evidence.chipAuthentication?.result == (way == 0 ? .failed : nil))
        }
    }

    private static func reports(_ actions: [ValidationSession.Action]) -> [SessionFailure] {
        actions.compactMap { if case .report(let failure) = $0 { failure } else { nil } }
    }

    @Test("The length of messages for diagnostics has a limit")
    func monitoring() {
        var session = reading()
        let tooLong = #"{"type":"MONITORING","message":"\#(String(repeating: "x", count: 1 << 16))"}"#
        expect(send(tooLong, &session), close: .protocolError, 1008)
    }

    @Test("Each state has its time")
    func times() throws {
        var waiting = session()
        #expect(waiting.deadline == opened + .seconds(10))
        #expect(waiting.timeOut(at: opened + .seconds(9)).isEmpty)
        expect(waiting.timeOut(at: opened + .seconds(10)), close: .timeoutWhileWaitingForStartMessage, 1001)

        var reading = reading()
        #expect(reading.deadline == opened + .seconds(300))
        expect(reading.timeOut(at: opened + .seconds(300)), close: .maxSessionTimeExceeded, 1011)

        var authenticating = self.reading()
        _ = authenticating.receive(binary: file("dg14", try dg14()), at: opened)
        _ = send(Self.handOverText, &authenticating)
        #expect(authenticating.deadline == opened + .seconds(20))
        expect(authenticating.timeOut(at: opened + .seconds(20)), close: .timeoutWhileWaitingForResponse, 1001)
    }

    @Test("Each reason has its code", arguments: CloseReason.allCases)
    func codes(reason: CloseReason) {
        let closure = Closure(reason)
        #expect([1001, 1008, 1011, 4401, 4403].contains(closure.code) && closure.reason.utf8.count <= 123)
        var session = reading()
        guard case .close(let closed)? = session.refuse(reason).first else {
            Issue.record("the session is not closed")
            return
        }
        #expect(closed == closure)
        #expect(session.refuse(reason).isEmpty, "it closes once")
    }
}
