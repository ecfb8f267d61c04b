import HTTPSignatures
import HTTPTypes
import Testing

@Suite("Component values")
struct ComponentValueTests {
    @Test("Fields have the values of RFC 9421 section 2.1")
    func fields() throws {
        let message = request(fields: [
            ("Host", "www.example.com"), ("Date", "Tue, 20 Apr 2021 02:07:56 GMT"),
            ("X-OWS-Header", "  Leading and trailing whitespace.   "),
            ("X-Obs-Fold-Header", "Obsolete\r\n    line folding."), ("Cache-Control", "max-age=60"),
            ("Cache-Control", "    must-revalidate"), ("Example-Dict", "  a=1,    b=2;x=1;y=2,   c=(a   b   c)"),
            ("X-Empty-Header", " "), ("X-Tabs", "\ta\tb\t"), ("X-Folds", "a \t\r\n \r\n\tb\r\n c "),
        ])
        let expected = [
            "host": "www.example.com", "date": "Tue, 20 Apr 2021 02:07:56 GMT",
            "x-ows-header": "Leading and trailing whitespace.", "x-obs-fold-header": "Obsolete line folding.",
            "cache-control": "max-age=60, must-revalidate", "example-dict": "a=1,    b=2;x=1;y=2,   c=(a   b   c)",
            "x-empty-header": "", "x-tabs": "a\tb", "x-folds": "a b c",
        ]
        for (name, value) in expected {
            #expect(try line(of: .field(#require(HTTPField.Name(name))), message) == "\"\(name)\": \(value)")
        }
    }

