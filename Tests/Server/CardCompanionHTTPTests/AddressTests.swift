import CardCompanion
import HTTPTypes
import Testing

@testable import CardCompanionHTTP

@Suite struct IPAddressTests {
    @Test(arguments: [("192.0.2.1", true), ("::ffff:192.0.2.1", true), ("2001:db8::1", false)])
    func `An address is read in each of its forms`(text: String, isIPv4: Bool) throws {
        #expect(try #require(IPAddress(text)).isIPv4 == isIPv4)
    }

    @Test func `An IPv4 address is the same address in IPv6 form`() {
        #expect(IPAddress("192.0.2.1") == IPAddress("::ffff:192.0.2.1"))
        #expect(IPAddress("192.0.2.1") != IPAddress("192.0.2.2"))
    }

    @Test(
        arguments: [
            ("127.0.0.1", true), ("127.255.0.9", true), ("::1", true), ("::ffff:127.0.0.1", true), ("128.0.0.1", false),
            ("126.255.255.255", false), ("::", false), ("::2", false), ("::7f00:1", false), ("1::1", false),
            ("0.0.0.0", false), ("10.0.0.127", false),
        ])
    func `Loopback is 127.0.0.0/8 and ::1`(text: String, isLoopback: Bool) throws {
        #expect(try #require(IPAddress(text)).isLoopback == isLoopback)
    }

    @Test(arguments: ["", "192.0.2", "192.0.2.256", "example", "2001:db8::g", "[::1]", "_hidden", "unknown"])
    func `Anything else is no address`(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test(arguments: [("192.0.2.1", "192.0.2.1"), ("2001:db8::1", "2001:db8:0:0:0:0:0:1")])
    func `The text of an address is that address`(text: String, expected: String) throws {
        #expect(try #require(IPAddress(text)).text == expected)
        #expect(IPAddress(expected) == IPAddress(text))
    }

    @Test func `IPv6 addresses of one /64 are counted together, IPv4 addresses each for itself`() throws {
        let first = try #require(IPAddress("2001:db8:1:2::1")).network
        #expect(try #require(IPAddress("2001:db8:1:2:ffff::9")).network == first)
        #expect(try #require(IPAddress("2001:db8:1:3::1")).network != first)
        #expect(try #require(IPAddress("192.0.2.1")).network != #require(IPAddress("192.0.2.2")).network)
    }
}

@Suite struct OwnNameTests {
    @Test(
        arguments: [
            ("127.0.0.1", "127.0.0.1"), ("localhost", "LocalHost:1"), ("127.0.0.2", "127.0.0.2:9464"),
            ("127.0.0.2", "localhost"), ("::1", "[::1]"), ("::1", "[::1]:9464"), ("::1", "127.0.0.1:9464"),
            ("metrics.internal", "METRICS.internal:9464"), ("metrics.internal", "localhost"),
        ])
    func `Names of this machine are those of loopback, and the one where the listener is bound`(
        host: String, authority: String
    ) throws {
        #expect(try #require(OwnNameMiddleware(host: host)).isOwn(authority))
    }

    @Test(arguments: ["127.0.0.1", "localhost", "::1", "metrics.internal"])
    func `Other names are none of this machine`(host: String) throws {
        let names = try #require(OwnNameMiddleware(host: host))
        for authority in [
            "", ":9464", "example.com", "localhost.example.com", "127.0.0.3", "[::2]", "[::1].example.com", "::1",
            "localhost:", "localhost:1:2", "internal",
        ] {
            #expect(!names.isOwn(authority), "\(authority)")
        }
    }

