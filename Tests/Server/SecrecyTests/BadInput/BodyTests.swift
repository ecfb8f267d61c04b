import ServerHarness
import Testing

@Suite("Malformed bodies")
struct BodyTests {
    @Test(
        "A body that is cut at any byte is answered 400, and the next request on the connection is served",
        arguments: Operation.allCases)
    func truncation(_ operation: Operation) async throws {
        let target = try await Target.shared.value
        let body = Array(JSON.object(try operation.members(target)).text.utf8)
        try await RawConnection.open(target.server.port) { connection in
            for length in body.indices {
                let answer = try await connection.post(operation.path, Array(body.prefix(length)))
                #expect(answer.status == 400 && answer.isProblem, "cut after \(length) bytes: \(answer.text)")
            }
            let answer = try await connection.post(operation.path, body)
            #expect(answer.status == 200 && answer.code != nil)
        }
    }

    @Test(
        "A body that is not one strict JSON object is answered 400, and the response does not quote it",
        arguments: BadBodies.all
    )
    func garbage(_ name: String, _ body: [UInt8]) async throws {
        let target = try await Target.shared.value
        try await RawConnection.open(target.server.port) { connection in
            for operation in Operation.allCases {
                let answer = try await connection.post(operation.path, body)
                #expect(answer.status == 400 && answer.isProblem, "\(name): \(answer.text)")
                #expect(!answer.text.contains("canary"), "\(name): \(answer.text)")
            }
        }
    }

    @Test(
        "Members of every wrong type are answered with a code, never as an internal error",
        arguments: Operation.allCases)
    func wrongKinds(_ operation: Operation) async throws {
        let target = try await Target.shared.value
        let valid = try operation.members(target)
        try await RawConnection.open(target.server.port) { connection in
            for name in valid.keys.sorted() {
                for value in Values.all {
                    let answer = try await connection.post(operation.path, Values.text(valid, name, value))
                    Self.expectRefusal(answer, operation, "\(name): \(value.prefix(80))")
                }
            }
        }
    }

    @Test(
        "Members of every wrong type in a signed token are answered with a code, never as an internal error",
        arguments: Operation.allCases.filter { $0.hasToken && $0 != .tokenNotify })
    func wrongKindsInTokens(_ operation: Operation) async throws {
        let target = try await Target.shared.value
        let names = [
            "IdBEL", "IdPorteur", "IdFournisseur", "IdTransaction", "Timestamp", "Type", "SignatureCertAlias",
            "AuthenticationCode",
        ]
        try await RawConnection.open(target.server.port) { connection in
            for name in names {
                for value in Values.parsed {
                    let members = try operation.members(target, changingToken: name, to: value)
                    let answer = try await connection.post(operation.path, Array(JSON.object(members).text.utf8))
                    #expect(answer.status == 200, "\(name): \(answer.text)")
                    let code = try #require(answer.code)
                    #expect(
                        code != operation.faultCode || code == 300 && operation.faultCode == 500, "\(name): \(value)")
                }
            }
        }
        #expect(target.faults.isEmpty)
    }

    @Test("Unknown members with any value are ignored")
    func unknownMembers() async throws {
        let target = try await Target.shared.value
        try await RawConnection.open(target.server.port) { connection in
            for operation in Operation.allCases {
                var members = try operation.members(target, for: target.undisturbed)
                members["unknown"] = ["\u{0}": [nil, true, -1], "pin": ["pin": "1234"]]
                members["__proto__"] = [:]
                let answer = try await connection.post(operation.path, Array(JSON.object(members).text.utf8))
                #expect(answer.code == operation.codeWhereNothingIsWrong, "\(operation)")
            }
        }
    }

    private static func expectRefusal(_ answer: RawAnswer, _ operation: Operation, _ context: String) {
        guard answer.status == 200 else {
            // A value that is not JSON makes the whole body invalid.
            #expect(answer.status == 400 && answer.isProblem, "\(context): \(answer.text)")
            return
        }
        #expect(
            answer.code != nil && answer.code != 0 && answer.code != operation.faultCode, "\(context): \(answer.text)")
    }
}

