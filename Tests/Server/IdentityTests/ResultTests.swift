import DocumentValidationSimulation
import EMRTDSimulation
import Foundation
import NIOHTTP1
import ServerHarness
import StrictJSON
import Testing
import WebhookHarness

/// The result of a session, as the bank's result server gets it.
@Suite("Results")
struct ResultTests {
    private func bank(_ receiver: WebhookReceiver) async throws -> IdentityBank {
        try await IdentityService.shared.value.makeBank(resultURL: "\(receiver.url)/results?for=cards")
    }

    @Test("The result is posted, signed with the server's key, and is what the client gets")
    func posted() async throws {
        let receiver = try await WebhookReceiver()
        let bank = try await bank(receiver)
        let id = try await bank.validationId()
        let end = try await bank.session(id)
        #expect(end.isNormal)
        let received = try #require(receiver.received.first)
        // On a busy machine the answer can be late, and then it is posted again.
        #expect(Set(receiver.received.map(\.body)).count == 1)
        #expect(received.head.method == .POST && received.head.headers["Content-Type"] == ["application/json"])
        try await WebhookSignature(received).verify(against: bank.service.server)
        let result = try JSON(parsing: received.body).object ?? [:]
        #expect(result["validationId"] == .string(id) && result["clientId"] == .string(bank.clientId))
        #expect(result["bankId"] == .string(bank.bank.id) && result["expected"] == "document")
        #expect(result["mrzInfo"]?.object?["documentNumber"] == "L898902C3")
        #expect(result["passiveAuthentication"] == true && result["chipAuthenticationResult"] == "SUCCESS")
        #expect(end.connector.result?["validationId"] == .string(id))
        #expect(try await bank.passCount() == 1)
    }

