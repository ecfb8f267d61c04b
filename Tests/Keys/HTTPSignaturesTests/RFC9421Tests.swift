import HTTPSignatures
import Testing

@Suite("The test cases of RFC 9421")
struct RFC9421Tests {
    @Test("Appendix B.2.1: RSA-PSS, no covered components")
    func minimal() throws {
        try verify(
            label: "sig-b21", input: #"();created=1618884473;keyid="test-key-rsa-pss";nonce="b3k2pp5k7z-50gnwp.yemd""#,
            signature: """
                d2pmTvmbncD3xQm8E9ZV2828BjQWGgiwAaw5bAkgibUopemLJcWDy/lkbbHAve4cRAtx31Iq786U7it++wgGxbtRxf8Udx7zFZs\
                ckzXaJMkA7ChG52eSkFxykJeNqsrWH5S+oxNFlD4dzVuwe8DhTSja8xxbR/Z2cOGdCbzR72rgFWhzx2VjBqJzsPLMIQKhO4DGez\
                XehhWwE56YCE+O6c0mKZsfxVrogUvA4HELjVKWmAvtl6UnCh8jYzuVG5WSb/QEVPnP5TmcAnLH1g+s++v6d4s8m0gCw1fV5/SIT\
                Lq9mhho8K3+7EPYTU8IU1bLhdxO5Nyt8C8ssinQ98Xw9Q==
                """, key: RFC9421Keys.rsaPSS(), lines: [])
    }

    @Test("Appendix B.2.2: RSA-PSS over selected components, with a query parameter")
    func selective() throws {
        try verify(
            label: "sig-b22",
            input: """
                ("@authority" "content-digest" "@query-param";name="Pet");created=1618884473\
                ;keyid="test-key-rsa-pss";tag="header-example"
                """,
            signature: """
                LjbtqUbfmvjj5C5kr1Ugj4PmLYvx9wVjZvD9GsTT4F7GrcQEdJzgI9qHxICagShLRiLMlAJjtq6N4CDfKtjvuJyE5qH7KT8UCMk\
                SowOB4+ECxCmT8rtAmj/0PIXxi0A0nxKyB09RNrCQibbUjsLS/2YyFYXEu4TRJQzRw1rLEuEfY17SARYhpTlaqwZVtR8NV7+4UK\
                kjqpcAoFqWFQh62s7Cl+H2fjBSpqfZUJcsIk4N6wiKYd4je2U/lankenQ99PZfB4jY3I5rSV2DSBVkSFsURIjYErOs0tFTQosMT\
                Aoxk//0RoKUqiYY8Bh0aaUEb0rQl3/XaVe4bXTugEjHSw==
                """, key: RFC9421Keys.rsaPSS(),
            lines: [
                #""@authority": example.com"#, #""content-digest": \#(RFC9421Messages.digest)"#,
                #""@query-param";name="Pet": dog"#,
            ])
    }

    @Test("Appendix B.2.3: RSA-PSS over the whole request")
    func full() throws {
        try verify(
            label: "sig-b23",
            input: """
                ("date" "@method" "@path" "@query" "@authority" "content-type" "content-digest" "content-length")\
                ;created=1618884473;keyid="test-key-rsa-pss"
                """,
            signature: """
                bbN8oArOxYoyylQQUU6QYwrTuaxLwjAC9fbY2F6SVWvh0yBiMIRGOnMYwZ/5MR6fb0Kh1rIRASVxFkeGt683+qRpRRU5p2voTp7\
                68ZrCUb38K0fUxN0O0iC59DzYx8DFll5GmydPxSmme9v6ULbMFkl+V5B1TP/yPViV7KsLNmvKiLJH1pFkh/aYA2HXXZzNBXmIko\
                QoLd7YfW91kE9o/CCoC1xMy7JA1ipwvKvfrs65ldmlu9bpG6A9BmzhuzF8Eim5f8ui9eH8LZH896+QIF61ka39VBrohr9iyMUJp\
                vRX2Zbhl5ZJzSRxpJyoEZAFL2FUo5fTIztsDZKEgM4cUA==
                """, key: RFC9421Keys.rsaPSS(),
            lines: [
                #""date": Tue, 20 Apr 2021 02:07:55 GMT"#, #""@method": POST"#, #""@path": /foo"#,
                #""@query": ?param=Value&Pet=dog"#, #""@authority": example.com"#,
                #""content-type": application/json"#, #""content-digest": \#(RFC9421Messages.digest)"#,
                #""content-length": 18"#,
            ])
    }

