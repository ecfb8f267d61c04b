import Crypto
import CryptoExtras
import Foundation
import ServerHarness
import Testing

/// What the sandbox's page asks the server for, over HTTP. The page itself is tested in a browser.
@Suite("The sandbox's page: what the server does for it")
struct SandboxPageTests {
    private static let server = Once {
        let installation = try await TestInstallation()
        return try await installation.startSandbox()
    }

    @Test(
        "Every file has its media type and a strict policy",
        arguments: [
            ("/sandbox/", "text/html"), ("/sandbox", "text/html"), ("/sandbox/sandbox.css", "text/css"),
            ("/sandbox/sandbox.js", "text/javascript"), ("/sandbox/card-companion.js", "text/javascript"),
            ("/docs", "text/html"), ("/docs/docs.js", "text/javascript"), ("/docs/openapi.json", "application/json"),
        ])
    func files(path: String, mediaType: String) async throws {
        let answer = try await Self.server.value.request("GET", path)
        #expect(answer.status == 200)
        #expect(answer["Content-Type"]?.hasPrefix(mediaType) == true)
        #expect(answer["Content-Security-Policy"]?.hasPrefix("default-src 'none'; script-src 'self'") == true)
        #expect(answer["X-Content-Type-Options"] == "nosniff")
        #expect(answer["Cache-Control"] == "no-store")
    }

    @Test("The bank signs a fetch by code, which the server then serves, and one that is too old, which it does not")
    func hashMac() async throws {
        let server = try await Self.server.value
        let code = try await code(of: "alice")
        for (age, expected) in [(0, 0), (900, 200)] {
            let signed = try await server.post(
                "/sandbox/bank/hash-mac", ["uniqueId": "alice", "ageSeconds": .integer(age)])
            #expect(signed.status == 200)
            let app = try TestApp()
            let key = try app.rsaKey.publicKey.derRepresentation.base64EncodedString()
            let body = signed.members.merging(["authCode": .string(code), "rsaPublicKey": .string(key)]) { $1 }
            #expect(try await server.post(Path.captcha, body).code == expected)
        }
    }

    @Test(
        "The bank signs a token, and a wrong code is explained by the server's code and not by the checks of the token")
    func token() async throws {
        let server = try await Self.server.value
        let right = try await code(of: "bob")
        for (code, expected) in [(right, 0), ("00000000", 203)] {
            let signed = try await server.post(
                "/sandbox/bank/token", ["uniqueId": "bob", "type": "00", "code": .string(code)])
            let key = try TestApp().ecKey.publicKey.derRepresentation.base64EncodedString()
            let body = signed.members.merging(["ecdhPublicKey": .string(key)]) { $1 }
            let explained = try await server.post("/sandbox/explain", ["request": .object(body)])
            let verdicts = try findings(explained).map(\.verdict)
            #expect(verdicts.contains("good"))
            #expect(verdicts.contains("bad") == false)
            #expect(try await server.post(Path.tokenCaptcha, body).code == expected)
        }
    }

    @Test("The explanation says what is wrong with an HMAC")
    func explanation() async throws {
        let server = try await Self.server.value
        var body = try await server.post("/sandbox/bank/hash-mac", ["uniqueId": "alice"]).members
        body["uniqueId"] = "carol"
        let explained = try findings(try await server.post("/sandbox/explain", ["request": .object(body)]))
        #expect(explained.contains { $0.verdict == "bad" && $0.subject == "hashMac" })
    }

    @Test("The bank can want to see a document, and the phone reads one: only a genuine one gives a pass")
    func document() async throws {
        let installation = try await TestInstallation()
        let server = try await installation.startSandbox()
        func fetch() async throws -> Int? {
            let description = try await server.request("GET", "/sandbox/bank").members["cardholders"]?.array ?? []
            let code = description.compactMap(\.object).first { $0["uniqueId"] == "alice" }?["code"] ?? .null
            let signed = try await server.post(
                "/sandbox/bank/token", ["uniqueId": "alice", "type": "00", "code": code])
            let key = try TestApp().ecKey.publicKey.derRepresentation.base64EncodedString()
            return try await server.post(
                Path.tokenCaptcha, signed.members.merging(["ecdhPublicKey": .string(key)]) { $1 }
            ).code
        }
        func require(_ body: [String: JSON]) async throws -> JSON? {
            try await server.post("/sandbox/bank/identity-requirement", body).members["isRequired"]
        }
        func read(_ chip: String) async throws -> [String: JSON] {
            let answer = try await server.post("/sandbox/phone/document", ["uniqueId": "alice", "chip": .string(chip)])
            try #require(answer.status == 200, "\(answer.members)")
            return answer.members
        }
        #expect(try await require([:]) == false)
        #expect(try await fetch() == 0)
        #expect(try await require(["isRequired": true]) == true)
        #expect(try await require([:]) == true)
        #expect(try await fetch() == 302)
        let clone = try await read("clone")
        #expect(clone["hasPassed"] == false && clone["closeReason"] == "FILE_READ_ERROR", "\(clone)")
        #expect(try await read("expired")["hasPassed"] == false)
        #expect(try await fetch() == 302)
        let genuine = try await read("genuine")
        #expect(genuine["hasPassed"] == true && genuine["closeCode"] == 1000, "\(genuine)")
        #expect(genuine["messages"]?.array?.first == "sent START")
        #expect(try await fetch() == 0)
        let unknown = try await server.post("/sandbox/phone/document", ["uniqueId": "alice", "chip": "gold"])
        #expect(unknown.status == 422 && unknown.members["detail"]?.string?.contains("genuine, clone") == true)
        #expect(try await server.post("/sandbox/bank/identity-requirement", ["isRequired": 1]).status == 422)
        try await server.stop()
    }