    @Test("Control data has the values of RFC 9421 sections 2.2.1 to 2.2.7")
    func derived() throws {
        let message = request(target: "/path?param=value&foo=bar&baz=bat%2Dman")
        #expect(try line(of: .method, message) == "\"@method\": POST")
        #expect(
            try line(of: .targetURI, message)
                == "\"@target-uri\": https://www.example.com/path?param=value&foo=bar&baz=bat%2Dman")
        #expect(try line(of: .authority, message) == "\"@authority\": www.example.com")
        #expect(try line(of: .scheme, message) == "\"@scheme\": https")
        #expect(
            try line(of: .requestTarget, message) == "\"@request-target\": /path?param=value&foo=bar&baz=bat%2Dman")
        #expect(try line(of: .path, message) == "\"@path\": /path")
        #expect(try line(of: .query, message) == "\"@query\": ?param=value&foo=bar&baz=bat%2Dman")
        #expect(try line(of: .query, request(target: "/path?queryString")) == "\"@query\": ?queryString")
        #expect(try line(of: .query, request(target: "/path")) == "\"@query\": ?")
        #expect(try line(of: .status, SignedMessage(status: 200, fields: [])) == "\"@status\": 200")
    }

    @Test("Path and query are used as they were sent: not decoded, resolved or sorted")
    func asSent() throws {
        let message = request(target: "/a%2Fb/../%7Euser/?b=%20&a=+&?")
        #expect(try line(of: .path, message) == "\"@path\": /a%2Fb/../%7Euser/")
        #expect(try line(of: .query, message) == "\"@query\": ?b=%20&a=+&?")
        #expect(try line(of: .path, request(target: "")) == "\"@path\": /")
    }

    @Test(
        "The authority is in lower case and omits the default port of the scheme",
        arguments: [
            ("https", "Api.EXAMPLE.com", "api.example.com"), ("https", "api.example.com:443", "api.example.com"),
            ("http", "api.example.com:443", "api.example.com:443"), ("http", "api.example.com:80", "api.example.com"),
            ("https", "api.example.com:8443", "api.example.com:8443"), ("HTTPS", "[::443]", "[::443]"),
            ("https", "[2001:DB8::1]:443", "[2001:db8::1]"),
        ])
    func authority(scheme: String, authority: String, expected: String) throws {
        let message = SignedMessage(method: "GET", scheme: scheme, authority: authority, target: "/a?b", fields: [])
        #expect(try line(of: .authority, message) == "\"@authority\": \(expected)")
        // @target-uri is used as it was sent.
        #expect(try line(of: .targetURI, message) == "\"@target-uri\": \(scheme)://\(authority)/a?b")
    }

    @Test(
        "Query parameters have the values of RFC 9421 section 2.2.8",
        arguments: [
            ("/path?param=value&foo=bar&baz=batman&qux=", "baz", "batman"),
            ("/path?param=value&foo=bar&baz=batman&qux=", "qux", ""),
            ("/path?param=value&foo=bar&baz=batman&qux=", "param", "value"),
            (
                "/parameters?var=this%20is%20a%20big%0Amultiline%20value&bar=with+plus+whitespace", "var",
                "this%20is%20a%20big%0Amultiline%20value"
            ),
            ("/parameters?bar=with+plus+whitespace", "bar", "with%20plus%20whitespace"),
            ("/parameters?fa%C3%A7ade%22%3A%20=something", "fa%C3%A7ade%22%3A%20", "something"),
            ("/p?a=%2B%2F%26%3D*~=&b", "a", "%2B%2F%26%3D*%7E%3D"), ("/p?a=1&b&&", "b", ""),
            ("/p?a=%zz%4", "a", "%25zz%254"), ("/p?%61=x", "a", "x"),
        ])
    func queryParameters(target: String, name: String, value: String) throws {
        let component = Component.queryParameter(name)
        #expect(try line(of: component, request(target: target)) == "\"@query-param\";name=\"\(name)\": \(value)")
    }

    @Test("A component that the message does not have, or a query parameter that occurs twice, cannot be covered")
    func absent() throws {
        let plain = request(target: "/path")
        let response = SignedMessage(status: 200, fields: [("Date", "x")])
        let bare = SignedMessage(method: "GET", scheme: nil, authority: nil, target: "*", fields: [])
        let wrong: [(Component, SignedMessage)] = [
            (.field(.date), plain), (.status, plain), (.queryParameter("a"), plain),
            (.queryParameter("b"), request(target: "/?a=1")), (.queryParameter("a"), request(target: "/?a=1&a=2")),
            (.queryParameter("a"), request(target: "/?a=1&%61=2")), (.method, response), (.path, response),
            (.query, response), (.authority, response), (.targetURI, response), (.authority, bare), (.scheme, bare),
            (.targetURI, bare), (.path, bare), (.query, bare),
            (.path, request(target: "https://www.example.com/path")),
            (.targetURI, request(target: "www.example.com:80")),
        ]
        for (component, message) in wrong {
            let error = refusal { _ = try line(of: component, message) }
            #expect(error?.reason == .componentNotInMessage(component.description))
        }
        #expect(try line(of: .requestTarget, bare) == "\"@request-target\": *")
    }

    @Test(
        "A value with a line end, a control character or a non-ASCII character is refused",
        arguments: ["a\nb", "a\r\nb", "a\rb", "a\0b", "a\u{7f}b", "é", "a\r\n\"@method\": GET", "a\n b", "a\u{85}b"])
    func unprintable(value: String) throws {
        let name = try #require(HTTPField.Name("x-field"))
        let error = refusal { _ = try line(of: .field(name), request(fields: [("X-Field", value)])) }
        #expect(error?.reason == .unprintableComponent("\"x-field\""))
        let pathError = refusal { _ = try line(of: .path, request(target: "/" + value)) }
        #expect(pathError?.reason == .unprintableComponent("\"@path\""))
    }

    @Test("Requests and responses of HTTPTypes have the same component values")
    func httpTypes() throws {
        var request = HTTPRequest(method: .get, scheme: "http", authority: "Example.com:443", path: "/a?b")
        request.headerFields.append(HTTPField(name: .accept, value: "a"))
        request.headerFields.append(HTTPField(name: .accept, value: "b"))
        let message = SignedMessage(request, scheme: "https")
        let host = Component.field(try #require(HTTPField.Name("host")))
        let components: [Component] = [.targetURI, .authority, .field(.accept), host]
        let parameters = try SignatureParameters(components: components, created: 1, keyID: "k")
        #expect(
            try SignatureBase.text(of: message, parameters: parameters) == """
                "@target-uri": https://Example.com:443/a?b
                "@authority": example.com
                "accept": a, b
                "host": Example.com:443
                "@signature-params": ("@target-uri" "@authority" "accept" "host");created=1;keyid="k"
                """)
        let response = HTTPResponse(status: .accepted, headerFields: [.date: "today"])
        #expect(try line(of: .status, SignedMessage(response)) == "\"@status\": 202")
        #expect(try line(of: .field(.date), SignedMessage(response)) == "\"date\": today")
    }

    private func request(target: String = "/path", fields: [(String, String)] = []) -> SignedMessage {
        SignedMessage(
            method: "POST", scheme: "https", authority: "www.example.com", target: target, fields: fields)
    }

    private func line(of component: Component, _ message: SignedMessage) throws -> String {
        let parameters = try SignatureParameters(components: [component], created: nil, keyID: nil)
        let base = try SignatureBase.text(of: message, parameters: parameters)
        let end = "\n\"@signature-params\": (\(component))"
        #expect(base.hasSuffix(end))
        return String(base.dropLast(end.count))
    }
}
