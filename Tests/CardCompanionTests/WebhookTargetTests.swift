import Testing

@testable import CardCompanion

@Suite("Where a webhook leads")
struct WebhookTargetTests {
    @Test(
        "A URL is taken apart",
        arguments: [
            ("https://hooks.example", "hooks.example", 443, "/", "hooks.example"),
            ("https://hooks.example/a/b?c=d", "hooks.example", 443, "/a/b?c=d", "hooks.example"),
            ("https://Hooks.example:8443?c", "Hooks.example", 8443, "/?c", "hooks.example:8443"),
            ("https://hooks.example:443/x", "hooks.example", 443, "/x", "hooks.example"),
        ])
    func parts(url: String, host: String, port: Int, target: String, authority: String) throws {
        let parsed = try WebhookTarget(url, isPrivate: false)
        #expect((parsed.host, parsed.port, parsed.target) == (host, port, target))
        #expect((parsed.authority, parsed.scheme) == (authority, "https"))
    }

    @Test("Plain HTTP is for private networks only, with a port of its own")
    func plain() throws {
        let parsed = try WebhookTarget("http://cards.internal/x", isPrivate: true)
        #expect((parsed.scheme, parsed.port, parsed.authority) == ("http", 80, "cards.internal"))
        #expect(throws: InvalidSetting.self) { try WebhookTarget("http://cards.internal/x", isPrivate: false) }
    }

    @Test(
        "IPv4 addresses that the public network does not route are private, their neighbours are not",
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
        // The same in IPv6: mapped, and translated.
        let mapped: [UInt8] = Array(repeating: 0, count: 10) + [0xFF, 0xFF]
        let translated: [UInt8] = [0, 0x64, 0xFF, 0x9B] + Array(repeating: 0, count: 8)
        for prefix in [mapped, translated] {
            #expect(NetworkAddress.isPrivateIPv6(prefix + within))
            #expect(!NetworkAddress.isPrivateIPv6(prefix + beside))
        }
    }

    @Test(
        "IPv6 addresses that the public network does not route are private",
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
