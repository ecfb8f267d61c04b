import HTTPSignatures
import HTTPTypes
import Testing

@Suite("Reading signatures")
struct SignatureFieldsTests {
    @Test("Any white space, order and lines are accepted, and the signature base is canonical")
    func lenient() throws {
        let message = message([
            ("signature-input", #"a=( "@method"   "@path" ); keyid="k";  created=5 "#), ("SIGNATURE", "b=:AAAA:"),
            ("Signature-Input", #"  b=();keyid="other""#), ("Signature", "a=:AQID:"),
        ])
        let fields = try SignatureFields(message)
        #expect(fields.keyIDs == ["k", "other"])
        let signature = try fields.only(ofKeys: ["k"])
        #expect(signature.label == "a")
        #expect(signature.bytes == [1, 2, 3])
        #expect(signature.parameters.components == [.method, .path])
        #expect(signature.parameters.text == #"("@method" "@path");keyid="k";created=5"#)
        #expect(
            try SignatureBase.text(of: message, parameters: signature.parameters) == """
                "@method": GET
                "@path": /
                "@signature-params": ("@method" "@path");keyid="k";created=5
                """)
    }

    @Test("Strings with quotes, commas and semicolons are read as strings")
    func quoted() throws {
        let fields = try SignatureFields(
            message(input: #"s=();keyid="k";nonce="a\", b=\"c\\;created=\"1";tag="x;y,z""#))
        let parameters = try fields.only(ofKeys: ["k"]).parameters
        #expect(parameters.nonce == #"a", b="c\;created="1"#)
        #expect(parameters.tag == "x;y,z")
        #expect(parameters.created == nil)
    }

    @Test("A message without Signature-Input or Signature is refused")
    func missing() throws {
        #expect(refusal { _ = try SignatureFields(message([])) }?.reason == .missingField("Signature-Input"))
        let half = message([("Signature-Input", "a=()")])
        #expect(refusal { _ = try SignatureFields(half) }?.reason == .missingField("Signature"))
    }

    @Test(
        "Fields in another format are refused",
        arguments: [
            ("Signature-Input", "", "s=:AAAA:"), ("Signature-Input", "s", "s=:AAAA:"),
            ("Signature-Input", #"s="@method""#, "s=:AAAA:"), ("Signature-Input", "s=(", "s=:AAAA:"),
            ("Signature-Input", #"s=("@method""@path")"#, "s=:AAAA:"), ("Signature-Input", "s=(),", "s=:AAAA:"),
            ("Signature-Input", "s=() t=()", "s=:AAAA:"), ("Signature-Input", "S=()", "s=:AAAA:"),
            ("Signature-Input", #"s=();keyid="k"#, "s=:AAAA:"),
            ("Signature-Input", #"s=();keyid="é""#, "s=:AAAA:"),
            ("Signature-Input", "s=();created=1234567890123456", ""),
            ("Signature", "s=()", ""), ("Signature", "s=()", "s=AAAA"), ("Signature", "s=()", "s=:AAAA"),
            ("Signature", "s=()", "s=:AAA:"), ("Signature", "s=()", "s=:AAB=:"), ("Signature", "s=()", "s=:A-A_:"),
            ("Signature", "s=()", "s=:AAAA:;a=1"), ("Signature", "s=()", "s=(:AAAA:)"), ("Signature", "s=()", "s=1"),
            ("Signature", "s=()", "t=:AAAA:"), ("Signature", "s=()", "s=:AAAA:, t=:AAAA:"),
            ("Signature", "s=(), t=()", "s=:AAAA:"),
        ])
    func malformed(field: String, input: String, signature: String) throws {
        let message = message([("Signature-Input", input), ("Signature", signature)])
        guard case .malformedField(field, _) = refusal({ _ = try SignatureFields(message) })?.reason else {
            // Errors in Signature-Input are found before errors in Signature.
            Issue.record("not refused as a malformed \(field)")
            return
        }
    }

    @Test(
        "A duplicate label or parameter is refused, in one line or in two",
        arguments: [
            #"s=();keyid="k", s=();keyid="k""#, #"s=();keyid="k";keyid="k""#, #"s=();created=1;keyid="k";created=2"#,
            #"s=("@query-param";name="a";name="b");keyid="k""#, #"s=();keyid="k",t=(),s=()"#,
        ])
    func duplicates(input: String) throws {
        let error = refusal { _ = try SignatureFields(message(input: input)) }
        #expect(
            error?.reason
                == .malformedField("Signature-Input", problem: "a label or a parameter occurs twice"))
        let lines = message([
            ("Signature-Input", "s=()"), ("Signature-Input", "s=()"), ("Signature", "s=:AAAA:"),
        ])
        #expect(refusal { _ = try SignatureFields(lines) } == error)
        let signatures = message([
            ("Signature-Input", "s=()"), ("Signature", "s=:AAAA:"), ("Signature", "s=:AQID:"),
        ])
        #expect(
            refusal { _ = try SignatureFields(signatures) }?.reason
                == .malformedField("Signature", problem: "a label or a parameter occurs twice"))
    }

    @Test(
        "Components that are unknown, malformed or have parameters are refused",
        arguments: [
            #""@unknown""#, #""@signature-params""#, #""@METHOD""#, #""Date""#, #""a b""#, #""""#, #""@""#,
            #""@method";req"#, #""date";sf"#, #""date";bs"#, #""date";key="a""#, #""date";tr"#, #""date";x=1"#,
            #""@query-param""#, #""@query-param";name=a"#, #""@query-param";name="a";req"#, #""@query";name="a""#,
        ])
    func unsupportedComponents(component: String) throws {
        let fields = try SignatureFields(message(input: #"s=("@path" \#(component));keyid="k""#))
        let error = refusal { _ = try fields.only(ofKeys: ["k"]) }
        #expect(error?.reason == .unsupportedComponent(component))
    }

    @Test("A component that is not a string is refused", arguments: ["date", "1", "?1", ":AAAA:", "1.5", "@1"])
    func componentsOfOtherTypes(component: String) throws {
        let fields = try SignatureFields(message(input: "s=(\(component));keyid=\"k\""))
        let error = refusal { _ = try fields.only(ofKeys: ["k"]) }
        #expect(
            error?.reason
                == .malformedField("Signature-Input", problem: "each covered component must be a quoted string"))
    }

    @Test(
        "A component that is covered twice is refused",
        arguments: [
            #""@method""#, #""date""#, #""@query-param";name="a""#,
        ])
    func duplicateComponents(component: String) throws {
        let fields = try SignatureFields(message(input: #"s=(\#(component) "@path" \#(component));keyid="k""#))
        #expect(refusal { _ = try fields.only(ofKeys: ["k"]) }?.reason == .duplicateComponent(component))
    }

    @Test(
        "Parameters that are unknown or have another type are refused",
        arguments: [
            ("created", "created=\"1\""), ("created", "created=1.5"), ("created", "created"), ("created", "created=@1"),
            ("expires", "expires=a"), ("nonce", "nonce=a"), ("nonce", "nonce=1"), ("nonce", "nonce=:AAAA:"),
            ("nonce", "nonce=%\"a\""), ("tag", "tag"), ("alg", "alg=ed25519"), ("alg", "alg=\"ED25519\""),
            ("alg", "alg=\"hs2019\""), ("alg", "alg=\"none\""), ("alg", "alg=\"\""), ("x", "x=1"), ("crit", "crit"),
        ])
    func parameters(name: String, text: String) throws {
        let fields = try SignatureFields(message(input: #"s=();keyid="k";\#(text)"#))
        guard case .invalidParameter(name, _) = refusal({ _ = try fields.only(ofKeys: ["k"]) })?.reason else {
            Issue.record("not refused as an invalid \(name)")
            return
        }
    }

    @Test("Of several signatures, the one with a known key is used, whatever the others cover")
    func selection() throws {
        let input = #"proxy=("signature";key="s" "forwarded");keyid="p", s=("@path");keyid="k", none=("@path")"#
        let fields = try SignatureFields(message(input: input, labels: ["proxy", "s", "none"]))
        #expect(fields.keyIDs == ["p", "k"])
        #expect(try fields.only(ofKeys: ["k", "other"]).label == "s")
        #expect(refusal { _ = try fields.only(ofKeys: ["other"]) }?.reason == .unknownKey(["p", "k"]))
        #expect(refusal { _ = try fields.only(ofKeys: []) }?.reason == .unknownKey(["p", "k"]))
        let unnamed = try SignatureFields(message(input: "s=(\"@path\");created=1"))
        #expect(refusal { _ = try unnamed.only(ofKeys: ["k"]) }?.reason == .unknownKey([]))
    }

    @Test("Two signatures with known keys, or with the same key, are ambiguous")
    func ambiguity() throws {
        let one = try SignatureFields(message(input: #"a=("@path");keyid="k", b=();keyid="k""#, labels: ["a", "b"]))
        #expect(one.keyIDs == ["k"])
        #expect(refusal { _ = try one.only(ofKeys: ["k"]) }?.reason == .ambiguousSignatures(["a", "b"]))
        let two = try SignatureFields(message(input: #"a=();keyid="k", b=();keyid="l""#, labels: ["a", "b"]))
        #expect(refusal { _ = try two.only(ofKeys: ["k", "l"]) }?.reason == .ambiguousSignatures(["a", "b"]))
        #expect(try two.only(ofKeys: ["l"]).label == "b")
    }

    @Test("Signatures, components and bytes are accepted up to their limits, and refused above")
    func limits() throws {
        let labels = (0...SignatureFields.countLimit).map { "s\($0)" }
        let inputs = labels.map { "\($0)=();keyid=\"\($0)\"" }
        let full = message(input: inputs.dropLast().joined(separator: ", "), labels: labels.dropLast())
        #expect(try SignatureFields(full).keyIDs.count == SignatureFields.countLimit)
        let tooMany = message(input: inputs.joined(separator: ", "), labels: labels)
        #expect(
            refusal { _ = try SignatureFields(tooMany) }?.reason == .limitExceeded("signatures in a message", limit: 8))

        let components = (0...SignatureParameters.componentCountLimit).map { "\"f\($0)\"" }
        let most = components.dropLast().joined(separator: " ")
        _ = try SignatureFields(message(input: "s=(\(most));keyid=\"k\"")).only(ofKeys: ["k"])
        let more = try SignatureFields(message(input: "s=(\(components.joined(separator: " ")));keyid=\"k\""))
        #expect(
            refusal { _ = try more.only(ofKeys: ["k"]) }?.reason
                == .limitExceeded("components in a signature", limit: 32))

        let long = message(input: #"s=();keyid="\#(String(repeating: "k", count: 16_384))""#)
        #expect(
            refusal { _ = try SignatureFields(long) }?.reason
                == .limitExceeded("bytes in the Signature-Input field", limit: 16_384))
    }

    @Test("A signature base above the limit is refused")
    func baseLimit() throws {
        let value = String(repeating: "a", count: SignatureBase.byteCountLimit)
        let parameters = try SignatureParameters(components: [.field(.date)], created: nil, keyID: nil)
        let error = refusal {
            _ = try SignatureBase.text(of: message([("Date", value)]), parameters: parameters)
        }
        #expect(error?.reason == .limitExceeded("bytes in a signature base", limit: 65_536))
    }

    @Test("Randomly changed fields do not crash the reader, and accepted ones have one canonical text")
    func randomChanges() throws {
        let text =
            #"s=("@method" "@query-param";name="a\"b" "date");created=1800000000;nonce="n, o;n\\ce";keyid="k""#
        let pieces =
            text.map(String.init) + ["\"", "\\", ";", ",", "(", ")", "=", "s=()", "%\"a\"", "@1", "1.5", "?1", "-"]
        var taken = 0
        for _ in 0..<5000 {
            var characters = text.map(String.init)
            for _ in 0..<Int.random(in: 1...3) {
                let place = Int.random(in: 0..<characters.count)
                characters.replaceSubrange(
                    place..<min(place + Int.random(in: 0...2), characters.count),
                    with: [pieces.randomElement() ?? ""])
            }
            guard let received = try? SignatureFields(message(input: characters.joined())).only(ofKeys: ["k"]) else {
                continue
            }
            taken += 1
            let again = try SignatureFields(message(input: "s=" + received.parameters.text)).only(ofKeys: ["k"])
            #expect(again.parameters == received.parameters, "\(characters.joined())")
        }
        #expect(taken > 100)
    }

    private func message(_ fields: [(String, String)]) -> SignedMessage {
        SignedMessage(method: "GET", scheme: "https", authority: "example.com", target: "/", fields: fields)
    }

    private func message(input: String, labels: [String] = ["s"]) -> SignedMessage {
        let signature = labels.map { "\($0)=:AAAA:" }.joined(separator: ", ")
        return message([("Signature-Input", input), ("Signature", signature)])
    }
}