    @Test("The bank unlocks a cardholder who has tried three wrong codes")
    func unlock() async throws {
        let server = try await Self.server.value
        let right = try await code(of: "carol")
        func fetch(_ code: String) async throws -> Int? {
            let signed = try await server.post(
                "/sandbox/bank/token", ["uniqueId": "carol", "type": "00", "code": .string(code)])
            let key = try TestApp().ecKey.publicKey.derRepresentation.base64EncodedString()
            return try await server.post(
                Path.tokenCaptcha, signed.members.merging(["ecdhPublicKey": .string(key)]) { $1 }
            ).code
        }
        func isLocked() async throws -> JSON? {
            try await server.post("/sandbox/bank/lock", ["uniqueId": "carol"]).members["isLocked"]
        }
        for _ in 1...2 { #expect(try await fetch("00000000") == 203) }
        #expect(try await isLocked() == false)
        #expect(try await fetch("00000000") == 203)
        #expect(try await isLocked() == true)
        for code in ["00000000", right] { #expect(try await fetch(code) == 307) }
        #expect(try await server.post("/sandbox/bank/unlock", ["uniqueId": "carol"]).status == 200)
        #expect(try await isLocked() == false)
        #expect(try await fetch(right) == 0)
    }

    @Test(
        "What the bank does not do is refused with a reason",
        arguments: [
            (
                "/sandbox/bank/accessibility", ["uniqueId": "alice", "accessibility": "loud"],
                "accessibility must be calm, text or null"
            ),
            ("/sandbox/bank/hash-mac", ["uniqueId": "mallory"], "uniqueId must be one of alice, bob, carol"),
            (
                "/sandbox/bank/hash-mac", ["uniqueId": "alice", "ageSeconds": -1],
                "ageSeconds must be a number from 0 to 86400"
            ),
            ("/sandbox/terminal", ["uniqueId": "mallory", "pin": "1234"], "uniqueId must be one of alice, bob, carol"),
            ("/sandbox/terminal", ["uniqueId": "alice", "pin": "12c4"], "pin must be 4 to 12 digits"),
            (
                "/sandbox/bank/token", ["uniqueId": "alice", "type": "07"],
                "type must be 00 (delivery), 01 (reminder) or 02 (definition)"
            ),
        ] as [(String, [String: JSON], String)])
    func refusals(path: String, body: [String: JSON], reason: String) async throws {
        let answer = try await Self.server.value.post(path, body)
        #expect(answer.status == 422)
        #expect(answer.members["detail"] == .string(reason))
    }

    @Test(
        "A browser that reaches the server under another name, or through a proxy, gets nothing",
        arguments: [
            "GET /sandbox/", "GET /sandbox/bank", "GET /docs", "POST /sandbox/bank/unlock", "POST /sandbox/terminal",
        ])
    func strangers(route: String) async throws {
        let server = try await Self.server.value
        let parts = route.split(separator: " ").map(String.init)
        let json = [(name: "Content-Type", value: "application/json")]
        let rebound = try await server.request(
            parts[0], parts[1], headers: json, body: Array(#"{"uniqueId":"alice"}"#.utf8), host: "bank.example")
        #expect(rebound.status == 403)
        let forwarded = try await server.request(
            parts[0], parts[1], headers: json + [("X-Forwarded-For", "192.0.2.7")],
            body: Array(#"{"uniqueId":"alice"}"#.utf8))
        #expect(forwarded.status == 403)
    }

    @Test("A page of another site cannot send what needs no permission of the browser")
    func simpleRequest() async throws {
        let answer = try await Self.server.value.post(
            "/sandbox/bank/unlock", bytes: Array(#"{"uniqueId":"alice"}"#.utf8), contentType: "text/plain")
        #expect(answer.status == 415)
    }

    @Test("A server without a sandbox has none of this", arguments: ["/sandbox/", "/sandbox/bank", "/docs"])
    func noSandbox(path: String) async throws {
        let installation = try await TestInstallation()
        let server = try await installation.startServer()
        #expect(try await server.request("GET", path).status == 404)
    }

    private func code(of uniqueId: String) async throws -> String {
        let bank = try await Self.server.value.request("GET", "/sandbox/bank")
        #expect(bank.members["bankId"] == "SANDBOX")
        let holders = (bank.members["cardholders"]?.array ?? []).compactMap(\.object)
        let holder = holders.first { $0["uniqueId"] == .string(uniqueId) }
        return try #require(holder?["code"]?.string)
    }

    private func findings(_ answer: HTTPAnswer) throws -> [(verdict: String, subject: String)] {
        let findings = try #require(answer.members["findings"]?.array).compactMap(\.object)
        return findings.map { ($0["verdict"]?.string ?? "", $0["subject"]?.string ?? "") }
    }
}
