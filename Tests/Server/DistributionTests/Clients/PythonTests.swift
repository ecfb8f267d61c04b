import Crypto
import CryptoExtras
import PythonOracle
import ServerHarness
import Testing

/// Deliveries opened with jwcrypto, and their images decoded in Python.
@Suite("Client with jwcrypto", .enabled(if: PythonOracle.isAvailable, Comment(rawValue: PythonOracle.absence)))
struct PythonTests {
    private let oracle = PythonOracle(script: "../Oracles/delivery_oracle.py")

    @Test("A delivery to an RSA key opens with jwcrypto, and its image is a valid PNG")
    func rsa() async throws {
        let service = try await Service.shared.value
        let holder = try await service.provision(TestCardholder(freeField: "Zoë \"🏦\""), of: service.bank.bank)
        let app = try TestApp()
        let answer = try await service.server.post(Path.captcha, app.captcha(service.bank.bank, holder))
        let opened = try await ask(answer, privateKey: app.rsaKey.pemRepresentation)
        #expect(opened["algorithm"] == "RSA-OAEP-256")
        #expect(opened["freeField"] == holder.freeField)
        #expect(opened["notifyKey"] == Base64URL.encode(try app.open(answer).notifyKey))
        #expect(opened["sizes"]?.wholeMatch(of: /[1-9][0-9]+x[1-9][0-9]+/) != nil)
    }

    @Test("A delivery to a P-256 key opens with jwcrypto, and all digit images have the same size")
    func p256() async throws {
        let service = try await Service.shared.value
        let (bank, holder) = try await bankWithDigits(pin: "918273645092", service)
        let opened = try await fetch(bank, holder, service)
        #expect(opened["algorithm"] == "ECDH-ES+A256KW")
        let sizes = try #require(opened["sizes"]).split(separator: " ")
        #expect(sizes.count == 12)
        #expect(Set(sizes).count == 1)
    }

    /// In calm images, where nothing is inverted, an 8 has more dark pixels than a 1.
    @Test("The images in display order show the PIN's digits")
    func order() async throws {
        let service = try await Service.shared.value
        let pin = "818118811818"
        let (bank, holder) = try await bankWithDigits(pin: pin, service, style: "calm")
        var inks: [Character: Double] = [:]
        for _ in 0..<10 {
            let opened = try await fetch(bank, holder, service)
            let darkness = try #require(opened["darkness"]).split(separator: " ").compactMap { Double($0) }
            for (digit, ink) in zip(pin, darkness) { inks[digit, default: 0] += ink }
        }
        let ratio = inks["8", default: 0] / inks["1", default: 1]
        #expect(ratio > 1.1, "\(ratio)")
    }

    private func bankWithDigits(
        pin: String, _ service: Service, style: String = "standard"
    ) async throws -> (TestBank, TestCardholder) {
        let holder = TestCardholder(pin: pin)
        let settings = [
            "--pin-maximum-length", "12", "--delivery-format", "digits", "--fetch-limit", "20", "--image-style", style,
        ]
        return (try await service.makeBank(settings, cardholders: [holder]), holder)
    }

    private func fetch(
        _ bank: TestBank, _ holder: TestCardholder, _ service: Service
    ) async throws -> [String: String] {
        let app = try TestApp()
        let body = try app.tokenCaptcha(bank, bank.token(for: holder))
        return try await ask(
            try await service.server.post(Path.tokenCaptcha, body), privateKey: app.ecKey.pemRepresentation)
    }

    private func ask(_ answer: HTTPAnswer, privateKey: String) async throws -> [String: String] {
        let pin = try #require(answer.members["pin"]?.string)
        return try await oracle.ask("open_delivery", ["pin": pin, "privateKey": privateKey])
    }
}
