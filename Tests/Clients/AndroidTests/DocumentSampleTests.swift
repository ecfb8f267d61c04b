import ServerHarness
import Testing

/// The Android calls of the SDK document against a real server, in each form that the library has: as in the document's samples, in
/// the order of its tables, under the deprecated names, and with a callback.
@Suite("SDK document's Android calls")
struct DocumentSampleTests {
    static let forms: [JSON] = ["sample", "table", "deprecated", "async"]

    fileprivate struct Service: Sendable {
        let installation: TestInstallation
        let server: TestServer
        let bank: TestBank

        static let shared = Once { try await Service() }

        init() async throws {
            installation = try await TestInstallation()
            server = try await installation.startServer()
            bank = try await installation.makeBank(Self.settings)
        }

        static let settings = ["--retention", "keep-repeat", "--weak-pin-rules", "none"]

        func holder(of bank: TestBank? = nil) async throws -> TestCardholder {
            let holder = TestCardholder()
            try await installation.provision([holder], of: bank ?? self.bank, through: server)
            return holder
        }

        /// The names that a call by HMAC has.
        func claim(_ holder: TestCardholder, of bank: TestBank, binding: String? = nil) -> [String: JSON] {
            let now = "\(TestBank.timestamp())"
            return [
                "bankId": .string(bank.id), "uniqueId": .string(holder.uniqueId), "timestamp": .string(now),
                "hashMac": .string(bank.hashMac(uniqueId: holder.uniqueId, timestamp: now, binding: binding)),
                "hostUrl": .string(server.url),
            ]
        }

        func delivered(_ holder: TestCardholder) async throws -> [String] {
            try await installation.sql(
                "SELECT delivered_at IS NOT NULL FROM cardholder WHERE unique_id = '\(holder.uniqueId)'")
        }

        func serial(_ holder: TestCardholder) async throws -> [String] {
            try await installation.sql("SELECT pin_serial FROM cardholder WHERE unique_id = '\(holder.uniqueId)'")
        }

        func signed(_ token: TestToken, by bank: TestBank) throws -> [String: JSON] {
            [
                "token": .string(token.text), "signature": .string(try bank.signer.signature(of: token.text)),
                "hostUrl": .string(server.url),
            ]
        }
    }

    /// The names of a call in one form.
    private func form(_ form: JSON, _ parameters: [String: JSON]) -> [String: JSON] {
        parameters.merging(["form": form]) { $1 }
    }

    @Test("4.1.1: a fetch with an authentication code, and its notify", arguments: forms)
    func byCode(form: JSON) async throws {
        let service = try await Service.shared.value
        let (app, holder) = (try await AndroidApp(), try await service.holder())
        var parameters = service.claim(holder, of: service.bank)
        parameters["authCode"] = holder.code.map { .string($0) }
        let fetched = try await app.call("postGetPINCaptchaRequest", self.form(form, parameters))
        #expect(fetched["errorCode"] == 0, "\(fetched["errorMessage"] ?? .null)")
        #expect(fetched["pin"]?.string?.hasPrefix("iVBORw0KGgo") == true, "a PNG in base64")
        parameters["sessionId"] = fetched["sessionId"]
        parameters["status"] = "0"
        let notified = try await app.call("postNotifyRequest", self.form(form, parameters))
        #expect(notified["errorCode"] == 0 && notified["type"] == "NotifyResponse")
        #expect(try await service.delivered(holder) == ["t"])
    }

    @Test("4.2.1: a fetch with a token, and its notify", arguments: forms)
    func byToken(form: JSON) async throws {
        let service = try await Service.shared.value
        let (app, holder) = (try await AndroidApp(), try await service.holder())
        var parameters = try service.signed(service.bank.token(for: holder), by: service.bank)
        let fetched = try await app.call("postGetPINCaptchaTokenRequest", self.form(form, parameters))
        #expect(fetched["errorCode"] == 0, "\(fetched["errorMessage"] ?? .null)")
        #expect(fetched["pin"]?.string != nil && fetched["type"] == "GetPINTokenResponse")
        parameters["sessionId"] = fetched["sessionId"]
        parameters["status"] = "0"
        let notified = try await app.call("postNotifyTokenRequest", self.form(form, parameters))
        #expect(notified["errorCode"] == 0 && notified["type"] == "TokenNotifyResponse")
        #expect(try await service.delivered(holder) == ["t"])
    }

