import CardCompanion
import Testing

@testable import CardCompanionWebhooks

@Suite("Webhook URL")
struct WebhookURLTests {
    @Test(
        "A URL is parsed into host, port, request target and authority",
        arguments: [
            ("https://hooks.example", "hooks.example", 443, "/", "hooks.example"),
            ("https://hooks.example/a/b?c=d", "hooks.example", 443, "/a/b?c=d", "hooks.example"),
            ("https://Hooks.example:8443?c", "Hooks.example", 8443, "/?c", "hooks.example:8443"),
            ("https://hooks.example:443/x", "hooks.example", 443, "/x", "hooks.example"),
        ])
    func parts(url: String, host: String, port: Int, target: String, authority: String) throws {
        let parsed = try WebhookURL(url, isPrivate: false)
        #expect((parsed.host, parsed.port, parsed.target) == (host, port, target))
        #expect((parsed.authority, parsed.scheme) == (authority, "https"))
    }

    @Test("Plain HTTP is accepted only for private networks, with default port 80")
    func plain() throws {
        let parsed = try WebhookURL("http://cards.internal/x", isPrivate: true)
        #expect((parsed.scheme, parsed.port, parsed.authority) == ("http", 80, "cards.internal"))
        #expect(throws: InvalidSetting.self) { try WebhookURL("http://cards.internal/x", isPrivate: false) }
    }

    @Test(
        "A URL that could be read in two ways, or is not a plain http or https URL, is refused",
        arguments: [
            "", "hooks.example", "ftp://hooks.example", "https://", "https:///x", "https://user@hooks.example",
            "https://user:word@hooks.example", "https://hooks.example/#x", "https://[::1]/", "https://hooks.example:",
            "https://hooks.example:/x", "https://hooks.example:0", "https://hooks.example:65536",
            "https://hooks.example:x", "https://hooks.example/a b", "https://hooks.example/\n", "https://h%61.example",
            "https://hooks.example/%zz", "https://hööks.example",
            "https://hooks.example/\(String(repeating: "x", count: 2000))",
        ])
    func refused(url: String) {
        #expect(throws: InvalidSetting.self) { try WebhookURL(url, isPrivate: true) }
    }

    @Test(
        "IPv4 addresses that are not publicly routed are private; their neighbours are not",
        arguments: [
            ([10, 0, 0, 0], [9, 255, 255, 255]), ([10, 255, 255, 255], [11, 0, 0, 0]),
            ([127, 0, 0, 1], [126, 255, 255, 255]), ([172, 16, 0, 0], [172, 15, 255, 255]),
            ([172, 31, 255, 255], [172, 32, 0, 0]), ([192, 168, 0, 0], [192, 167, 255, 255]),
            ([169, 254, 169, 254], [169, 253, 255, 255]), ([100, 64, 0, 0], [100, 63, 255, 255]),
            ([100, 127, 255, 255], [100, 128, 0, 0]), ([0, 0, 0, 0], [1, 1, 1, 1]),
            ([255, 255, 255, 255], [8, 8, 8, 8]),
            ([224, 0, 0, 1], [223, 255, 255, 255]), ([198, 18, 0, 0], [198, 17, 255, 255]),
            ([192, 0, 2, 1], [192, 0, 3, 1]), ([203, 0, 113, 9], [203, 0, 114, 9]),
        ] as [([UInt8], [UInt8])])
    func ipv4(within: [UInt8], beside: [UInt8]) {
        #expect(NetworkAddress.isPrivateIPv4(within))
        #expect(!NetworkAddress.isPrivateIPv4(beside))
        // The same addresses in IPv6: mapped (::ffff:0:0/96) and translated (64:ff9b::/96).
        let mapped: [UInt8] = Array(repeating: 0, count: 10) + [0xFF, 0xFF]
        let translated: [UInt8] = [0, 0x64, 0xFF, 0x9B] + Array(repeating: 0, count: 8)
        for prefix in [mapped, translated] {
            #expect(NetworkAddress.isPrivateIPv6(prefix + within))
            #expect(!NetworkAddress.isPrivateIPv6(prefix + beside))
        }
    }

    @Test(
        "IPv6 addresses that are not publicly routed are private; public addresses are not",
        arguments: [
            ("00000000000000000000000000000001", true), ("00000000000000000000000000000000", true),
            ("fe800000000000000000000000000001", true), ("fc000000000000000000000000000001", true),
            ("fdffffffffffffffffffffffffffffff", true), ("ff020000000000000000000000000001", true),
            ("20010db8000000000000000000000001", true), ("20020a00000100000000000000000001", true),
            ("2001000000000000000000000a000001", true), ("0000000000000000000000007f000001", true),
            ("20014860486000000000000000008888", false), ("2a00145040010800000000000000200e", false),
            ("26064700470000000000000000001111", false),
        ])
    func ipv6(hex: String, isPrivate: Bool) {
        let digits = Array(hex)
        let bytes = stride(from: 0, to: 32, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
        #expect(bytes.count == 16)
        #expect(NetworkAddress.isPrivateIPv6(bytes) == isPrivate)
    }
}
