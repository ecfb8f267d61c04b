import Crypto
import ServerHarness
import Testing

/// Code 205: the hashMac is wrong or spent (section 2.1).
@Suite("hashMac")
struct HashMacTests {
    @Test("A hashMac that is not the HMAC of the request is answered 205")
    func wrong() async throws {
        let service = try await Service.shared.value
        let (bank, cardholder) = (service.bank.bank, service.bank.cardholder())
        let now = TestBank.timestamp()
        let right = bank.hashMac(uniqueId: cardholder.uniqueId, timestamp: "\(now)")
        let wrong: [JSON] = [
            .string(String(right.reversed())), .string(String(right.dropLast())), .string(right + "0"),
            .string(String(right.dropLast(2))), .string(right + "00"), .string("0x" + right), .string(" " + right),
            .string(right.replacingLast(with: "g")), .string(right.replacingLast(with: "é")), "?",
            .integer(5), [.string(right)],
            .string(bank.hashMac(uniqueId: cardholder.uniqueId, timestamp: "\(now + 1)")),
            .string(bank.hashMac(uniqueId: service.bank.cardholder().uniqueId, timestamp: "\(now)")),
            .string(service.repeatingBank.bank.hashMac(uniqueId: cardholder.uniqueId, timestamp: "\(now)")),
        ]
        for hashMac in wrong {
            let answer = try await service.server.fetch(
                bank, cardholder, timestamp: now, changing: ["hashMac": hashMac])
            #expect(answer.code == 205, "\(hashMac)")
        }
        #expect(try await service.server.fetch(bank, cardholder, timestamp: now).code == 0)
    }

    @Test("A hashMac in upper-case hex is accepted")
    func upperCase() async throws {
        let service = try await Service.shared.value
        let (bank, cardholder) = (service.bank.bank, service.bank.cardholder())
        let now = TestBank.timestamp()
        let hashMac = bank.hashMac(uniqueId: cardholder.uniqueId, timestamp: "\(now)").uppercased()
        let answer = try await service.server.fetch(
            bank, cardholder, timestamp: now, changing: ["hashMac": .string(hashMac)])
        #expect(answer.code == 0)
    }

    @Test("After a delivery the hashMac is answered 205, in lower and upper case; the next second's is accepted")
    func spent() async throws {
        let service = try await Service.shared.value
        let (bank, server, cardholder) = (
            service.repeatingBank.bank, service.server, service.repeatingBank.cardholder()
        )
        let now = TestBank.timestamp()
        #expect(try await server.fetch(bank, cardholder, timestamp: now).code == 0)
        #expect(try await server.fetch(bank, cardholder, timestamp: now).code == 205)
        let upperCase = bank.hashMac(uniqueId: cardholder.uniqueId, timestamp: "\(now)").uppercased()
        let answer = try await server.fetch(bank, cardholder, timestamp: now, changing: ["hashMac": .string(upperCase)])
        #expect(answer.code == 205)
        #expect(try await server.fetch(bank, cardholder, timestamp: now + 1).code == 0)
    }

    @Test("After a confirmed delivery the hashMac is still answered 205")
    func spentAndConfirmed() async throws {
        let service = try await Service.shared.value
        let (bank, server, cardholder) = (
            service.repeatingBank.bank, service.server, service.repeatingBank.cardholder()
        )
        let now = TestBank.timestamp()
        #expect(try await server.deliverAndConfirm(bank, cardholder, timestamp: now) == 0)
        #expect(try await server.fetch(bank, cardholder, timestamp: now).code == 205)
    }