/// Bodies that are not one strict JSON object.
private enum BadBodies {
    static let all: [(String, [UInt8])] =
        [
            ("nothing", ""), ("white space", "  \n"), ("an array", #"["canary"]"#), ("a string", #""canary""#),
            ("a number", "1"), ("null", "null"), ("two objects", "{}{}"), ("an object and more", "{} canary"),
            ("a byte order mark", "\u{FEFF}{}"), ("a comment", "{/*canary*/}"), ("single quotes", "{'canary':1}"),
            ("a trailing comma", #"{"canary":1,}"#), ("a name without quotes", "{canary:1}"),
            ("a name twice", #"{"canary":1,"canary":2}"#), ("a name twice, once escaped", #"{"a":1,"\u0061":2}"#),
            ("a name twice, nested", #"{"canary":[{"x":{"a":1,"a":2}}]}"#),
            ("a high surrogate alone", #"{"canary":"\ud800"}"#),
            ("a low surrogate alone", #"{"canary":"\udc00x"}"#), ("a bad escape", #"{"canary":"\x"}"#),
            ("a raw line break", "{\"canary\":\"\n\"}"), ("a raw NUL", "{\"canary\":\"\u{0}\"}"),
            ("a leading zero", #"{"canary":01}"#), ("a hexadecimal number", #"{"canary":0x1}"#),
            ("NaN", #"{"canary":NaN}"#),
            ("deep arrays", #"{"canary":"# + String(repeating: "[", count: 20_000)),
            ("deep objects", String(repeating: #"{"a":"#, count: 5000)),
            (
                "deep and well-formed",
                #"{"a":"# + String(repeating: "[", count: 17) + String(repeating: "]", count: 17) + "}"
            ),
        ].map { ($0, Array($1.utf8)) } + [
            ("not UTF-8", Array(#"{"canary":""#.utf8) + [0xFF, 0xFE] + Array(#""}"#.utf8)),
            ("an overlong form", Array(#"{"canary":""#.utf8) + [0xC0, 0x80] + Array(#""}"#.utf8)),
            ("UTF-16", #"{"canary":1}"#.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }),
            ("random bytes", (0..<4000).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 89) }),
        ]
}

/// Unusual values of members.
enum Values {
    /// The values as JSON text. Some are not valid JSON.
    static let all: [String] = [
        "0", "-1", "1.5", "1e999", "-0", String(repeating: "9", count: 400), "true", "false", "null", "[]", "{}",
        #"[""]"#,
        #"[[[["x"]]]]"#, #"{"a":{"b":"c"}}"#, #""""#, #"" ""#, #""x""#, #""\u0000""#, #""a\u0000b""#, #""\n""#,
        #""\u0085""#, #""\u2028""#, #""\ufeff""#, #""\uffff""#, #""\ud800""#, #""\ud83d\ude00""#, #""é""#,
        #""٤٢٣٤٢٣٤٢٣٤""#, #""'; DROP TABLE bank; --""#, #""%s%n%s""#, #""../../etc/passwd""#, #""${jndi:ldap://x}""#,
        "\"\(String(repeating: "x", count: 65))\"", "\"\(String(repeating: "x", count: 50_000))\"",
        "\"\(String(repeating: "é", count: 20_000))\"", "\"\(String(repeating: #"\u0000"#, count: 8000))\"",
        "\"\(String(repeating: "A", count: 40_000))==\"", #""0000000000""#, #""9999999999""#, #""-999999999""#,
        #""MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA""#, #""e30.e30.e30.e30.e30""#, #""....""#, #""{}""#, #""[]""#,
        #""{\"IdBEL\":\"x\"}""#,
    ]

    /// The values that the tests' own JSON type can represent.
    static let parsed: [JSON] = all.compactMap { try? JSON(parsing: $0) }

    /// A body in which one member has another value, given as text.
    static func text(_ members: [String: JSON], _ name: String, _ value: String) -> [UInt8] {
        let parts = members.map { "\"\($0)\":\($0 == name ? value : $1.text)" }
        return Array("{\(parts.joined(separator: ","))}".utf8)
    }
}
