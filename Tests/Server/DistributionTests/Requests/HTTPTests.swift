import ServerHarness
import Testing

/// HTTP problems for errors without a code, and the header fields of all responses (section 1).
@Suite("HTTP")
struct HTTPTests {
    private static let operations = [Path.captcha, Path.notify, Path.tokenCaptcha, Path.tokenNotify]

    private static let badBodies: [(String, [UInt8])] = [
        ("nothing", []), ("a word", Array("x".utf8)), ("an array", Array("[]".utf8)),
        ("an array with an object", Array("[{}]".utf8)), ("a string", Array("\"a\"".utf8)),
        ("null", Array("null".utf8)),
        ("cut short", Array("{\"a\":1".utf8)), ("two objects", Array("{}{}".utf8)),
        ("a trailing byte", Array("{}x".utf8)),
        ("a duplicate member", Array("{\"a\":1,\"a\":1}".utf8)),
        ("a duplicate in an escape", Array("{\"a\":1,\"\\u0061\":1}".utf8)),
        ("a nested duplicate", Array("{\"a\":[{\"b\":1,\"b\":1}]}".utf8)),
        ("a byte order mark", [0xEF, 0xBB, 0xBF] + Array("{}".utf8)), ("UTF-16", [0x7B, 0, 0x7D, 0]),
        ("invalid UTF-8", Array("{\"a\":\"".utf8) + [0xC3, 0x28] + Array("\"}".utf8)),
        ("an overlong character", Array("{\"a\":\"".utf8) + [0xC0, 0xAF] + Array("\"}".utf8)),
        ("a surrogate in UTF-8", Array("{\"a\":\"".utf8) + [0xED, 0xA0, 0x80] + Array("\"}".utf8)),
        ("half a surrogate pair", Array("{\"a\":\"\\ud83c\"}".utf8)), ("a zero byte", Array("{}".utf8) + [0]),
        ("a control character", Array("{\"a\":\"\n\"}".utf8)), ("a comment", Array("{}//".utf8)),
        ("nested without end", Array(repeating: UInt8(ascii: "["), count: 60_000)),
        (
            "objects nested without end",
            Array(String(repeating: "{\"a\":", count: 10_000).utf8)
        ),
    ]

    @Test("A body that is not one strict JSON object is answered 400", arguments: badBodies)
    func badBody(what: String, body: [UInt8]) async throws {
        let server = try await Service.shared.value.server
        for path in Self.operations {
            try check(await server.post(path, bytes: body), status: 400)
        }
    }

    @Test(
        "An unknown path is answered 404",
        arguments: ["/", "/v1", "/v1/pin-distribution/pin", "/V1/pin-distribution/captcha", "/%00"])
    func unknownPath(path: String) async throws {
        let server = try await Service.shared.value.server
        try check(await server.post(path, [:]), status: 404)
        try check(await server.request("GET", path), status: 404)
    }

    @Test(
        "A wrong method is answered 405, and Allow names the right one",
        arguments: ["GET", "PUT", "DELETE", "PATCH", "HEAD"])
    func otherMethod(method: String) async throws {
        let server = try await Service.shared.value.server
        for path in Self.operations {
            let answer = try await server.request(method, path)
            if method != "HEAD" { try check(answer, status: 405) }
            #expect(answer.status == 405)
            #expect(answer["Allow"] == "POST")
        }
        let answer = try await server.post("/.well-known/jwks.json", [:])
        try check(answer, status: 405)
        #expect(answer["Allow"]?.contains("GET") == true)
    }

    @Test("A body of 65536 bytes is accepted; a body of one byte more is answered 413")
    func limits() async throws {
        let service = try await Service.shared.value
        let (bank, server, holder) = (service.bank.bank, service.server, service.bank.cardholder())
        var body = try TestApp().captcha(bank, holder)
        body["padding"] = ""
        let missing = 65_536 - JSON.object(body).text.utf8.count
        body["padding"] = .string(String(repeating: "x", count: missing))
        let text = Array(JSON.object(body).text.utf8)
        #expect(text.count == 65_536)
        #expect(try await server.post(Path.captcha, bytes: text).code == 0)
        for path in Self.operations {
            try check(await server.post(path, bytes: text + [0x20]), status: 413)
        }
    }