    @Test(arguments: ["0.0.0.0", "::", "192.0.2.1", "2001:db8::1"])
    func `A listener for other machines knows no names`(host: String) {
        #expect(OwnNameMiddleware(host: host) == nil)
    }
}

@Suite struct AddressRangeTests {
    @Test(
        arguments: [
            ("10.0.0.0/8", "10.255.1.2", "11.0.0.0"), ("192.0.2.1", "192.0.2.1", "192.0.2.2"),
            ("192.0.2.1/24", "192.0.2.200", "192.0.3.1"), ("0.0.0.0/0", "203.0.113.9", "2001:db8::1"),
            ("2001:db8::/32", "2001:db8:ffff::1", "2001:db9::1"), ("::1", "::1", "::2"),
            ("2001:db8::/65", "2001:db8::7fff:0:0:1", "2001:db8::8000:0:0:1"),
        ])
    func `A range contains the addresses that begin with its bits`(range: String, inside: String, outside: String)
        throws
    {
        let range = try #require(AddressRange(range))
        #expect(range.contains(try #require(IPAddress(inside))))
        #expect(!range.contains(try #require(IPAddress(outside))))
    }

    @Test(arguments: ["", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/x", "::/129", "example.com"])
    func `Anything else is no range`(text: String) {
        #expect(AddressRange(text) == nil)
    }
}

@Suite struct ForwardedAddressesTests {
    private static let proxies = ["10.0.0.0/8", "2001:db8:1::/48"].compactMap { AddressRange($0) }

    private func client(_ peer: String, _ fields: [(String, String)]) throws -> IPAddress {
        var headers = HTTPFields()
        for (name, value) in fields {
            headers.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        return ForwardedAddresses.client(
            peer: try #require(IPAddress(peer)), headers, proxies: Self.proxies)
    }

    @Test func `Somebody who is not a proxy is not believed`() throws {
        let fields = [("X-Forwarded-For", "192.0.2.9"), ("Forwarded", "for=192.0.2.9")]
        #expect(try client("203.0.113.1", fields) == IPAddress("203.0.113.1"))
    }

    @Test(
        arguments: [
            ("192.0.2.9", "192.0.2.9"), ("192.0.2.9:4711", "192.0.2.9"), ("1.2.3.4, 192.0.2.9", "192.0.2.9"),
            ("192.0.2.9, 10.0.0.7", "192.0.2.9"), ("1.2.3.4,192.0.2.9 , 10.9.9.9,10.0.0.7", "192.0.2.9"),
            ("2001:db8:2::9", "2001:db8:2::9"), ("[2001:db8:2::9]:80", "2001:db8:2::9"),
            ("10.0.0.8", "10.0.0.8"), ("192.0.2.9, nonsense", "10.0.0.1"),
            ("192.0.2.9, nonsense, 10.0.0.7", "10.0.0.7"),
            ("", "10.0.0.1"),
        ])
    func `X-Forwarded-For is read from right to left, up to the first address that is no proxy's`(
        value: String, expected: String
    ) throws {
        #expect(try client("10.0.0.1", [("X-Forwarded-For", value)]) == IPAddress(expected))
    }

    @Test(
        arguments: [
            ("for=192.0.2.9", "192.0.2.9"), ("For=\"192.0.2.9:4711\";proto=https;by=10.0.0.1", "192.0.2.9"),
            ("for=1.2.3.4, proto=https;for=192.0.2.9", "192.0.2.9"),
            ("for=192.0.2.9, for=10.0.0.7", "192.0.2.9"), ("for=\"[2001:db8:2::9]:80\"", "2001:db8:2::9"),
            ("for=192.0.2.9;host=\"a,b;for=1.2.3.4\"", "192.0.2.9"), ("for=unknown", "10.0.0.1"),
            ("for=192.0.2.9, for=_hidden", "10.0.0.1"), ("proto=https", "10.0.0.1"),
            ("for=192.0.2.9, for=unknown, for=10.0.0.7", "10.0.0.7"),
        ])
    func `Forwarded is read like RFC 7239 says, from right to left`(value: String, expected: String) throws {
        #expect(try client("10.0.0.1", [("Forwarded", value)]) == IPAddress(expected))
    }

    @Test func `Several fields of one name are one list`() throws {
        let fields = [
            ("X-Forwarded-For", "1.2.3.4"), ("X-Forwarded-For", "192.0.2.9"), ("X-Forwarded-For", "10.0.0.7"),
        ]
        #expect(try client("10.0.0.1", fields) == IPAddress("192.0.2.9"))
    }

    @Test func `If the two fields differ, neither is believed`() throws {
        let fields = [("X-Forwarded-For", "192.0.2.9"), ("Forwarded", "for=1.2.3.4")]
        #expect(try client("10.0.0.1", fields) == IPAddress("10.0.0.1"))
        let equal = [("X-Forwarded-For", "192.0.2.9"), ("Forwarded", "for=192.0.2.9")]
        #expect(try client("2001:db8:1::1", equal) == IPAddress("192.0.2.9"))
    }
}

@Suite struct AddressBucketsTests {
    private let start = ContinuousClock.now
    private let rate = TokenBucket.Rate(perSecond: 2, burst: 4)

    private func address(_ number: Int) throws -> IPAddress {
        try #require(IPAddress("10.\(number >> 16 & 255).\(number >> 8 & 255).\(number & 255)"))
    }

    @Test func `Each address has its own bucket`() throws {
        var buckets = AddressBuckets(rate, at: start)
        for _ in 0..<4 { #expect(try buckets.charge(address(1), at: start) == nil) }
        #expect(try buckets.charge(address(1), at: start) == 1)
        #expect(try buckets.charge(address(2), at: start) == nil)
        #expect(try buckets.charge(address(1), at: start + .milliseconds(500)) == nil)
        #expect(try buckets.charge(address(1), at: start + .milliseconds(500)) == 1)
    }

    @Test func `A bucket is remembered until it must be full again`() throws {
        var buckets = AddressBuckets(rate, at: start)
        // Used in the last moment before the parts change, and again before it can have filled up.
        let late = start + .milliseconds(3999)
        for _ in 0..<4 { #expect(try buckets.charge(address(1), at: late) == nil) }
        #expect(try buckets.charge(address(2), at: late + .milliseconds(2)) == nil)
        #expect(try buckets.charge(address(1), at: late + .milliseconds(2)) != nil)
        #expect(try buckets.charge(address(1), at: late + .milliseconds(502)) == nil)
    }

    @Test func `An address waits until it owes nothing, and it owes at most what its bucket can hold`() throws {
        var buckets = AddressBuckets(rate, at: start)
        try buckets.owe(100, by: address(1), at: start)
        #expect(try buckets.charge(address(1), at: start) == 3)
        #expect(try buckets.charge(address(1), at: start + .milliseconds(2400)) != nil)
        #expect(try buckets.charge(address(2), at: start + .milliseconds(2400)) == nil)
        #expect(try buckets.charge(address(1), at: start + .milliseconds(2600)) == nil)
    }

    @Test func `A debt is remembered until it is paid`() throws {
        var buckets = AddressBuckets(rate, at: start)
        // Made in the last moment before the parts change.
        let late = start + .milliseconds(3999)
        try buckets.owe(8, by: address(1), at: late)
        #expect(try buckets.charge(address(2), at: late + .milliseconds(2)) == nil)
        #expect(try buckets.charge(address(1), at: late + .milliseconds(2400)) != nil)
        #expect(try buckets.charge(address(1), at: late + .milliseconds(2600)) == nil)
    }

    @Test func `The number of remembered addresses has a limit, and the others share one bucket`() throws {
        var buckets = AddressBuckets(rate, at: start, limit: 100)
        for number in 0..<100 { #expect(try buckets.charge(address(number), at: start) == nil) }
        let others = try (100..<1000).map { try buckets.charge(address($0), at: start) }
        #expect(others.count { $0 == nil } == 4)
        #expect(buckets.count == 100)
        #expect(try buckets.charge(address(0), at: start) == nil)
        for second in 1..<20 {
            for number in 0..<200 {
                _ = try buckets.charge(address(number * 1000 + second), at: start + .seconds(second))
            }
            #expect(buckets.count <= 200)
        }
    }
}
