import ServerHarness
import Testing

/// Invalid values in provisioning, and the reasons in the response.
@Suite("Provisioning rules")
struct RuleTests {
    /// Card numbers that pass the Luhn check, with the shortest and longest lengths.
    static let cardNumbers = ["4111111111111111", "4222222222222", "6304000000000000000", "378282246310005"]
    /// Numbers that fail the Luhn check, or are too short or too long.
    static let otherNumbers = ["4111111111111112", "411111111111117", "49927398716", "41111111111111111115"]

    @Test("A uniqueId that contains a card number is refused", arguments: cardNumbers)
    func uniqueId(number: String) async throws {
        let backend = try await Service.backend.value
        let grouped = number.prefix(4) + "-" + number.dropFirst(4).prefix(4) + " " + number.dropFirst(8)
        for uniqueId in [number, "client-\(number)/1", String(grouped)] {
            let answer = try await backend.put(uniqueId, [:])
            expect(answer, ["uniqueId": "must not contain a card number"])
            // The response must not repeat it either.
            #expect(!String(decoding: answer.body, as: UTF8.self).contains(number))
            #expect(try await backend.get(uniqueId).status == 404)
        }
    }

    @Test("A uniqueId that looks like a card number is accepted if the bank is exempted")
    func exempted() async throws {
        let backend = try await Service.shared.value.makeBackend(["--check-unique-ids", "false"])
        for uniqueId in Self.cardNumbers + ["4111-1111 1111.1111"] {
            #expect(try await backend.put(uniqueId, [:]).status == 201)
            let code = TestCardholder(uniqueId, code: "4111111111111111", pin: nil)
            expect(try await backend.put(code), ["authenticationCode": "must not contain a card number"])
        }
    }

    @Test("Digits that are not a card number are accepted", arguments: otherNumbers)
    func otherDigits(number: String) async throws {
        let backend = try await Service.backend.value
        let holder = TestCardholder("\(Unique.name("c"))-x\(number)", code: "1\(number)x", freeField: number)
        #expect(try await backend.put(holder).status == 201)
    }

    @Test("A free field or a code that contains a card number is refused", arguments: cardNumbers)
    func freeFieldAndCode(number: String) async throws {
        let backend = try await Service.shared.value.makeBackend(["--code-alphabet", "printable"])
        let dotted = number.prefix(6) + "." + number.dropFirst(6)
        let holder = TestCardholder(code: "a \(dotted)", freeField: "Card \(number), yours")
        let answer = try await backend.put(holder)
        expect(
            answer,
            ["authenticationCode": "must not contain a card number", "freeField": "must not contain a card number"])
        #expect(!String(decoding: answer.body, as: UTF8.self).contains(number))
    }

    @Test("A code that equals the uniqueId is refused")
    func codeIsUniqueId() async throws {
        let backend = try await Service.backend.value
        expect(
            try await backend.put(TestCardholder("Client0815", code: "Client0815")),
            [
                "authenticationCode": "must not be the uniqueId"
            ])
    }

    @Test("A code that does not match the bank's format is refused")
    func codeForm() async throws {
        let service = try await Service.shared.value
        let digits = try await service.makeBackend([
            "--code-alphabet", "digits", "--code-minimum-length", "6", "--code-maximum-length", "8",
        ])
        for code in ["12345", "123456789", "12345a", "12345 6"] {
            expect(
                try await digits.put(TestCardholder(code: code)),
                [
                    "authenticationCode": "must have 6 to 8 characters (digits)"
                ])
        }
        #expect(try await digits.put(TestCardholder(code: "123456")).status == 201)
        let alphanumeric = try await Service.backend.value
        for code in ["abc", "Code-4711", "Codé4711"] {
            expect(
                try await alphanumeric.put(TestCardholder(code: code)),
                [
                    "authenticationCode": "must have 4 to 32 characters (alphanumeric)"
                ])
        }
    }

    @Test("A PIN with a wrong length or with anything but digits is refused")
    func pin() async throws {
        let service = try await Service.shared.value
        let backend = try await service.makeBackend(["--pin-minimum-length", "5", "--pin-maximum-length", "8"])
        for pin in ["4917", "491749174", "4917a", "49 17", "٤٩١٧٨"] {
            expect(
                try await backend.put(TestCardholder(pin: pin)),
                [
                    "pin": "must have 5 to 8 digits"
                ])
        }
        for pin in ["49174", "49174917", "49174   "] {
            #expect(try await backend.put(TestCardholder(pin: pin)).status == 201)
        }
    }