    @Test("Appendix B.2.4: ECDSA on P-256 over a response with a content digest")
    func response() throws {
        let input = """
            sig-b24=("@status" "content-type" "content-digest" "content-length");created=1618884473\
            ;keyid="test-key-ecc-p256"
            """
        let signature =
            "sig-b24=:wNmSUAhwb5LxtOtOpNa6W5xj067m5hFrj0XQ4fvpaCLx0NKocgPquLgyahnzDnDAUy5eCdlYUEkLIj+32oiasw==:"
        let message = RFC9421Messages.response([("Signature-Input", input), ("Signature", signature)])
        let received = try SignatureFields(message).only(ofKeys: ["test-key-ecc-p256"])
        let base = try SignatureBase.text(of: message, parameters: received.parameters)
        #expect(base.hasPrefix("\"@status\": 200\n\"content-type\": application/json\n\"content-digest\": sha-512=:mE"))
        #expect(try RFC9421Keys.p256().isValid(received.bytes, over: base))
        try ContentDigest(message).verify(#"{"message": "good dog"}"#.bytes)
    }

    @Test("Appendix B.2.5: HMAC, byte for byte")
    func hmac() throws {
        let key = try RFC9421Keys.hmac()
        let received = try verify(
            label: "sig-b25",
            input: #"("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret""#,
            signature: "pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=", key: key.verificationKey,
            lines: [
                #""date": Tue, 20 Apr 2021 02:07:55 GMT"#, #""@authority": example.com"#,
                #""content-type": application/json"#,
            ])
        let made = try key.sign(RFC9421Messages.request(), parameters: received.parameters, label: "sig-b25")
        #expect(made.signature == "sig-b25=:pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=:")
    }

    @Test("Appendix B.2.6: Ed25519, byte for byte")
    func ed25519() throws {
        let key = try RFC9421Keys.ed25519()
        let signature = "wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw=="
        let received = try verify(
            label: "sig-b26",
            input: """
                ("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473\
                ;keyid="test-key-ed25519"
                """, signature: signature, key: key.verificationKey,
            lines: [
                #""date": Tue, 20 Apr 2021 02:07:55 GMT"#, #""@method": POST"#, #""@path": /foo"#,
                #""@authority": example.com"#, #""content-type": application/json"#, #""content-length": 18"#,
            ])
        let made = try key.sign(RFC9421Messages.request(), parameters: received.parameters, label: "sig-b26")
        #expect(made.signature == "sig-b26=:\(signature):")
        #expect(made.signatureInput == "sig-b26=\(received.parameters.text)")
    }

    @Test("Section 4.3: a client's signature and a proxy's signature over the changed message, with different keys")
    func multiple() throws {
        let components = #""@method" "@authority" "@path" "content-digest" "content-type" "content-length""#
        let clients = #"(\#(components));created=1618884475;keyid="test-key-ecc-p256""#
        let proxys = """
            (\(components) "forwarded");created=1618884480;keyid="test-key-rsa";alg="rsa-v1_5-sha256"\
            ;expires=1618884540
            """
        let clientSignature = "X5spyd6CFnAG5QnDyHfqoSNICd+BUP4LYMz2Q0JXlb//4Ijpzp+kve2w4NIyqeAuM7jTDX+sNalzA8ESSaHD3A=="
        let proxySignature = """
            S6ZzPXSdAMOPjN/6KXfXWNO/f7V6cHm7BXYUh3YD/fRad4BCaRZxP+JH+8XY1I6+8Cy+CM5g92iHgxtRPz+MjniOaYmdkDcnL9cCpX\
            JleXsOckpURl49GwiyUpZ10KHgOEe11sx3G2gxI8S0jnxQB+Pu68U9vVcasqOWAEObtNKKZd8tSFu7LB5YAv0RAGhB8tmpv7sFnIm9\
            y+7X5kXQfi8NMaZaA8i2ZHwpBdg7a6CMfwnnrtflzvZdXAsD3LH2TwevU+/PBPv0B6NMNk93wUs/vfJvye+YuI87HU38lZHowtznbL\
            Vdp770I6VHR6WfgS9ddzirrswsE1w5o0LV/g==
            """
        let fields = [
            ("Signature-Input", "sig1=\(clients), proxy_sig=\(proxys)"),
            ("Signature", "sig1=:\(clientSignature):, proxy_sig=:\(proxySignature):"),
        ]
        let sent = RFC9421Messages.request(fields)
        let client = try SignatureFields(sent).only(ofKeys: ["test-key-ecc-p256"])
        let base = try SignatureBase.text(of: sent, parameters: client.parameters)
        #expect(try RFC9421Keys.p256().isValid(client.bytes, over: base))

        let forwarded = SignedMessage(
            method: "POST", scheme: "https", authority: "origin.host.internal.example",
            target: "/foo?param=Value&Pet=dog",
            fields: [
                ("Content-Type", "application/json"), ("Content-Digest", RFC9421Messages.digest),
                ("Content-Length", "18"), ("Forwarded", "for=192.0.2.123;host=example.com;proto=https"),
            ] + fields)
        let proxy = try SignatureFields(forwarded).only(ofKeys: ["test-key-rsa"])
        #expect(proxy.label == "proxy_sig")
        #expect(proxy.parameters.expires == 1_618_884_540)
        let made = try RFC9421Keys.rsaPKCS1().sign(forwarded, parameters: proxy.parameters, label: "proxy_sig")
        #expect(made.signatureInput == "proxy_sig=\(proxys)")
        #expect(made.signature == "proxy_sig=:\(proxySignature):")
    }

    /// Verifies a signature of the request, and checks the lines of its signature base.
    @discardableResult
    private func verify(
        label: String, input: String, signature: String, key: VerificationKey, lines: [String]
    ) throws -> MessageSignature {
        let message = RFC9421Messages.request([
            ("Signature-Input", "\(label)=\(input)"), ("Signature", "\(label)=:\(signature):"),
        ])
        let fields = try SignatureFields(message)
        let received = try fields.only(ofKeys: fields.keyIDs)
        #expect(received.label == label)
        let base = try SignatureBase.text(of: message, parameters: received.parameters)
        #expect(base == (lines + ["\"@signature-params\": \(input)"]).joined(separator: "\n"))
        #expect(key.isValid(received.bytes, over: base))
        #expect(!key.isValid(received.bytes, over: base + "\n"))
        return received
    }
}

/// Appendix B.4: what a proxy can change in a message, and what it cannot.
@Suite("The transformations of RFC 9421")
struct RFC9421TransformationTests {
    private static let lines = [
        ("Date", "Fri, 15 Jul 2022 14:24:55 GMT"), ("Accept", "application/json"), ("Accept", "*/*"),
    ]

