import ServerHarness
import Testing

/// Scrambled keypads and the indexes into them (protocol, sections 2.5 and 2.7).
@Suite("Keypads")
struct KeypadTests {
    @Test(
        "A keypad has the requested number of places, and each digit is at exactly one place",
        arguments: [10, 11, 12, 15, 59, 60])
    func digits(size: Int) async throws {
        let service = try await Service.shared.value
        let holder = try await service.holder()
        var attempt = try service.attempt(.keypad, holder)
        for form: JSON in [.integer(size), .string("\(size)")] {
            attempt.keypadSize = form
            let keypad = try Keypad(try await service.send(attempt))
            #expect(keypad.places.count == size)
            #expect(keypad.places.compactMap(\.self).sorted() == (0...9).map(String.init))
        }
    }

    @Test("A size that is not an integer from 10 to 60 is answered 212")
    func sizes() async throws {
        let service = try await Service.shared.value
        let sizes: [JSON] = [
            9, 61, 0, -12, 1_000_000_000_000, "9", "61", "-12", "+12", " 12", "12 ", "12.0", "0x0c", "twelve", "１２",
            true,
            ["a": 12], [12],
        ]
        for size in sizes {
            var attempt = try service.attempt(.keypad, TestCardholder())
            attempt.keypadSize = size
            #expect(try await service.code(attempt) == 212, "\(size)")
        }
    }

    @Test("Digits are at uniformly random places")
    func uniform() async throws {
        let service = try await Service.shared.value
        let holder = try await service.holder()
        let (size, count) = (12, 360)
        var seen = [String: [Int]]()
        for _ in 0..<count {
            let keypad = try await service.keypad(holder, size: size)
            for (place, digit) in keypad.places.enumerated() {
                seen[digit ?? "empty", default: Array(repeating: 0, count: size)][place] += 1
            }
        }
        #expect(seen.count == 11)
        for (digit, counts) in seen {
            let expected = Double(counts.reduce(0, +)) / Double(size)
            let chiSquare = counts.reduce(0) { $0 + (Double($1) - expected) * (Double($1) - expected) / expected }
            // With 11 degrees of freedom, a uniform distribution exceeds this value with probability 10⁻⁸.
            #expect(chiSquare < 62, "\(digit): \(counts)")
        }
    }

    @Test("A keypad older than five minutes is answered 214")
    func life() async throws {
        let service = try await Service.shared.value
        let holder = try await service.holder()
        let attempt = try await service.defining("8305", .indexes, holder)
        let life = try await service.installation.sql(
            """
            SELECT extract(epoch FROM expires_at - made_at)::float BETWEEN 299 AND 300 FROM keypad
            WHERE unique_id = '\(holder.uniqueId)'
            """)
        #expect(life == ["t"])
        try await age(holder, seconds: 240)
        #expect(try await service.code(attempt) == 0)

        for isNamed in [true, false] {
            var late = try await service.defining("8305", .indexes, holder)
            if !isNamed { late.keypadId = nil }
            try await age(holder, seconds: 301)
            #expect(try await service.code(late) == 214)
        }
    }

    @Test("A keypad can be used for one successful definition; a refused one does not use it up")
    func once() async throws {
        let service = try await Service.shared.value
        let holder = try await service.holder()
        var attempt = try await service.defining("8305", .indexes, holder)
        let indexes = attempt.plaintext
        attempt.plaintext = Array("59,59,59,59".utf8)
        #expect(try await service.code(attempt) == 131)
        attempt.plaintext = indexes
        for code in [0, 214] {
            attempt.transactionId = Unique.name("transaction")
            #expect(try await service.code(attempt) == code)
        }
    }

    @Test("keypadId selects a keypad; without it the newest keypad is used")
    func newest() async throws {
        let service = try await Service.shared.value
        let holder = try await service.holder()
        let old = try await service.keypad(holder, size: 60)
        let new = try await service.keypad(holder, size: 10)
        // A place that the newer, smaller keypad does not have.
        let pin = try #require(old.places.enumerated().last { $0.offset >= 10 && $0.element != nil })
        let oldIndexes = Array(repeating: "\(pin.offset)", count: 4).joined(separator: ",")

        var attempt = try service.attempt(.indexes, holder, oldIndexes)
        #expect(try await service.code(attempt) == 131)
        attempt = try service.attempt(.indexes, holder, oldIndexes)
        attempt.keypadId = old.id
        #expect(try await service.code(attempt) == 0)
        attempt = try service.attempt(.indexes, holder, new.indexes(of: "830527"))
        #expect(try await service.code(attempt) == 0)
        #expect(try await service.fetch(holder).length == 6)
        attempt = try service.attempt(.indexes, holder, new.indexes(of: "8305"))
        #expect(try await service.code(attempt) == 214)
    }