    @Test("A spent hashMac is answered 205 before the code is checked, and its message says that it was used")
    func spentBeforeCodes() async throws {
        let service = try await Service.shared.value
        let (bank, server, cardholder) = (service.bank.bank, service.server, service.bank.cardholder())
        let now = TestBank.timestamp()
        #expect(try await server.fetch(bank, cardholder, timestamp: now).code == 0)
        for _ in 0..<4 {
            let answer = try await server.fetch(bank, cardholder.with(code: "Code4712"), timestamp: now)
            #expect(answer.code == 205)
            #expect(answer.message?.hasSuffix("already used") == true)
        }
        let wrong = try await server.fetch(bank, cardholder, changing: ["hashMac": "00"])
        #expect(wrong.message?.hasSuffix("does not match") == true)
        #expect(try await server.fetch(bank, cardholder, timestamp: now + 1).code == 0)
    }

    @Test("A refused request does not spend its hashMac")
    func notSpentByRefusals() async throws {
        let service = try await Service.shared.value
        let (bank, server, cardholder) = (service.bank.bank, service.server, service.bank.cardholder())
        let now = TestBank.timestamp()
        for (code, answer) in [("Code4712", 203), ("!", 204)] {
            let refused = try await server.fetch(bank, cardholder.with(code: code), timestamp: now)
            #expect(refused.code == answer)
        }
        try await service.installation.sql("UPDATE cardholder SET status = 'SUSPENDED' WHERE \(cardholder.row(bank))")
        #expect(try await server.fetch(bank, cardholder, timestamp: now).code == 302)
        try await service.installation.sql("UPDATE cardholder SET status = 'ACTIVE' WHERE \(cardholder.row(bank))")
        #expect(try await server.fetch(bank, cardholder, timestamp: now).code == 0)
    }

    @Test("Any active key of the bank is accepted, a disabled one is answered 205, and no active key 304")
    func keys() async throws {
        let service = try await Service.shared.value
        let cardholder = TestCardholder()
        let bank = try await service.makeBank(cardholders: [cardholder])
        let second = SymmetricKey(size: .init(bitCount: 16 * 8))
        try await service.installation.importHMACKey(second, label: "second", into: bank)
        let other = TestBank(id: bank.id, hmacKey: second, signer: bank.signer)
        func codes() async throws -> [Int?] {
            let stamp = Stamps.next()
            return [
                try await service.server.fetch(bank, cardholder, timestamp: stamp).code,
                try await service.server.fetch(other, cardholder, timestamp: stamp).code,
            ]
        }
        func set(_ verb: String, _ label: String) async throws {
            try await service.installation.run(["key", verb, "--bank", bank.id, label]).succeeded()
        }
        #expect(try await codes() == [0, 0])
        try await set("disable", TestBank.hmacLabel)
        #expect(try await codes() == [205, 0])
        try await set("disable", "second")
        #expect(try await codes() == [304, 304])
        try await set("enable", TestBank.hmacLabel)
        #expect(try await codes() == [0, 205])
    }

    @Test("A key for definition does not exist for fetches, alone or beside another one")
    func usage() async throws {
        let service = try await Service.shared.value
        let cardholder = TestCardholder()
        let bank = try await service.makeBank(cardholders: [cardholder])
        let (fetchKey, definitionKey) = (SymmetricKey(size: .bits256), SymmetricKey(size: .bits256))
        func code(_ key: SymmetricKey) async throws -> Int? {
            let other = TestBank(id: bank.id, hmacKey: key, signer: bank.signer)
            return try await service.server.fetch(other, cardholder, timestamp: Stamps.next()).code
        }
        try await service.installation.importHMACKey(definitionKey, label: "d", usage: "definition", into: bank)
        try await service.installation.run(["key", "disable", "--bank", bank.id, TestBank.hmacLabel]).succeeded()
        #expect(try await code(definitionKey) == 304)
        try await service.installation.importHMACKey(fetchKey, label: "f", usage: "distribution", into: bank)
        #expect(try await code(definitionKey) == 205)
        #expect(try await code(fetchKey) == 0)
    }
}

extension String {
    fileprivate func replacingLast(with character: Character) -> String {
        String(dropLast()) + String(character)
    }
}