    @Test("A signature stays valid if uncovered fields or queries change, or the lines of a field are joined")
    func harmless() throws {
        #expect(try isValid(lines: Self.lines))
        #expect(
            try isValid(
                target: "/demo?name1=Value1&Name2=value2&param=added",
                lines: Self.lines + [("Accept-Language", "en-US,en;q=0.5")]))
        #expect(
            try isValid(
                lines: [("Referer", "https://developer.example.org/demo"), ("Accept", "application/json, */*")]))
        #expect(try isValid(lines: Array(Self.lines.dropFirst()) + Self.lines.prefix(1)))
    }

    @Test("A signature becomes invalid if the method, the host or the order of a field's lines changes")
    func harmful() throws {
        #expect(try !isValid(method: "POST", lines: Self.lines))
        #expect(try !isValid(authority: "example.com", lines: Self.lines))
        #expect(try !isValid(lines: [("Accept", "*/*"), ("Accept", "application/json")]))
    }

    private func isValid(
        method: String = "GET", authority: String = "example.org", target: String = "/demo?name1=Value1&Name2=value2",
        lines: [(String, String)]
    ) throws -> Bool {
        let input = #"transform=("@method" "@path" "@authority" "accept");created=1618884473;keyid="test-key-ed25519""#
        let signature =
            "transform=:ZT1kooQsEHpZ0I1IjCqtQppOmIqlJPeo7DHR3SoMn0s5JZ1eRGS0A+vyYP9t/LXlh5QMFFQ6cpLt2m0pmj3NDA==:"
        let message = SignedMessage(
            method: method, scheme: "https", authority: authority, target: target,
            fields: lines + [("Signature-Input", input), ("Signature", signature)])
        let received = try SignatureFields(message).only(ofKeys: ["test-key-ed25519"])
        let base = try SignatureBase.text(of: message, parameters: received.parameters)
        return try RFC9421Keys.ed25519().verificationKey.isValid(received.bytes, over: base)
    }
}
