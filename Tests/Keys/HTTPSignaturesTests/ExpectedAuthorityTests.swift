import HTTPSignatures
import Testing

@Suite("The authority that a signature must cover")
struct ExpectedAuthorityTests {
    private func policy(_ names: String...) -> SignaturePolicy {
        SignaturePolicy(authority: .oneOf(names.compactMap { Authority($0) }))
    }

    @Test("A signature for any of the names is valid, whatever the request says")
    func names() throws {
        for authority in [Exchange().authority, "internal", "", "api.example.com:443"] {
            for policy in [policy("api.example.com"), policy("a.example", "API.example.com:443")] {
                try Exchange().verify(policy: policy) { $0.authority = authority }
            }
        }
    }

    @Test(
        "A signature for another name is not valid, even if the request says that name, and the message has the names")
    func otherName() throws {
        let names = policy("a.example", "b.example:8443")
        for authority in ["api.example.com", "a.example", "b.example:8443"] {
            let error = refusal { try Exchange().verify(policy: names) { $0.authority = authority } }
            #expect(
                error.map { "\($0)" } == """
                    The signature does not match under any name of this server (a.example, b.example:8443): compare the \
                    signature base with the text that was signed, and check "@authority" and the key.
                    """)
            let shown = authority == "b.example:8443" ? authority : "a.example"
            #expect(error?.signatureBase?.contains("\"@authority\": \(shown)\n") == true)
        }
    }

    @Test(
        "A signature that covers the name in another form is not valid",
        arguments: ["API.example.com", "a.example:443"])
    func otherForm(signed: String) throws {
        var exchange = Exchange()
        // Without a scheme, the signer keeps the port.
        (exchange.authority, exchange.scheme) = (signed, "")
        exchange.components.append(.targetURI)
        #expect(refusal { try exchange.verify(policy: policy("api.example.com", "a.example")) } != nil)
    }

    @Test("Without any name no signature is valid")
    func noNames() throws {
        #expect(refusal { try Exchange().verify(policy: policy()) } != nil)
    }

    @Test("A request without an authority has none to cover, unless names are expected")
    func noAuthority() throws {
        let error = refusal { try Exchange().verify { $0.authority = "" } }
        #expect(error?.reason == .componentNotInMessage("\"@authority\""))
    }
}