    @Test("A keypadId that is null or empty is ignored; an unknown one is answered 214")
    func ids() async throws {
        let service = try await Service.shared.value
        let holder = try await service.holder()
        for id: JSON in [.null, ""] {
            var attempt = try await service.defining("8305", .indexes, holder)
            attempt.members["keypadId"] = id
            #expect(try await service.code(attempt) == 0)
        }
        for id: JSON in [
            "unknown", 7, ["a"], " ", .string(String(repeating: "k", count: 1000)), "\u{0}", "' OR 1=1 --",
        ] {
            var attempt = try await service.defining("8305", .indexes, holder)
            attempt.members["keypadId"] = id
            #expect(try await service.code(attempt) == 214, "\(id)")
        }
    }

    @Test("A keypad of another cardholder or bank is answered 214")
    func others() async throws {
        let service = try await Service.shared.value
        let bank = try await service.installation.makeBank()
        let holder = try await service.holder()
        let sameNameElsewhere = TestCardholder(holder.uniqueId)
        try await service.installation.provision([sameNameElsewhere], of: bank, through: service.server)
        for keypad in [
            try await service.keypad(service.holder()), try await service.keypad(sameNameElsewhere, of: bank),
        ] {
            var attempt = try service.attempt(.indexes, holder, keypad.indexes(of: "8305"))
            attempt.keypadId = keypad.id
            #expect(try await service.code(attempt) == 214)
        }
        #expect(try await service.code(service.attempt(.indexes, holder, "0,1,2,3")) == 214)
    }

    @Test("A cardholder's last five keypads are kept, and the log reports each valid one that is displaced")
    func fiveKept() async throws {
        let service = try await Service.shared.value
        let holder = try await service.holder()
        func displacements() -> Int {
            service.server.logLines(with: "live keypad was replaced", holder.uniqueId, service.bank.id).count
        }
        var keypads: [Keypad] = []
        for _ in 0..<5 { keypads.append(try await service.keypad(holder)) }
        #expect(displacements() == 0)
        keypads.append(try await service.keypad(holder))
        #expect(displacements() == 1)
        for (place, keypad) in keypads.enumerated() {
            var attempt = try service.attempt(.indexes, holder, keypad.indexes(of: "8305"))
            attempt.keypadId = keypad.id
            #expect(try await service.code(attempt) == (place == 0 ? 214 : 0), "\(place)")
        }

        for _ in 0..<5 { _ = try await service.keypad(holder) }
        try await age(holder, seconds: 301)
        for _ in 0..<3 { _ = try await service.keypad(holder) }
        #expect(displacements() == 1)
        let kept = try await service.installation.sql(
            "SELECT count(*) FROM keypad WHERE unique_id = '\(holder.uniqueId)'")
        #expect(kept == ["5"])
    }

    @Test("Keypads above the limit per minute are answered with HTTP 429 and Retry-After")
    func rate() async throws {
        let service = try await Service.shared.value
        let limit = 3
        let bank = try await service.installation.makeBank(["--keypads-per-minute", "\(limit)"])
        let holder = try await service.holder(of: bank)
        let attempt = try service.attempt(.keypad, holder, of: bank)
        var answers: [HTTPAnswer] = []
        // The count restarts if a minute ends during the loop.
        while answers.last?.status != 429, answers.count <= 2 * limit {
            answers.append(try await service.send(attempt))
        }
        #expect(answers.count > limit && answers.dropLast().allSatisfy { $0.code == 0 })
        let refusal = try #require(answers.last)
        #expect(refusal.status == 429)
        #expect(refusal["Content-Type"] == "application/problem+json")
        #expect(refusal["Cache-Control"] == "no-store")
        let seconds = try #require(refusal["Retry-After"].flatMap(Int.init))
        #expect(1...60 ~= seconds)

        #expect(try await service.code(service.attempt(.keypad, service.holder(of: bank), of: bank)) == 0)
        try await service.installation.sql(
            """
            UPDATE cardholder SET keypad_minute = keypad_minute - interval '1 minute'
            WHERE unique_id = '\(holder.uniqueId)'
            """)
        #expect(try await service.code(attempt) == 0)
    }

    @Test("The default limit is 60 keypads per minute")
    func defaultRate() async throws {
        let service = try await Service.shared.value
        let bank = try await service.installation.makeBank()
        let shown = try await service.installation.run(["bank", "show", bank.id, "--json"]).succeeded()
        #expect(try JSON(parsing: shown.stdout).object?["keypadsPerMinute"] == 60)
    }