    @Test("A sealed value that cannot be opened is refused with the reason")
    func sealedValues() async throws {
        let backend = try await Service.backend.value
        let id = Unique.name("holder")
        for member in ["pin", "authenticationCode"] {
            let binding = SealedBinding(member, bankId: backend.bank.id, uniqueId: id)
            let good = try backend.key.seal(Array("4917".utf8), binding)
            var parts = good.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            parts[3] = (parts[3].hasPrefix("A") ? "B" : "A") + parts[3].dropFirst()
            let damaged = parts.joined(separator: ".")
            for (value, reason) in [
                (JSON.string(damaged), "does not decrypt"), (.string("4917"), "not a JWE"), (4917, "must be a JWE"),
                (.string(good + "."), "not a JWE"),
            ] {
                expect(try await backend.put(id, [member: value]), [member: reason])
            }
        }
    }

    @Test("A value that is sealed to an unknown key is refused")
    func unknownKey() async throws {
        let backend = try await Service.backend.value
        let elsewhere = try await TestInstallation(isNew: true).startServer()
        let key = try await elsewhere.sealingKey()
        try await elsewhere.stop()
        for (holder, member) in [(TestCardholder(code: nil), "pin"), (TestCardholder(pin: nil), "authenticationCode")] {
            let body = try holder.members(sealedTo: key, of: backend.bank.id)
            expect(try await backend.put(holder.uniqueId, body), [member: "kid"])
        }
    }

    @Test("A pinBlock is refused, with and without a pin", arguments: [true, false])
    func pinBlock(hasPIN: Bool) async throws {
        let backend = try await Service.backend.value
        let holder = TestCardholder(pin: hasPIN ? "4917" : nil)
        var body = try holder.members(sealedTo: backend.key, of: backend.bank.id)
        body["pinBlock"] = ["format": "ISO-1", "key": "zpk", "block": "1449171234567890"]
        let answer = try await backend.put(holder.uniqueId, body)
        expect(answer, ["pinBlock": "may send no PIN blocks"])
        #expect(try await backend.get(holder.uniqueId).status == 404)
    }

    @Test("All invalid members of a cardholder are listed in one response")
    func everything() async throws {
        let backend = try await Service.backend.value
        let cardNumber = "4111111111111111"
        func binding(_ contentType: String) -> SealedBinding {
            SealedBinding(contentType, bankId: backend.bank.id, uniqueId: cardNumber)
        }
        let answer = try await backend.put(
            cardNumber,
            [
                "status": "GONE", "channels": ["AC", "FAX"], "freeField": .string(String(repeating: "ä", count: 501)),
                "authenticationCode": .string(try backend.key.seal(Array("?".utf8), binding("authenticationCode"))),
                "pin": .string(try backend.key.seal(Array("abcd".utf8), binding("pin"))),
            ])
        expect(
            answer,
            [
                "uniqueId": "must not contain a card number", "status": "ACTIVE", "channels": "AC",
                "freeField": "1000 bytes",
                "authenticationCode": "characters (", "pin": "digits",
            ])
    }

    @Test(
        "A uniqueId that is not 1 to 64 printable characters is refused",
        arguments: ["a\nb", "\u{0}", "x\u{7F}", "\u{2028}"])
    func unprintable(uniqueId: String) async throws {
        let backend = try await Service.backend.value
        let reason = "must be a string of 1 to 64 printable characters"
        expect(try await backend.put(uniqueId, [:]), ["uniqueId": reason])
        #expect(try await backend.get(uniqueId).status == 404)
        #expect(try await backend.patch(uniqueId, ["status": "ACTIVE"]).status == 404)
        #expect(try await backend.delete(uniqueId).status == 404)
        let name = Unique.name("é")
        let long = name + String(repeating: "é", count: 64 - name.unicodeScalars.count)
        #expect(try await backend.put(long, [:]).status == 201)
        expect(try await backend.put(long + "é", [:]), ["uniqueId": reason])
        #expect(try await backend.delete(long).status == 204)
    }

    /// Checks that the response lists exactly these members, each with a reason that contains the given text.
    private func expect(
        _ answer: HTTPAnswer, _ invalid: [String: String], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(answer.status == 422 && answer.problem == "invalid-members", sourceLocation: sourceLocation)
        #expect(answer.invalid.map(\.member).sorted() == invalid.keys.sorted(), sourceLocation: sourceLocation)
        for (member, reason) in answer.invalid {
            #expect(reason.contains(invalid[member] ?? ""), "\(member): \(reason)", sourceLocation: sourceLocation)
        }
    }
}