    @Test("A chunked body has the same limit")
    func chunkedLimit() async throws {
        let server = try await Service.shared.value.server
        let head =
            "POST \(Path.captcha) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        let small = try await server.exchange(Array((head + "2\r\n{}\r\n0\r\n\r\n").utf8))
        #expect(small.map(\.code) == [100])
        let chunk = "1000\r\n" + String(repeating: " ", count: 4096) + "\r\n"
        let large = try await server.exchange(
            Array((head + String(repeating: chunk, count: 17) + "0\r\n\r\n").utf8))
        try check(try #require(large.first), status: 413)
    }

    @Test(
        "A body that is not application/json is answered 415",
        arguments: [
            nil, "text/plain", "application/x-www-form-urlencoded", "application/jsonx", "text/json",
            "application/json; charset=iso-8859-1",
        ])
    func contentType(contentType: String?) async throws {
        let server = try await Service.shared.value.server
        for path in Self.operations {
            try check(await server.post(path, bytes: Array("{}".utf8), contentType: contentType), status: 415)
        }
    }

    @Test(
        "application/json is accepted in any case and with charset UTF-8",
        arguments: [
            "application/json", "Application/JSON", "application/json;charset=utf-8", "application/json; charset=UTF-8",
        ])
    func goodContentType(contentType: String) async throws {
        let server = try await Service.shared.value.server
        let answer = try await server.post(Path.captcha, bytes: Array("{}".utf8), contentType: contentType)
        #expect(answer.code == 100)
    }

    @Test("A request with two Host fields is answered 400, also if they say the same")
    func hosts() async throws {
        let server = try await Service.shared.value.server
        for second in ["other.example", server.authority] {
            for (method, path) in [("GET", "/health/live"), ("GET", "/nothing"), ("POST", Path.captcha)] {
                let answer = try await server.request(
                    method, path, headers: [("Host", second)], body: method == "POST" ? Array("{}".utf8) : [])
                #expect(answer.status == 400 && answer.detail.contains("one Host field"), "\(method) \(path)")
                #expect(answer["X-Request-Id"] != nil)
            }
        }
        #expect(try await server.request("GET", "/health/live", host: "any.example").status == 200)
    }

    @Test("Every response has a unique X-Request-Id, a Date and Cache-Control: no-store")
    func fields() async throws {
        let service = try await Service.shared.value
        let (bank, server, holder) = (service.bank.bank, service.server, service.bank.cardholder())
        let answers = [
            try await server.fetch(bank, holder), try await server.fetch(bank, TestCardholder()),
            try await server.post(Path.notify, [:]), try await server.post(Path.tokenNotify, bytes: []),
            try await server.post(Path.tokenCaptcha, bytes: [], contentType: nil),
            try await server.request("GET", "/nothing"), try await server.request("PUT", Path.captcha),
            try await server.request("GET", "/health/live"), try await server.request("GET", "/health/ready"),
        ]
        for answer in answers {
            #expect(answer["Cache-Control"] == "no-store", "\(answer.status)")
            #expect(answer["Date"]?.hasSuffix(" GMT") == true)
            #expect(answer["Content-Type"] != nil)
        }
        let ids = answers.compactMap { $0["X-Request-Id"] }
        #expect(Set(ids).count == answers.count)
        #expect(answers[0]["Content-Type"] == "application/json")
    }

    @Test("A client's X-Request-Id is ignored")
    func ownRequestId() async throws {
        let server = try await Service.shared.value.server
        let headers = [("Content-Type", "application/json"), ("X-Request-Id", "forged code=0")]
        let answer = try await server.request("POST", Path.captcha, headers: headers, body: Array("{}".utf8))
        #expect(answer["X-Request-Id"] != "forged code=0")
        #expect(answer["X-Request-Id"]?.isEmpty == false)
    }

    @Test("The key set is cacheable and has an RSA-3072 and a P-256 key, without private members")
    func keySet() async throws {
        let server = try await Service.shared.value.server
        let answer = try await server.request("GET", "/.well-known/jwks.json")
        #expect(answer.status == 200)
        #expect(answer["Cache-Control"]?.contains("public") == true)
        #expect(answer["X-Request-Id"] != nil)
        let keys = try #require(answer.members["keys"]?.array).compactMap(\.object)
        #expect(Set(keys.compactMap { $0["kid"]?.string }).count == keys.count)
        let privateMembers: Set = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]
        for key in keys { #expect(privateMembers.isDisjoint(with: key.keys)) }
        let rsa = try #require(keys.first { $0["kty"] == "RSA" })
        #expect(rsa["n"]?.string.flatMap(Base64URL.decode)?.count == 384)
        #expect(keys.contains { $0["kty"] == "EC" && $0["crv"] == "P-256" })
    }

    @Test("Pipelined requests are answered in order")
    func pipelined() async throws {
        let service = try await Service.shared.value
        let (bank, holder) = (service.bank.bank, service.bank.cardholder())
        func request(_ path: String, _ body: [String: JSON], _ connection: String) -> String {
            let text = JSON.object(body).text
            return "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                + "Connection: \(connection)\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"
        }
        let fetch = try TestApp().captcha(bank, holder)
        let wrong = try TestApp().captcha(bank, holder.with(code: "Code4712"), timestamp: Stamps.next())
        let texts = [
            request(Path.captcha, [:], "keep-alive"), request(Path.captcha, wrong, "keep-alive"),
            request(Path.captcha, fetch, "keep-alive"), request(Path.tokenNotify, [:], "keep-alive"),
            request(Path.captcha, fetch, "close"),
        ]
        let answers = try await service.server.exchange(Array(texts.joined().utf8))
        #expect(answers.map(\.code) == [100, 203, 0, 113, 205])
    }

    @Test("Authentication codes of requests are neither in the responses nor in the log")
    func secrets() async throws {
        let service = try await Service.shared.value
        let (bank, server) = (service.bank.bank, service.server)
        let code = "Secret" + Unique.name("").filter(\.isLetter)
        let holder = try await service.provision(TestCardholder(code: code, pin: "918273"), of: bank)
        let guess = "Guess" + Unique.name("").filter(\.isLetter)
        let malformed = "!" + Unique.name("")
        let answers = [
            try await server.fetch(bank, holder), try await server.fetch(bank, token: bank.token(for: holder)),
            try await server.fetch(bank, holder.with(code: guess), timestamp: Stamps.next()),
            try await server.fetch(bank, holder.with(code: malformed), timestamp: Stamps.next()),
            try await server.post(Path.captcha, bytes: Array("{\"authCode\":\"\(code)\",}".utf8)),
        ]
        #expect(answers.map(\.code) == [0, 0, 203, 204, nil])
        let log = server.log
        for secret in [code, guess, malformed] {
            #expect(!log.contains(secret))
            for answer in answers { #expect(!String(decoding: answer.body, as: UTF8.self).contains(secret)) }
        }
    }

    /// Checks that a response is a problem (RFC 9457) with that status.
    private func check(_ answer: HTTPAnswer, status: Int) throws {
        #expect(answer.status == status)
        #expect(answer["Content-Type"] == "application/problem+json")
        #expect(answer.members["status"] == .integer(status))
        #expect(answer.members["title"]?.string?.isEmpty == false)
        #expect(answer.code == nil)
        #expect(answer["X-Request-Id"] != nil)
        #expect(answer["Cache-Control"] == "no-store")
    }
}
