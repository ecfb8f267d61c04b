import ServerHarness
import Testing

/// The content of a delivery (section 2.5).
@Suite("Deliveries")
struct DeliveryTests {
    @Test("A delivery has the members pin and sessionId, and a refusal has neither")
    func members() async throws {
        let service = try await Service.shared.value
        let (bank, server, holder) = (service.bank.bank, service.server, service.bank.cardholder())
        let answers = [
            try await server.fetch(bank, holder), try await server.fetch(bank, token: bank.token(for: holder)),
        ]
        for answer in answers {
            #expect(Set(answer.members.keys) == ["errorCode", "errorMessage", "pin", "sessionId"])
            #expect(answer.code == 0)
            #expect(answer.message?.isEmpty == false)
        }
        let refusal = try await server.fetch(bank, TestCardholder())
        #expect(Set(refusal.members.keys) == ["errorCode", "errorMessage"])
    }

    @Test("For an RSA key the JWE header is exactly RSA-OAEP-256 and A256GCM")
    func rsaHeader() async throws {
        let service = try await Service.shared.value
        let delivery = try await service.server.deliver(service.bank.bank, service.bank.cardholder())
        #expect(delivery.header == ["alg": "RSA-OAEP-256", "enc": "A256GCM"])
    }

    @Test("For a P-256 key the JWE uses ECDH-ES+A256KW and A256GCM, with a new ephemeral key each time")
    func ecHeader() async throws {
        let service = try await Service.shared.value
        let (bank, server, holder) = (service.tokenBank.bank, service.server, service.tokenBank.cardholder())
        var ephemeralKeys: Set<String> = []
        for _ in 0..<5 {
            let header = try await server.deliver(bank, token: bank.token(for: holder)).header
            #expect(header["alg"] == "ECDH-ES+A256KW")
            #expect(header["enc"] == "A256GCM")
            let known: Set = ["alg", "enc", "kid", "epk", "apu", "apv", "cty", "typ"]
            #expect(known.isSuperset(of: header.keys))
            let ephemeralKey = try #require(header["epk"]?.object)
            #expect(Set(ephemeralKey.keys) == ["kty", "crv", "x", "y"])
            #expect(ephemeralKey["crv"] == "P-256")
            ephemeralKeys.insert(try #require(ephemeralKey["x"]?.string))
        }
        #expect(ephemeralKeys.count == 5)
    }

    @Test("A delivery opens only with the private key of the public key that was sent")
    func otherKey() async throws {
        let service = try await Service.shared.value
        let (bank, server, holder) = (service.tokenBank.bank, service.server, service.tokenBank.cardholder())
        let (app, stranger) = (try TestApp(), try TestApp.withOwnKeys())
        let byCode = try await server.post(Path.captcha, app.captcha(bank, holder))
        let byToken = try await server.post(Path.tokenCaptcha, app.tokenCaptcha(bank, bank.token(for: holder)))
        for answer in [byCode, byToken] {
            #expect(throws: (any Error).self) { try stranger.open(answer) }
            #expect(try app.open(answer).notifyKey.count == 32)
        }
    }

    @Test("The captcha format is one image for every PIN length, without the PIN as text")
    func captcha() async throws {
        for (pin, delivery) in try await deliveries(format: "captcha") {
            try check(delivery, format: "captcha", pin: pin)
            #expect(delivery.images.count == 1)
            #expect(delivery.members["order"] == nil)
        }
    }

    @Test("The digits format is one image per digit and the order in which to show them")
    func digits() async throws {
        for (pin, delivery) in try await deliveries(format: "digits") {
            try check(delivery, format: "digits", pin: pin)
            #expect(delivery.images.count == pin.count)
            let order = try #require(delivery.members["order"]?.array).compactMap(\.integer)
            #expect(order.sorted() == Array(0..<pin.count))
        }
    }

    @Test("The order of the digits differs in each delivery, and no image is repeated")
    func randomness() async throws {
        let service = try await Service.shared.value
        let holder = TestCardholder(pin: "111111111111")
        let settings = ["--pin-maximum-length", "12", "--delivery-format", "digits"]
        let bank = try await service.makeBank(settings, scheme: "CB", cardholders: [holder])
        var orders: Set<[Int?]> = []
        var images: Set<[UInt8]> = []
        for _ in 0..<3 {
            let delivery = try await service.server.deliver(bank, token: bank.token(for: holder))
            orders.insert(delivery.members["order"]?.array?.map(\.integer) ?? [])
            images.formUnion(delivery.images)
        }
        #expect(orders.count == 3)
        #expect(images.count == 36)
    }

    @Test(
        "The bank's free field arrives unchanged, or is absent if there is none",
        arguments: [
            nil, "Bonjour", "\"quoted\" \\ / back\\slash", "tab\t line\n return\r bell\u{7} delete\u{7F} nul\u{0} end",
            "é ü ß 日本語 🏦 \u{2028}\u{2029} e\u{301} \u{FEFF}", "</script>", "\\u0041 %41 &amp;",
            String(repeating: "🏦", count: 250),
        ])
    func freeField(text: String?) async throws {
        let service = try await Service.shared.value
        let holder = try await service.provision(TestCardholder(freeField: text), of: service.bank.bank)
        let bank = service.bank.bank
        let deliveries = [
            try await service.server.deliver(bank, holder),
            try await service.server.deliver(bank, token: bank.token(for: holder)),
        ]
        for delivery in deliveries {
            let delivered = delivery.members["freeField"]?.string
            #expect(delivered.map { Array($0.utf8) } == text.map { Array($0.utf8) })
            #expect(delivery.members.keys.contains("freeField") == (text != nil))
            #expect(delivery.plaintext.count == Self.plaintextByteCount(maximumLength: 6))
        }
    }

    /// The largest image is a calm captcha, which any bank may send: four pixels per byte, 180 rows of 480 pixels, or of 80 for
    /// each digit, one more byte in each row, and 92 in the rest of the file. In base64 it has quotation marks and a comma. A
    /// free field of 1,000 bytes has 6,000 if all are escaped. Everything else has at most 256.
    private static func plaintextByteCount(maximumLength: Int) -> Int {
        let image = 180 * (max(480, 80 * maximumLength) / 4 + 1) + 92
        return 256 + 6000 + (image + 2) / 3 * 4 + 3
    }

    /// Deliveries by token of PINs of every length.
    private func deliveries(format: String) async throws -> [(pin: String, TestDelivery)] {
        let service = try await Service.shared.value
        let holders = (4...12).map { TestCardholder(pin: String("918273645092".prefix($0))) }
        let settings = ["--pin-maximum-length", "12", "--delivery-format", format]
        let bank = try await service.makeBank(settings, scheme: "CB", cardholders: holders)
        var deliveries: [(String, TestDelivery)] = []
        for holder in holders {
            let delivery = try await service.server.deliver(bank, token: bank.token(for: holder))
            deliveries.append((try #require(holder.pin), delivery))
        }
        return deliveries
    }

    private func check(_ delivery: TestDelivery, format: String, pin: String) throws {
        #expect(delivery.plaintext.count == Self.plaintextByteCount(maximumLength: 12))
        #expect(delivery.members["format"] == .string(format))
        #expect(delivery.members["length"] == .integer(pin.count))
        #expect(delivery.notifyKey.count == 32)
        #expect(delivery.members["padding"]?.string != nil)
        for image in delivery.images { try checkPNG(image) }
        // Random members can contain a short PIN by chance, but not a long one.
        let hidden = pin.count >= 8 ? delivery.plaintext : Array(withoutRandomMembers(delivery).utf8)
        #expect(hidden.firstRange(of: Array(pin.utf8)) == nil)
        for image in delivery.images where pin.count >= 8 { #expect(image.firstRange(of: Array(pin.utf8)) == nil) }
    }

    private func withoutRandomMembers(_ delivery: TestDelivery) -> String {
        JSON.object(delivery.members.filter { $0.key != "images" && $0.key != "notifyKey" }).text
    }

    /// Checks that a PNG has only image data: no text, no time, no bytes after its end (ISO/IEC 15948).
    private func checkPNG(_ bytes: [UInt8]) throws {
        #expect(bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]))
        var kinds: [String] = []
        var position = 8
        while position + 12 <= bytes.count {
            let length = bytes[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
            kinds.append(String(decoding: bytes[position + 4..<position + 8], as: UTF8.self))
            position += 12 + length
        }
        #expect(position == bytes.count)
        #expect(kinds.first == "IHDR")
        #expect(kinds.last == "IEND")
        #expect(Set(kinds).isSubset(of: ["IHDR", "PLTE", "tRNS", "IDAT", "IEND"]), "\(kinds)")
    }
}
