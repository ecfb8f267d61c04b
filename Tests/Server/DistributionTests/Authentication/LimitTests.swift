import ServerHarness
import Testing

/// Codes 203, 204 and 307: authentication codes and the limits of attempts (sections 2.6 and 2.9).
@Suite("Authentication codes and limits")
struct LimitTests {
    @Test("After three wrong codes both channels are answered 307, even with the right code, until an unlock")
    func retryLimit() async throws {
        let service = try await Service.shared.value
        let (bank, holder) = (service.bank.bank, service.bank.cardholder())
        let wrong = holder.with(code: "Code4712")
        #expect(try await byCode(wrong, service) == 203)
        #expect(try await byToken(wrong, service) == 203)
        #expect(try await byCode(wrong, service) == 203)
        for _ in 0..<2 {
            #expect(try await byCode(wrong, service) == 307)
            #expect(try await byCode(holder, service) == 307)
            #expect(try await byToken(holder, service) == 307)
        }
        try await service.installation.run(["cardholder", "unlock", "--bank", bank.id, holder.uniqueId]).succeeded()
        #expect(try await byCode(holder, service) == 0)
    }

    @Test("A right code resets the count of wrong codes")
    func countReturns() async throws {
        let service = try await Service.shared.value
        let holder = service.bank.cardholder()
        let wrong = holder.with(code: "code4711")
        for code in [203, 203, 0, 203, 203, 0, 203, 203, 203, 307] {
            #expect(try await byCode(code == 0 || code == 307 ? holder : wrong, service) == code)
        }
    }

    @Test("A right code resets the count of wrong codes even if there is no PIN")
    func countReturnsWithoutPIN() async throws {
        let service = try await Service.shared.value
        let holder = try await service.provision(TestCardholder(pin: nil), of: service.bank.bank)
        let wrong = holder.with(code: "Code4712")
        for _ in 0..<2 {
            #expect(try await byCode(wrong, service) == 203)
            #expect(try await byToken(wrong, service) == 203)
            #expect(try await byCode(holder, service) == 303)
        }
    }

    @Test("A code that does not match the bank's format is answered 204 and not counted")
    func withoutForm() async throws {
        let service = try await Service.shared.value
        let holder = service.bank.cardholder()
        let codes = [
            "abc", String(repeating: "a", count: 33), "Code 471", "Code-471", "Cödé4711", "Ｃode4711", "Code4711\n",
        ]
        for code in codes {
            #expect(try await byCode(holder.with(code: code), service) == 204, "\(code)")
            #expect(try await byToken(holder.with(code: code), service) == 204, "\(code)")
        }
        let (bank, server) = (service.bank.bank, service.server)
        for code in [4711, true, ["Code4711"]] as [JSON] {
            let answer = try await server.fetch(
                bank, holder, timestamp: Stamps.next(), changing: ["authCode": code])
            #expect(answer.code == 204, "\(code)")
        }
        #expect(try await byCode(holder, service) == 0)
    }

    @Test("The bank's own code format and retry limit apply")
    func ownForm() async throws {
        let service = try await Service.shared.value
        let holder = TestCardholder(code: "471147")
        let settings = [
            "--code-alphabet", "digits", "--code-minimum-length", "6", "--code-maximum-length", "6", "--retry-limit",
            "1",
        ]
        let bank = try await service.makeBank(settings, cardholders: [holder])
        func code(_ code: String) async throws -> Int? {
            try await service.server.fetch(bank, holder.with(code: code), timestamp: Stamps.next()).code
        }
        #expect(try await code("47114") == 204)
        #expect(try await code("4711470") == 204)
        #expect(try await code("47114a") == 204)
        #expect(try await code("٤٧١١٤٧") == 204)
        #expect(try await code("471147") == 0)
        #expect(try await code("471148") == 203)
        #expect(try await code("471147") == 307)
    }

    @Test("Any code of a cardholder without a stored code is answered 203, then 307")
    func noCode() async throws {
        let service = try await Service.shared.value
        let holder = try await service.provision(TestCardholder(code: nil), of: service.bank.bank)
        let guess = holder.with(code: "Code4711")
        for code in [203, 203, 203, 307] { #expect(try await byCode(guess, service) == code) }
    }

    @Test("A CB bank ignores codes in tokens, and checks them in fetches by code")
    func tokenAlone() async throws {
        let service = try await Service.shared.value
        let (bank, server, holder) = (service.tokenBank.bank, service.server, service.tokenBank.cardholder())
        let wrong = holder.with(code: "Code4712")
        for _ in 0..<4 { #expect(try await server.fetch(bank, token: bank.token(for: wrong)).code == 0) }
        #expect(try await server.fetch(bank, wrong, timestamp: Stamps.next()).code == 203)
    }

    @Test("After five fetches without a confirmed delivery both channels are answered 307, until an unlock")
    func fetchLimit() async throws {
        let service = try await Service.shared.value
        let (bank, holder) = (service.bank.bank, service.bank.cardholder())
        for _ in 0..<2 {
            for isByCode in [true, false, true, true, false] {
                #expect(try await (isByCode ? byCode(holder, service) : byToken(holder, service)) == 0)
            }
            #expect(try await byCode(holder, service) == 307)
            #expect(try await byToken(holder, service) == 307)
            try await service.installation.run(["cardholder", "unlock", "--bank", bank.id, holder.uniqueId])
                .succeeded()
        }
    }

    @Test("A confirmed delivery resets the count of fetches; a failed one does not")
    func fetchesConfirmed() async throws {
        let service = try await Service.shared.value
        let (server, holder) = (service.server, TestCardholder())
        let bank = try await service.makeBank(
            ["--retention", "keep-repeat", "--fetch-limit", "2"], cardholders: [holder])
        for status in [1, 0, 0, 2] {
            let delivery = try await server.deliver(bank, holder, timestamp: Stamps.next())
            #expect(try await server.post(Path.notify, delivery.notify(bank, holder, status: status)).code == 0)
        }
        #expect(try await server.fetch(bank, holder, timestamp: Stamps.next()).code == 0)
        #expect(try await server.fetch(bank, holder, timestamp: Stamps.next()).code == 307)
    }

    private func byCode(_ holder: TestCardholder, _ service: Service) async throws -> Int? {
        try await service.server.fetch(service.bank.bank, holder, timestamp: Stamps.next()).code
    }

    private func byToken(_ holder: TestCardholder, _ service: Service) async throws -> Int? {
        let bank = service.bank.bank
        return try await service.server.fetch(bank, token: bank.token(for: holder)).code
    }
}