    @Test("4.3.1 and 4.4.1: a definition by HMAC and by token", arguments: forms)
    func define(form: JSON) async throws {
        let service = try await Service.shared.value
        let (app, holder) = (try await AndroidApp(), try await service.holder())
        var parameters = service.claim(holder, of: service.bank)
        parameters["pin"] = "8305"
        let byHMAC = try await app.call("postDefinePINRequest", self.form(form, parameters))
        #expect(byHMAC["errorCode"] == 0, "\(byHMAC["errorMessage"] ?? .null)")
        parameters = try service.signed(service.bank.token(for: holder, type: "02"), by: service.bank)
        parameters["pin"] = "83052"
        let byToken = try await app.call("postDefinePINECDHRequest", self.form(form, parameters))
        #expect(byToken["errorCode"] == 0, "\(byToken["errorMessage"] ?? .null)")
        #expect(try await service.serial(holder) == ["3"])
    }

    @Test("4.5.1: a definition by positions on the keypad that was fetched last", arguments: forms)
    func keypad(form: JSON) async throws {
        let service = try await Service.shared.value
        let (app, holder) = (try await AndroidApp(), try await service.holder())
        let asked: [String: JSON] = [
            "bankId": .string(service.bank.id), "uniqueId": .string(holder.uniqueId), "keypadSize": 12,
            "hostUrl": .string(service.server.url),
        ]
        _ = try await app.call("postGetKeyPadCoordinatesRequest", self.form(form, asked))
        let keypad = try await app.call("postGetKeyPadCoordinatesRequest", self.form(form, asked))
        #expect(keypad["errorCode"] == 0)
        let places = try #require(keypad["keypad"]?.array).map { $0.string ?? "" }
        #expect(places.count == 12 && places.filter(\.isEmpty).count == 2, "an empty text at an empty place")
        let indexes = "8305".map { digit in JSON.integer(places.firstIndex(of: String(digit)) ?? -1) }
        var parameters = try service.signed(service.bank.token(for: holder, type: "02"), by: service.bank)
        parameters["indexes"] = .array(indexes)
        let defined = try await app.call("postDefinePINECDHCBRequest", self.form(form, parameters))
        #expect(defined["errorCode"] == 0, "\(defined["errorMessage"] ?? .null)")
        #expect(try await service.serial(holder) == ["2"])
    }

    @Test("After two keypads that were requested at the same time, the one that is requested alone is used")
    func keypadsAtOnce() async throws {
        let service = try await Service.shared.value
        let (app, holder) = (try await AndroidApp(), try await service.holder())
        let asked: [String: JSON] = [
            "call": "postGetKeyPadCoordinatesRequest", "bankId": .string(service.bank.id),
            "uniqueId": .string(holder.uniqueId), "keypadSize": 10, "hostUrl": .string(service.server.url),
        ]
        let both = try await app.call("together", ["calls": [.object(asked), .object(asked)]])
        #expect(both["answers"]?.array?.compactMap { $0.object?["errorCode"] } == [0, 0])
        let alone = try await app.call("postGetKeyPadCoordinatesRequest", asked)
        let places = try #require(alone["keypad"]?.array).map { $0.string ?? "" }
        var parameters = try service.signed(service.bank.token(for: holder, type: "02"), by: service.bank)
        parameters["indexes"] = .array("2947".map { .integer(places.firstIndex(of: String($0)) ?? -1) })
        #expect(try await app.call("postDefinePINECDHCBRequest", parameters)["errorCode"] == 0)
    }

