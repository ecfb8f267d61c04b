import ServerHarness
import Testing

/// Codes 203, 204 and 307: authentication codes, and how often one may try (sections 2.6 and 2.9).
@Suite("Authentication codes and limits")
struct LimitTests {
    @Test("Three wrong codes lock, on both channels, for the right code too, until the cardholder is unlocked")
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

    @Test("The count returns to zero with the right code")
    func countReturns() async throws {
        let service = try await Service.shared.value
        let holder = service.bank.cardholder()
        let wrong = holder.with(code: "code4711")
        for code in [203, 203, 0, 203, 203, 0, 203, 203, 203, 307] {
            #expect(try await byCode(code == 0 || code == 307 ? holder : wrong, service) == code)
        }
    }

    @Test("A right code returns the count to zero though there is no PIN")
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

    @Test("What has not the bank's form is 204, and is not counted")
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

    @Test("A bank's own form of codes holds")
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

    @Test("A cardholder who has no code is refused every one")
    func noCode() async throws {
        let service = try await Service.shared.value
        let holder = try await service.provision(TestCardholder(code: nil), of: service.bank.bank)
        let guess = holder.with(code: "Code4711")
        for code in [203, 203, 203, 307] { #expect(try await byCode(guess, service) == code) }
    }

    @Test("A CB bank's token is not asked for a code, nor stopped by wrong ones; its fetches by code are")
    func tokenAlone() async throws {
        let service = try await Service.shared.value
        let (bank, server, holder) = (service.tokenBank.bank, service.server, service.tokenBank.cardholder())
        let wrong = holder.with(code: "Code4712")
        for _ in 0..<4 { #expect(try await server.fetch(bank, token: bank.token(for: wrong)).code == 0) }
        #expect(try await server.fetch(bank, wrong, timestamp: Stamps.next()).code == 203)
    }

    @Test("Five fetches without a confirmed delivery lock, whatever their channel, until the cardholder is unlocked")
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

    @Test("A confirmed delivery returns the count of fetches to zero, a failed one does not")
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
