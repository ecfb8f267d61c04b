import ServerHarness
import Testing

/// A request with several faults is answered with the code of the first check that fails (protocol, section 2.8). Tests
/// every single fault and every pair of faults.
@Suite("Order of distribution checks")
struct OrderTests {
    @Test("Faults in a fetch by authentication code are answered in the protocol's order")
    func captcha() async throws {
        let service = try await Service.shared.value
        let order = CaptchaOrder(banks: try await OrderBanks.shared.value)
        let plans = try Dictionary(
            uniqueKeysWithValues: CaptchaFault.combinations.map { ($0, try order.plan($0)) })
        try await prepare(Array(plans.values), order.banks, service)
        try await checkOrder(of: CaptchaFault.self) { faults in
            try await service.server.post(Path.captcha, try #require(plans[faults]).body)
        }
    }

    @Test("Faults in a fetch by token are answered in the protocol's order")
    func tokenCaptcha() async throws {
        let service = try await Service.shared.value
        let order = TokenCaptchaOrder(
            banks: try await OrderBanks.shared.value, otherSigner: try await TestAuthority.shared.value.otherSigner)
        let plans = try Dictionary(
            uniqueKeysWithValues: TokenCaptchaFault.combinations.map { ($0, try order.plan($0)) })
        try await prepare(Array(plans.values), order.banks, service)
        try await checkOrder(of: TokenCaptchaFault.self) { faults in
            try await service.server.post(Path.tokenCaptcha, try #require(plans[faults]).body)
        }
    }

    @Test("Faults in a notify by authentication code are answered in the protocol's order")
    func notify() async throws {
        let service = try await Service.shared.value
        let (bank, server) = (service.repeatingBank.bank, service.server)
        let cardholder = service.repeatingBank.cardholder()
        let open = try await server.deliver(bank, cardholder).notify(bank, cardholder)
        let failed = try await server.deliver(bank, cardholder, timestamp: Stamps.next())
        #expect(try await server.post(Path.notify, failed.notify(bank, cardholder, status: 1)).code == 0)
        let decided = failed.notify(bank, cardholder)
        try await checkOrder(of: NotifyFault.self) { faults in
            try await server.post(Path.notify, spoiled(faults.contains(.decidedOtherwise) ? decided : open, faults))
        }
    }

    @Test("Faults in a notify by token are answered in the protocol's order")
    func tokenNotify() async throws {
        let service = try await Service.shared.value
        let (bank, server) = (service.repeatingBank.bank, service.server)
        let cardholder = service.repeatingBank.cardholder()
        let (token, failedToken) = (bank.token(for: cardholder), bank.token(for: cardholder))
        let open = try await server.deliver(bank, token: token).tokenNotify(bank, cardholder, token: token)
        let failed = try await server.deliver(bank, token: failedToken)
        let failure = failed.tokenNotify(bank, cardholder, token: failedToken, status: 1)
        #expect(try await server.post(Path.tokenNotify, failure).code == 0)
        let decided = failed.tokenNotify(bank, cardholder, token: failedToken)
        try await checkOrder(of: TokenNotifyFault.self) { faults in
            let notifyFaults = faults.compactMap(\.notifyFault)
            let isDecided = notifyFaults.contains(.decidedOtherwise)
            var (body, sent) = isDecided ? (decided, failedToken) : (open, token)
            for member in notifyFaults.compactMap(\.missingTokenMember) { sent.members[member] = nil }
            if notifyFaults.contains(.unknownBank), sent.members["IdBEL"] != nil { sent.members["IdBEL"] = "nobody" }
            body["token"] = .string(sent.text + (faults.contains(.badToken) ? "x" : ""))
            if faults.contains(.noToken) { body["token"] = nil }
            return try await server.post(Path.tokenNotify, spoiled(body, notifyFaults))
        }
    }

    /// A notify with the faults that both channels share.
    private func spoiled(_ body: [String: JSON], _ faults: [NotifyFault]) -> [String: JSON] {
        var body = body
        if faults.contains(.wrongHash) { body["hash"] = .string(String(repeating: "0", count: 64)) }
        if faults.contains(.otherSession) { body["sessionId"] = "another" }
        if faults.contains(.unknownBank), body["bankId"] != nil { body["bankId"] = "nobody" }
        if faults.contains(.unknownStatus) { body["status"] = 3 }
        for member in faults.compactMap(\.missingMember) { body[member] = nil }
        return body
    }

    private func prepare(_ plans: [CaptchaOrder.Plan], _ banks: OrderBanks, _ service: Service) async throws {
        for bank in banks.all {
            let cardholders = plans.filter { $0.bank.id == bank.id }.compactMap(\.cardholder)
            if cardholders.isEmpty { continue }
            try await service.installation.provision(cardholders, of: bank, through: service.server)
        }
        try await service.installation.sql(plans.flatMap(\.statements).joined(separator: "\n"))
    }
}