    @Test("Proofs that the bank's back-end has bound to the app's key or sealed PIN")
    func bound() async throws {
        let service = try await Service.shared.value
        let bank = try await service.installation.makeBank(Service.settings + ["--bindings", "require"])
        let (app, holder) = (try await AndroidApp(), try await service.holder(of: bank))

        let key = try await app.call("prepareFetch")
        var parameters = service.claim(holder, of: bank, binding: try #require(key["binding"]?.string) as String)
        parameters["authCode"] = holder.code.map { .string($0) }
        parameters["prepared"] = key["prepared"]
        #expect(try await app.call("postGetPINCaptchaRequest", parameters)["errorCode"] == 0)

        let tokenKey = try await app.call("prepareTokenFetch")
        var token = bank.token(for: holder).with(["Binding": tokenKey["binding"] ?? .null])
        parameters = try service.signed(token, by: bank)
        #expect(try await app.call("postGetPINCaptchaTokenRequest", parameters)["errorCode"] == 206, "with a new key")
        parameters["prepared"] = tokenKey["prepared"]
        #expect(try await app.call("postGetPINCaptchaTokenRequest", parameters)["errorCode"] == 0)

        let now = "\(TestBank.timestamp())"
        let names: [String: JSON] = [
            "bankId": .string(bank.id), "uniqueId": .string(holder.uniqueId), "hostUrl": .string(service.server.url),
        ]
        var sealed = try await app.call(
            "sealPIN", names.merging(["timestamp": .string(now), "pin": "8305"]) { $1 })
        let binding = try #require(sealed["binding"]?.string)
        parameters = names
        parameters["hashMac"] = .string(bank.hashMac(uniqueId: holder.uniqueId, timestamp: now, binding: binding))
        parameters["sealed"] = sealed["sealed"]
        #expect(try await app.call("postDefinePINRequest", parameters)["errorCode"] == 0)

        token = bank.token(for: holder, type: "02")
        let transaction: [String: JSON] = ["idTransaction": token.members["IdTransaction"] ?? .null, "pin": "83052"]
        sealed = try await app.call("sealPINECDH", names.merging(transaction) { $1 })
        parameters = try service.signed(token.with(["Binding": sealed["binding"] ?? .null]), by: bank)
        parameters["sealed"] = sealed["sealed"]
        #expect(try await app.call("postDefinePINECDHRequest", parameters)["errorCode"] == 0)

        let asked = names.merging(["keypadSize": 10]) { $1 }
        let keypad = try await app.call("postGetKeyPadCoordinatesRequest", asked)
        let places = try #require(keypad["keypad"]?.array).map { $0.string ?? "" }
        token = bank.token(for: holder, type: "02")
        let chosen: [String: JSON] = [
            "idTransaction": token.members["IdTransaction"] ?? .null,
            "indexes": .array("2947".map { .integer(places.firstIndex(of: String($0)) ?? -1) }),
        ]
        sealed = try await app.call("sealPINECDHCB", names.merging(chosen) { $1 })
        parameters = try service.signed(token.with(["Binding": sealed["binding"] ?? .null]), by: bank)
        parameters["sealed"] = sealed["sealed"]
        #expect(try await app.call("postDefinePINECDHCBRequest", parameters)["errorCode"] == 0)
        #expect(try await service.serial(holder) == ["4"])
    }

    @Test("A notify works after the app was closed, if the session keeps its receipts in a file")
    func restarted() async throws {
        let service = try await Service.shared.value
        let holder = try await service.holder()
        let folder: [String: JSON] = ["receiptFolder": .string(TestFolder.shared.unused("receipts"))]
        var parameters = try service.signed(service.bank.token(for: holder), by: service.bank)
        let app = try await AndroidApp()
        _ = try await app.call("configure", folder)
        let fetched = try await app.call("postGetPINCaptchaTokenRequest", parameters)
        parameters["sessionId"] = fetched["sessionId"]
        parameters["status"] = "0"
        let another = try await AndroidApp()
        let forgotten = try await another.call("postNotifyTokenRequest", parameters)
        #expect(forgotten["errorCode"] == 90000)
        _ = try await another.call("configure", folder)
        #expect(try await another.call("postNotifyTokenRequest", parameters)["errorCode"] == 0)
        #expect(try await service.delivered(holder) == ["t"])
    }
}
