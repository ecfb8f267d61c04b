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

    @Test("A keypad can be used for five minutes, on every server; then it is answered 214")
    func life() async throws {
        let service = try await Service.shared.value
        let holder = try await service.holder()
        for (seconds, code) in [(240, 0), (301, 214)] {
            let later = try await service.installation.startServer(
                ["--clock-limit-seconds", "600"], clockOffsetSeconds: seconds)
            var attempt = try await service.defining("8305", .indexes, holder)
            attempt.timestamp = .string("\(TestBank.timestamp(seconds))")
            #expect(try await service.code(attempt, through: later) == code)
            try await later.stop()
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

    @Test("A keypad that somebody else asks for changes neither how indexes are read nor which keypads can be used")
    func strangersKeypads() async throws {
        let service = try await Service.shared.value
        let holder = try await service.holder()
        let shown = try await service.keypad(holder, size: 10)
        for _ in 0..<10 { _ = try await service.keypad(holder, size: 10) }
        var attempt = try service.attempt(.indexes, holder, shown.indexes(of: "830527"))
        attempt.keypadId = shown.id
        #expect(try await service.code(attempt) == 0)
        #expect(try await service.fetch(holder).length == 6)
    }

    @Test("A definition without a keypadId, or with one that no server made, is answered 214")
    func ids() async throws {
        let service = try await Service.shared.value
        let holder = try await service.holder()
        for id: JSON in [.null, "", 7, ["a"]] {
            var attempt = try await service.defining("8305", .indexes, holder)
            attempt.keypadId = nil
            attempt.members["keypadId"] = id
            #expect(try await service.code(attempt) == 214, "\(id)")
        }
        let good = try await service.keypad(holder).id
        let ids = [
            "unknown", " ", String(repeating: "k", count: 1000), "\u{0}", "' OR 1=1 --", good + "A",
            String(good.dropLast()),
            (good.hasPrefix("A") ? "B" : "A") + good.dropFirst(), good + "=",
            String(good.dropLast(8)) + (good.hasSuffix("AAAAAAAA") ? "BBBBBBBB" : "AAAAAAAA"),
        ]
        for id in ids {
            var attempt = try service.attempt(.indexes, holder, "0,1,2,3")
            attempt.keypadId = id
            #expect(try await service.code(attempt) == 214, "\(id)")
        }
    }

    @Test("A keypadId has at most 256 characters and does not show the keypad", arguments: [10, 60])
    func form(size: Int) async throws {
        let service = try await Service.shared.value
        let keypad = try await service.keypad(try await service.holder(), size: size)
        #expect(keypad.id.utf8.count <= 256)
        let layout = keypad.places.map { $0 ?? "-" }.joined()
        #expect(!String(decoding: Base64URL.decode(keypad.id) ?? [], as: UTF8.self).contains(layout.prefix(10)))
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
    }

    @Test("A request for a keypad writes and locks nothing, and does not look at the cardholder's status")
    func writesNothing() async throws {
        let service = try await Service.shared.value
        let holder = try await service.holder(of: service.bank, status: "SUSPENDED")
        func row() async throws -> String { try await service.row("xmin, xmax, cardholder.*", of: holder) }
        let before = try await row()
        for _ in 0..<3 { _ = try await service.keypad(holder) }
        // A lock on the row would have changed xmax.
        #expect(try await row() == before)
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
                (SELECT count(*) FROM spent_proof WHERE bank_id = '\(bank.id)' AND kind = 'keypad'),
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
                let keypad = try await service.keypad(holder, size: size)
                let indexes = try keypad.indexes(of: "83052")
                let text = opening + indexes.replacing(",", with: separator) + closing
                var attempt = try service.attempt(.indexes, holder, text.padding(to: max(width, text.count)))
                attempt.keypadId = keypad.id
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
            var attempt = try service.attempt(.indexes, holder, plain.padding(to: max(pad, plain.count)))
            attempt.keypadId = keypad.id
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
        var attempt = try service.attempt(.indexes, holder, indexes)
        attempt.keypadId = keypad.id
        #expect(try await service.code(attempt) == 131)
    }
}
