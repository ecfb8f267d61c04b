import Foundation
import ServerHarness
import Testing

/// Code 206: a wrong signature. Code 304: no certificate to verify it (section 2.2).
@Suite("Signatures")
struct SignatureTests {
    @Test("A signature that is not over the exact bytes of the token is answered 206")
    func wrong() async throws {
        let service = try await Service.shared.value
        let (bank, server, cardholder) = (service.tokenBank.bank, service.server, service.tokenBank.cardholder())
        let token = bank.token(for: cardholder)
        let right = try bank.signer.signature(of: token.text)
        let bytes = try #require(Data(base64Encoded: right))
        let urlSafe = right.replacing("+", with: "-").replacing("/", with: "_")
        let other = try await TestAuthority.shared.value.otherSigner
        var altered = bytes
        altered[100] ^= 1
        var wrong: [(String, JSON)] = [
            ("another key's", .string(try other.signature(of: token.text))),
            ("another token's", .string(try bank.signer.signature(of: token.text + " "))),
            ("PSS", .string(try bank.signer.pssSignature(of: token.text))),
            ("altered", .string(altered.base64EncodedString())),
            ("cut short", .string(bytes.dropLast().base64EncodedString())),
            ("longer", .string((bytes + [0]).base64EncodedString())),
            ("one byte", "AA=="), ("zeros", .string(Data(count: 256).base64EncodedString())),
            ("not base64", "?"), ("hex", .string(Hex.encode(bytes))), ("not a string", 5),
            ("without its padding", .string(right.trimmingCharacters(in: ["="]))),
            ("with a line break", .string(right.prefix(76) + "\n" + right.dropFirst(76))),
        ]
        if urlSafe != right { wrong.append(("base64 for URLs", .string(urlSafe))) }
        for (what, signature) in wrong {
            let answer = try await server.fetch(bank, token: token, changing: ["signature": signature])
            #expect(answer.code == 206, "\(what)")
        }
        #expect(try await server.fetch(bank, token: token).code == 0)
    }

    @Test("A token that was changed or reformatted after signing is answered 206")
    func altered() async throws {
        let service = try await Service.shared.value
        let (bank, server, cardholder) = (service.tokenBank.bank, service.server, service.tokenBank.cardholder())
        let token = bank.token(for: cardholder)
        let signature = JSON.string(try bank.signer.signature(of: token.text))
        let texts = [
            token.with(["IdPorteur": .string(service.tokenBank.cardholder().uniqueId)]).text,
            token.with(["extra": 1]).text,
            token.text.replacing(",", with: ", "), " " + token.text, token.text + "\n",
            token.text.replacing("\"IdBEL\"", with: "\"\\u0049dBEL\""),
        ]
        for text in texts {
            #expect(text != token.text)
            let changes = ["token": .string(text), "signature": signature]
            #expect(try await server.fetch(bank, token: token, changing: changes).code == 206, "\(text)")
        }
    }

    @Test("A signed token with spaces, escapes, non-ASCII characters and extra members is accepted")
    func oddButRight() async throws {
        let service = try await Service.shared.value
        let (bank, server, cardholder) = (service.tokenBank.bank, service.server, service.tokenBank.cardholder())
        let text = """
            {\t"\\u0049dBEL" : "\(bank.id)",
              "IdFournisseur":"Société \\u00e9l\\u00e9ctronique 🏦", "IdPorteur":"\(cardholder.uniqueId)",
              "IdTransaction":"\(Unique.name("ünïque"))","Timestamp" :\(TestBank.timestamp()),"Type": 0, "more": [1, {}]
            }\r\n
            """
        let body = try TestApp().tokenCaptcha(bank, bank.token(for: cardholder)).merging([
            "token": .string(text), "signature": .string(try bank.signer.signature(of: text)),
        ]) { $1 }
        #expect(try await server.post(Path.tokenCaptcha, body).code == 0)
    }

    @Test("The alias selects the certificate; without an alias the default certificate is used")
    func aliases() async throws {
        let service = try await Service.shared.value
        let cardholder = TestCardholder()
        let bank = try await service.makeBank(scheme: "CB", cardholders: [cardholder])
        let other = try await TestAuthority.shared.value.otherSigner
        try await service.installation.importCertificate(other, alias: "second", isDefault: false, into: bank)
        func code(_ signer: TestAuthority.Signer, alias: JSON?) async throws -> Int? {
            let token = bank.token(for: cardholder).with(["SignatureCertAlias": alias])
            return try await service.server.fetch(bank, token: token, signer: signer).code
        }
        #expect(try await code(bank.signer, alias: nil) == 0)
        #expect(try await code(bank.signer, alias: .string(TestBank.certificateAlias)) == 0)
        #expect(try await code(other, alias: "second") == 0)
        #expect(try await code(other, alias: nil) == 206)
        #expect(try await code(bank.signer, alias: "second") == 206)
        #expect(try await code(other, alias: "third") == 304)
        #expect(try await code(other, alias: "SECOND") == 304)
    }

    @Test("A disabled certificate, another bank's alias or a missing default certificate is answered 304")
    func noCertificate() async throws {
        let service = try await Service.shared.value
        let cardholder = TestCardholder()
        let bank = try await service.makeBank(scheme: "CB", cardholders: [cardholder])
        let other = try await service.makeBank(scheme: "CB")
        try await service.installation.importCertificate(bank.signer, alias: "theirs", isDefault: false, into: other)
        func code(alias: JSON?) async throws -> Int? {
            let token = bank.token(for: cardholder).with(["SignatureCertAlias": alias])
            return try await service.server.fetch(bank, token: token).code
        }
        func set(_ verb: String) async throws {
            try await service.installation.run(["certificate", verb, "--bank", bank.id, TestBank.certificateAlias])
                .succeeded()
        }
        #expect(try await code(alias: "theirs") == 304)
        try await set("disable")
        #expect(try await code(alias: nil) == 304)
        #expect(try await code(alias: .string(TestBank.certificateAlias)) == 304)
        try await set("enable")
        try await service.installation.sqlAsCommand(
            "UPDATE certificate SET is_default = false WHERE bank_id = '\(bank.id)'", of: bank.id)
        #expect(try await code(alias: nil) == 304)
        #expect(try await code(alias: .string(TestBank.certificateAlias)) == 0)
    }

    @Test("A certificate outside its validity period is answered 206")
    func validity() async throws {
        let service = try await Service.shared.value
        let cardholder = TestCardholder()
        let bank = try await service.makeBank(scheme: "CB", cardholders: [cardholder])
        func code(from notBefore: String, to notAfter: String) async throws -> Int? {
            try await service.installation.sqlAsCommand(
                """
                UPDATE certificate SET not_before = now() + interval '\(notBefore)',
                    not_after = now() + interval '\(notAfter)' WHERE bank_id = '\(bank.id)'
                """, of: bank.id)
            return try await service.server.fetch(bank, token: bank.token(for: cardholder)).code
        }
        #expect(try await code(from: "-2 days", to: "-1 minute") == 206)
        #expect(try await code(from: "10 minutes", to: "2 days") == 206)
        #expect(try await code(from: "-1 minute", to: "10 minutes") == 0)
    }
}