    @Test("The result of a document that does not pass is posted too")
    func failed() async throws {
        let receiver = try await WebhookReceiver()
        let bank = try await bank(receiver)
        var plan = SimulatedConnector.Plan()
        plan.handsOver = false
        let end = try await bank.session(
            try await bank.validationId(), document: try bank.state.issue(bank.person).clone(), plan: plan)
        #expect(end.isNormal)
        let result = try JSON(parsing: try #require(receiver.received.first).body).object ?? [:]
        #expect(result["chipAuthenticationResult"] == "FAILED")
        #expect(try await bank.passCount() == 0)
    }

    @Test("A chip that does not have its key is told to the bank, though its data could not be read")
    func clone() async throws {
        let receiver = try await WebhookReceiver()
        let bank = try await bank(receiver)
        let id = try await bank.validationId()
        let end = try await bank.session(id, document: try bank.state.issue(bank.person).clone())
        #expect(end.code == 1011 && end.reason == "FILE_READ_ERROR" && end.connector.result == nil)
        try await eventually("what is known is posted") { !receiver.accepted.isEmpty }
        let result = try JSON(parsing: try #require(receiver.accepted.first).body).object ?? [:]
        #expect(result["validationId"] == .string(id) && result["chipAuthenticationResult"] == "FAILED")
        #expect(result["passiveAuthentication"] == false)
        #expect(result["mrzInfo"] == nil && result["facePhoto"] == nil)
        let errors = (result["errors"]?.array ?? []).compactMap(\.string)
        #expect(errors.contains("the session has failed: FILE_READ_ERROR"))
        #expect(errors.contains("not passed: the chip did not prove that it has the document's key"))
        #expect(try await bank.failedEvents().map { $0["chipAuthentication"] } == ["FAILED"])
        #expect(try await bank.passCount() == 0)
    }

    @Test("If the client is disabled while a document is read, its result is not posted")
    func disabledWhileReading() async throws {
        let receiver = try await WebhookReceiver()
        let bank = try await bank(receiver)
        let end = try await bank.session(try await bank.validationId()) { app in
            if app.chipAuthenticationResult != nil { try await bank.disableClient() }
        }
        #expect(end.code == 4401 && end.reason == "INVALID_CLIENT_ID")
        #expect(receiver.received.isEmpty)
        #expect(try await bank.passCount() == 0)
        #expect(try await bank.failedEvents().map { $0["closeReason"] } == ["INVALID_CLIENT_ID"])
    }

    @Test("If the client is disabled while its result server fails, nothing more is posted")
    func disabledWhilePosting() async throws {
        let isDisabled = TestGate()
        let receiver = try await WebhookReceiver { _, count in
            count == 0 ? .answerAfter(503, { await isDisabled.wait() }) : .answer(200)
        }
        let bank = try await bank(receiver)
        async let end = bank.session(try await bank.validationId())
        try await eventually("the result is being posted") { receiver.received.count == 1 }
        try await bank.disableClient()
        isDisabled.open()
        #expect(try await end.reason == "INVALID_CLIENT_ID")
        #expect(receiver.received.count == 1)
        #expect(try await bank.failedEvents().map { $0["closeReason"] } == ["INVALID_CLIENT_ID"])
    }

    @Test("A result server that hangs costs as much over TLS as without")
    func hangs() async throws {
        let service = try await IdentityService(["--results-timeout-seconds", "1"])
        func seconds(_ url: String) async throws -> Double {
            let bank = try await service.makeBank(resultURL: "\(url)/results")
            let id = try await bank.validationId()
            let start = ContinuousClock.now
            #expect(try await bank.session(id).reason == "POST_TO_RESULT_SERVER_FAILED")
            return start.duration(to: .now) / .seconds(1)
        }
        let (plain, frozen) = (
            try await WebhookReceiver(isSecure: false) { _, _ in .freeze },
            try await WebhookReceiver(isSecure: true) { _, _ in .freeze }
        )
        // It takes the connection, and says nothing in the handshake of TLS.
        let silent = try SilentListener()
        async let open = seconds(plain.url)
        async let secure = seconds(frozen.url)
        async let unopened = seconds("https://localhost:\(silent.port)")
        // All are 5.5 s on an idle machine. The end of TLS alone would be 20 s more, the handshake 100 s.
        let limit = try await 4 * open
        #expect(try await secure < limit)
        #expect(try await unopened < limit)
    }

    @Test("It is posted again after 503, 429, 408 and a lost connection, up to three times")
    func retried() async throws {
        let answers: [WebhookReceiver.Behaviour] = [.answer(503), .drop, .answer(429)]
        let receiver = try await WebhookReceiver { _, count in count < 3 ? answers[count] : .answer(200) }
        let bank = try await bank(receiver)
        #expect(try await bank.session(try await bank.validationId()).isNormal)
        #expect(receiver.received.count == 4)
        #expect(Set(receiver.received.map(\.body)).count == 1)
        #expect(try await bank.passCount() == 1)
    }

    @Test("If no attempt is accepted, the session ends with POST_TO_RESULT_SERVER_FAILED, and there is no pass")
    func notPosted() async throws {
        let receiver = try await WebhookReceiver { _, _ in .answer(500) }
        let bank = try await bank(receiver)
        let id = try await bank.validationId()
        let end = try await bank.session(id)
        #expect(end.code == 1011 && end.reason == "POST_TO_RESULT_SERVER_FAILED")
        #expect(end.connector.result == nil)
        #expect(receiver.received.count == 4)
        #expect(try await bank.passCount() == 0)
        #expect(try await bank.checkedEvents() == [])
        let told = try await bank.failedEvents()
        #expect(told.map { $0["closeReason"] } == ["POST_TO_RESULT_SERVER_FAILED"] && told[0]["refusals"] == [])
        // The check stays open.
        #expect(try await bank.session(id).reason == "POST_TO_RESULT_SERVER_FAILED")
    }

    @Test("If a server dies when the bank has got the result, there is no pass, and the next session gives it")
    func killed() async throws {
        let service = try await IdentityService()
        let processID = service.server.processID
        let receiver = try await WebhookReceiver { _, count in
            if count == 0 { kill(processID, SIGKILL) }
            return .answer(200)
        }
        let bank = try await service.makeBank(resultURL: "\(receiver.url)/results")
        let id = try await bank.validationId()
        await #expect(throws: (any Error).self) { _ = try await bank.session(id) }
        #expect(receiver.received.count == 1)
        #expect(try await bank.passCount() == 0)
        let heir = try await IdentityService.startServer(on: service.installation)
        #expect(try await bank.session(id, through: heir).reason == "INVALID_START_MESSAGE")
        // The session of the dead server would end after six minutes.
        try await service.installation.sql("UPDATE identity_check SET session_ends_at = now()")
        #expect(try await bank.session(id, through: heir).isNormal)
        let results = try receiver.received.map { try JSON(parsing: $0.body).object?["validationId"] }
        #expect(results == [.string(id), .string(id)])
        #expect(try await bank.passCount() == 1)
        #expect(
            try await service.installation.sql("SELECT count(*) FROM event WHERE type = 'identity.checked'") == ["1"])
        try await heir.stop()
    }

    @Test("A result that the server refuses, or redirects, is not posted again", arguments: [400, 404, 308])
    func refused(status: Int) async throws {
        let receiver = try await WebhookReceiver { _, _ in
            status == 308 ? .redirect("https://elsewhere.example/") : .answer(status)
        }
        let bank = try await bank(receiver)
        #expect(try await bank.session(try await bank.validationId()).reason == "POST_TO_RESULT_SERVER_FAILED")
        #expect(receiver.received.count == 1)
    }

    @Test("A result server in a private network gets nothing, unless the client allows it")
    func privateNetwork() async throws {
        let receiver = try await WebhookReceiver()
        let bank = try await bank(receiver)
        try await bank.service.installation.sqlAsCommand(
            "UPDATE document_client SET result_is_private = false WHERE client_id = '\(bank.clientId)'",
            of: bank.bank.id)
        #expect(try await bank.session(try await bank.validationId()).reason == "POST_TO_RESULT_SERVER_FAILED")
        #expect(receiver.received.isEmpty)
    }

    @Test("With an identity certificate the result is sealed to it")
    func sealed() async throws {
        let receiver = try await WebhookReceiver()
        let bank = try await bank(receiver)
        let alias = Unique.name("results")
        let key = try await bank.service.installation.importEncryptionCertificate(
            into: bank.bank, alias: alias, use: "identity")
        let id = try await bank.validationId()
        #expect(try await bank.session(id).isNormal)
        let received = try #require(receiver.received.first)
        #expect(received.head.headers["Content-Type"] == ["application/jose"])
        let value = try SealedValue(String(decoding: received.body, as: UTF8.self))
        let header = value.header
        #expect(header["cty"] == "identityResult" && header["jti"] == .string(id))
        #expect(header["iss"] == .string(bank.bank.id) && header["sub"] == .string(bank.clientId))
        let content = try value.open(with: key.privateKey)
        #expect(try JSON(parsing: content).object?["mrzInfo"]?.object?["documentNumber"] == "L898902C3")
        // Without a certificate that can be used, nothing is posted.
        let count = receiver.received.count
        try await bank.service.installation.run(["certificate", "disable", "--bank", bank.bank.id, alias]).succeeded()
        #expect(try await bank.session(try await bank.validationId()).reason == "POST_TO_RESULT_SERVER_FAILED")
        #expect(receiver.received.count == count)
    }

    @Test("An unbound client verifies without a check: the result is posted, and nobody gets a pass")
    func unbound() async throws {
        let receiver = try await WebhookReceiver()
        let made = try await IdentityService.shared.value.makeBank()
        let bank = IdentityBank(
            service: made.service, bank: made.bank, issuer: made.issuer, holder: made.holder, state: made.state,
            clientId: Unique.name("unbound"))
        try await bank.service.installation.run([
            "document-client", "add", "--bank", bank.bank.id, "--id", bank.clientId, "--unbound", "--allow-private",
            "--result-url", "\(receiver.url)/results?for=cards",
        ]).succeeded()
        #expect(try await bank.session("any-id-of-the-bank").isNormal)
        let result = try JSON(parsing: try #require(receiver.received.first).body).object ?? [:]
        #expect(result["validationId"] == "any-id-of-the-bank" && result["expected"] == "none")
        // A chip that does not have its key is posted too.
        _ = try await bank.session("another-id", document: try bank.state.issue(bank.person).clone())
        try await eventually("what is known is posted") { receiver.accepted.count == 2 }
        let failed = try JSON(parsing: receiver.accepted[1].body).object ?? [:]
        #expect(failed["validationId"] == "another-id" && failed["chipAuthenticationResult"] == "FAILED")
        #expect(try await bank.passCount() == 0)
        #expect(try await bank.checkedEvents() == [])
        #expect(try await bank.failedEvents() == [])
    }
}

extension IdentityBank {
    fileprivate func disableClient() async throws {
        try await service.installation.run(["document-client", "disable", "--bank", bank.id, clientId]).succeeded()
    }
}
