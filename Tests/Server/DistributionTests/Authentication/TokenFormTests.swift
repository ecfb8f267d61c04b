import ServerHarness
import Testing

/// Codes 208 and 209: the token's text and Type (sections 2.2 and 2.9).
@Suite("Tokens")
struct TokenFormTests {
    private static let notOneObject = [
        "?", "{", "[]", "\"text\"", "5", "null", "true", "{}{}", "{} x", "{'a':1}", "{\"a\":1,}", "{\"a\":01}",
        "{\"a\":NaN}", "{\"a\":1 /* comment */}", "\u{FEFF}{}", "{\"a\":\"\t\"}", "{\"a\":\"\\x\"}",
        "{\"a\":\"\\ud800\"}", "{\"a\":\"\\udc00\\ud800\"}", " ",
    ]

    @Test(
        "A token that is not one strict JSON object is answered 208, in a fetch and in a notify",
        arguments: notOneObject)
    func notStrict(text: String) async throws {
        let service = try await Service.shared.value
        #expect(try await fetch(text, service) == 208)
        let notify: [String: JSON] = ["token": .string(text), "sessionId": "s", "status": 0, "hash": "00"]
        #expect(try await service.server.post(Path.tokenNotify, notify).code == 208)
    }

    @Test("A token with a duplicate member is answered 208, at any depth and with any escapes")
    func duplicates() async throws {
        let service = try await Service.shared.value
        let (bank, cardholder) = (service.tokenBank.bank, service.tokenBank.cardholder())
        let inner = String(bank.token(for: cardholder).text.dropFirst().dropLast())
        #expect(try await fetch("{\(inner)}", service) == 0)
        let another = String(bank.token(for: cardholder).text.dropFirst().dropLast())
        let beginnings = [
            "\"IdBEL\":\"\(bank.id)\"", "\"Type\":\"01\"", "\"Id\\u0042EL\":\"x\"", "\"x\":1,\"x\":2",
            "\"x\":{\"y\":1,\"y\":1}", "\"x\":[{\"\":0,\"\":0}]",
        ]
        for beginning in beginnings {
            #expect(try await fetch("{\(beginning),\(another)}", service) == 208, "\(beginning)")
        }
    }

    @Test("A token that is not a string is answered 208", arguments: [5, true, ["a"], ["IdBEL": "x"]] as [JSON])
    func notAString(token: JSON) async throws {
        let service = try await Service.shared.value
        let body: [String: JSON] = ["token": token, "signature": "AA==", "ecdhPublicKey": "AA=="]
        #expect(try await service.server.post(Path.tokenCaptcha, body).code == 208)
    }

    @Test(
        "A Type other than 0 and 1 is answered 209",
        arguments: ["02", "2", 2, "03", "000", "001", "-0", "+1", " 0", "0 ", "A", "00\u{0}", 10, -1, true, ["00"]]
            as [JSON])
    func otherType(type: JSON) async throws {
        let service = try await Service.shared.value
        let (bank, cardholder) = (service.tokenBank.bank, service.tokenBank.cardholder())
        let token = bank.token(for: cardholder).with(["Type": type])
        #expect(try await service.server.fetch(bank, token: token).code == 209)
    }

    @Test(
        "Type is accepted with and without a leading zero, and as a number",
        arguments: ["00", "0", 0, "01", "1", 1] as [JSON])
    func types(type: JSON) async throws {
        let service = try await Service.shared.value
        let (bank, cardholder) = (service.repeatingBank.bank, service.repeatingBank.cardholder())
        let token = bank.token(for: cardholder).with(["Type": type])
        #expect(try await service.server.fetch(bank, token: token).code == 0)
    }

    @Test(
        "A member that is too long, contains control characters or is not a string is answered 312",
        arguments: ["IdBEL", "IdPorteur", "IdFournisseur", "IdTransaction", "SignatureCertAlias"])
    func badMembers(member: String) async throws {
        let service = try await Service.shared.value
        let (bank, cardholder) = (service.tokenBank.bank, service.tokenBank.cardholder())
        let values: [JSON] = [
            .string(String(repeating: "x", count: 65)), "a\u{7}b", "a\u{0}", "a\u{85}", 5, ["x"], true,
        ]
        for value in values {
            let token = bank.token(for: cardholder).with([member: value])
            #expect(try await service.server.fetch(bank, token: token).code == 312, "\(value)")
        }
    }

    private func fetch(_ text: String, _ service: Service) async throws -> Int? {
        let bank = service.tokenBank.bank
        let body = try TestApp().tokenCaptcha(bank, TestToken(members: [:])).merging([
            "token": .string(text), "signature": .string(try bank.signer.signature(of: text)),
        ]) { $1 }
        return try await service.server.post(Path.tokenCaptcha, body).code
    }
}