    @Test("A request for an unknown cardholder stores nothing except the spent token")
    func unknownCardholder() async throws {
        let service = try await Service.shared.value
        let bank = try await service.installation.makeBank()
        for call in DefinitionCall.allCases {
            #expect(try await service.code(service.attempt(call, TestCardholder(), of: bank)) == 111)
        }
        // Tokens are spent whatever the result.
        let rows = try await service.installation.sql(
            """
            SELECT (SELECT count(*) FROM cardholder WHERE bank_id = '\(bank.id)'),
                (SELECT count(*) FROM keypad WHERE bank_id = '\(bank.id)'),
                (SELECT count(*) FROM spent_proof WHERE bank_id = '\(bank.id)' AND kind = 'hmac'),
                (SELECT count(*) FROM spent_proof WHERE bank_id = '\(bank.id)' AND kind = 'definition')
            """)
        #expect(rows == ["0|0|0|2"])
    }

    @Test("Indexes are accepted with commas or in brackets, padded or not", arguments: [10, 12, 60])
    func indexForms(size: Int) async throws {
        let service = try await Service.shared.value
        let holder = try await service.holder()
        for (opening, separator, closing) in [("", ",", ""), ("[", ",", "]"), ("[", ", ", "]")] {
            for width in [0, 64] {
                let indexes = try await service.keypad(holder, size: size).indexes(of: "83052")
                let text = opening + indexes.replacing(",", with: separator) + closing
                let attempt = try service.attempt(.indexes, holder, text.padding(to: max(width, text.count)))
                #expect(try await service.code(attempt) == 0, "\(text)")
            }
        }
        #expect(try await service.fetch(holder).length == 5)
    }

    @Test("Plain digits are accepted as indexes only on a keypad of ten places", arguments: [10, 11, 12])
    func plainDigits(size: Int) async throws {
        let service = try await Service.shared.value
        let holder = try await service.holder()
        for pad in [0, 64] {
            let keypad = try await service.keypad(holder, size: size)
            let plain = try keypad.indexes(of: "83052").replacing(",", with: "")
            let attempt = try service.attempt(.indexes, holder, plain.padding(to: max(pad, plain.count)))
            #expect(try await service.code(attempt) == (size == 10 ? 0 : 131))
        }
        #expect(try await service.fetch(holder).length == (size == 10 ? 5 : 4))
    }

    @Test("Any other text is answered 131", arguments: [10, 12])
    func badIndexes(size: Int) async throws {
        let service = try await Service.shared.value
        let holder = try await service.holder()
        let texts = [
            "0,,1,2,3", ",0,1,2,3", "0,1,2,3,", "0;1;2;3", "a,b,c,d", "-1,0,1,2", "+0,1,2,3", "0x0,1,2,3", "[0,1,2,3",
            "0,1,2,3]", "[[0,1,2,3]]", "[0],[1],[2],[3]", "{0,1,2,3}", "0.0,1,2,3", "1e0,1,2,3", "[]", "[ ]", "٠,١,٢,٣",
            "0,1,2,null", "0,1,2,\"3\"", "0\t,1,2,3", "0,1,2,3\n", "0,1,2,3\0", "0 1,2,3,4", "0 1 2 3", ",,,",
            "18446744073709551616,0,1,2", "256,257,258,259", "\(size),0,1,2", "99,0,1,2", "0,1,2,60",
        ]
        for text in texts {
            let keypad = try await service.keypad(holder, size: size)
            var attempt = try service.attempt(.indexes, holder, text)
            attempt.keypadId = keypad.id
            #expect(try await service.code(attempt) == 131, "\(text)")
        }
        var attempt = try service.attempt(.indexes, holder, "0,1,2,3".padding(to: 65))
        attempt.keypadId = try await service.keypad(holder, size: size).id
        #expect(try await service.code(attempt) == 131)
    }

    @Test("An index of an empty place is answered 131")
    func emptyPlace() async throws {
        let service = try await Service.shared.value
        let holder = try await service.holder()
        let keypad = try await service.keypad(holder, size: 11)
        let empty = try #require(keypad.places.firstIndex { $0 == nil })
        let indexes = try keypad.indexes(of: "830") + ",\(empty)"
        #expect(try await service.code(service.attempt(.indexes, holder, indexes)) == 131)
    }

    private func age(_ holder: TestCardholder, seconds: Int) async throws {
        let interval = "interval '\(seconds) seconds'"
        try await Service.shared.value.installation.sql(
            """
            UPDATE keypad SET made_at = made_at - \(interval), expires_at = expires_at - \(interval)
            WHERE unique_id = '\(holder.uniqueId)'
            """)
    }
}
