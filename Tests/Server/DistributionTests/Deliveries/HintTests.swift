import ServerHarness
import Testing

/// What the app wishes and the bank allows (sections 2.1 and 2.5).
@Suite("Hints and accessibility")
struct HintTests {
    private static let wishes: [String: JSON] = [
        "style": "strong", "theme": "dark", "scale": .integer(2), "formats": .array(["text"]),
    ]

    @Test("Both operations draw at the scale that the app wishes, and a wish does not change the length of the others")
    func scale() async throws {
        let service = try await Service.shared.value
        let (bank, holder) = (service.repeatingBank.bank, service.repeatingBank.cardholder())
        for (scale, size) in [(1, [240, 90]), (2, [480, 180]), (3, [720, 270])] {
            let hints: [String: JSON] = ["scale": .integer(scale)]
            for delivery in try await deliveries(bank, holder, hints) { #expect(try delivery.imageSizes() == [size]) }
        }
        let counts = try await [[:], ["theme": "dark"], ["scale": "x"]].asyncMap { hints in
            try await deliveries(bank, holder, hints).map(\.plaintext.count)
        }
        #expect(Set(counts.joined()).count == 1)
    }

    @Test("The dark theme has a dark ground, and a bank that allows no wish keeps its own look")
    func theme() async throws {
        let service = try await Service.shared.value
        let (bank, holder) = (service.repeatingBank.bank, service.repeatingBank.cardholder())
        for delivery in try await deliveries(bank, holder, ["theme": "dark"]) { #expect(try delivery.ground() < 0x60) }
        for delivery in try await deliveries(bank, holder, ["theme": "light"]) { #expect(try delivery.ground() > 0xA0) }

        let stranger = TestCardholder()
        let strict = try await service.makeBank(["--hints", "none", "--fetch-limit", "100"], cardholders: [stranger])
        for delivery in try await deliveries(strict, stranger, Self.wishes) {
            #expect(try delivery.ground() > 0xA0)
            #expect(try delivery.imageSizes() == [[240, 90]])
        }
    }

    @Test("A style that the app wishes is drawn only where the bank allows it")
    func style() async throws {
        let service = try await Service.shared.value
        let hints: [String: JSON] = ["style": "calm"]
        let (bank, holder) = (service.repeatingBank.bank, service.repeatingBank.cardholder())
        for delivery in try await deliveries(bank, holder, hints) {
            #expect(try delivery.imageSizes() == [[240, 90]])
        }
        let other = TestCardholder()
        let settings = ["--hints", "style", "--fetch-limit", "100"]
        let open = try await service.makeBank(settings, cardholders: [other])
        for delivery in try await deliveries(open, other, hints) {
            #expect(try delivery.imageSizes() == [[480, 180]])
        }
    }

    @Test(
        "A marked cardholder gets calm images of the same length, and digits only if the app and the operator allow it")
    func accessibility() async throws {
        let service = try await Service.shared.value
        let holders = [nil, "calm", "text"].map { TestCardholder(pin: "918273", accessibility: $0) }
        let limit = ["--fetch-limit", "100"]
        let careful = try await service.makeBank(limit, cardholders: holders)
        let open = try await service.makeBank(limit + ["--text-pins", "true"], cardholders: holders)

        var counts: Set<Int> = []
        for (bank, hints, formats) in [
            (careful, ["formats": .array(["text"])], ["captcha", "captcha", "captcha"]),
            (open, [:], ["captcha", "captcha", "captcha"]),
            (open, ["formats": .array(["text"])] as [String: JSON], ["captcha", "captcha", "text"]),
        ] {
            for (holder, format) in zip(holders, formats) {
                for delivery in try await deliveries(bank, holder, hints) {
                    #expect(delivery.members["format"] == .string(format))
                    #expect(delivery.members["text"] == (format == "text" ? "918273" : nil))
                    #expect(delivery.members.keys.contains("images") == (format != "text"))
                    let size = holder.accessibility == nil ? [240, 90] : [480, 180]
                    #expect(try delivery.imageSizes() == (format == "text" ? [] : [size]))
                    counts.insert(delivery.plaintext.count)
                }
            }
        }
        #expect(counts.count == 1)
    }

    /// One delivery by code and one by token.
    private func deliveries(
        _ bank: TestBank, _ holder: TestCardholder, _ hints: [String: JSON]
    ) async throws -> [TestDelivery] {
        let server = try await Service.shared.value.server
        let app = try TestApp()
        let token = bank.token(for: holder)
        let byCode = try app.captcha(bank, holder, timestamp: Stamps.next()).merging(hints) { $1 }
        let byToken = try app.tokenCaptcha(bank, token).merging(hints) { $1 }
        return [
            try app.open(try await server.post(Path.captcha, byCode)),
            try app.open(try await server.post(Path.tokenCaptcha, byToken)),
        ]
    }
}

extension TestDelivery {
    /// Width and height of each image, from its header (ISO/IEC 15948).
    fileprivate func imageSizes() throws -> [[Int]] {
        images.map { png in [16, 20].map { start in png[start..<start + 4].reduce(0) { $0 << 8 | Int($1) } } }
    }

    /// The first color of the palette, which is the ground of the image: the mean of red, green and blue.
    fileprivate func ground() throws -> Int {
        let image = try #require(images.first)
        let palette = try #require(image.firstRange(of: Array("PLTE".utf8))).upperBound
        return image[palette..<palette + 3].reduce(0) { $0 + Int($1) } / 3
    }
}

extension Array {
    fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}
