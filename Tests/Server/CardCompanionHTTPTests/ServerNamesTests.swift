import HTTPSignatures
import HTTPTypes
import NIOCore
import Testing

@testable import CardCompanionHTTP

/// From where back-ends' calls are served, and under which names.
@Suite struct ServerNamesTests {
    private func expected(
        _ names: [String] = [], from peer: String?, _ fields: [(String, String)] = []
    ) throws -> ExpectedAuthority {
        var headers = HTTPFields()
        for (name, value) in fields {
            headers.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        let address = try peer.map { try SocketAddress(ipAddress: $0, port: 4711) }
        return try ServerNames(names: names.compactMap { Authority($0) }).expected(from: address, headers)
    }

    @Test(arguments: ["127.0.0.1", "::1", "192.0.2.9", nil])
    func `With names, a call is served from everywhere, for these names`(peer: String?) throws {
        let expected = try expected(["a.example", "b.example"], from: peer, [("X-Forwarded-For", "192.0.2.9")])
        guard case .oneOf(let names) = expected else { throw Unexpected() }
        #expect(names == [Authority("a.example"), Authority("b.example")])
    }

    @Test(arguments: ["127.0.0.1", "127.0.0.2", "::1", "::ffff:127.0.0.1"])
    func `Without names, a call is served from loopback, with its Host`(peer: String) throws {
        for fields in [[], [("X-Forwarded-For", "127.0.0.1, ::1")], [("Forwarded", "for=\"[::1]:80\"")]] {
            guard case .asSent = try expected(from: peer, fields) else { throw Unexpected() }
        }
    }

    @Test(arguments: ["192.0.2.9", "2001:db8::1", "::", "::ffff:192.0.2.9", nil])
    func `Without names, a call from elsewhere or from a closed connection is refused`(peer: String?) throws {
        for fields in [[], [("X-Forwarded-For", "127.0.0.1")]] {
            let problem = #expect(throws: Problem.self) { _ = try expected(from: peer, fields) }
            #expect(problem?.status == .forbidden && problem?.kind == "names")
        }
    }

    @Test(
        arguments: [
            [("X-Forwarded-For", "192.0.2.9")], [("X-Forwarded-For", "192.0.2.9, 127.0.0.1")],
            [("X-Forwarded-For", "127.0.0.1"), ("X-Forwarded-For", "192.0.2.9")], [("X-Forwarded-For", "")],
            [("X-Forwarded-For", "unknown")], [("Forwarded", "for=192.0.2.9")], [("Forwarded", "proto=https")],
            [("Forwarded", "for=127.0.0.1"), ("X-Forwarded-For", "192.0.2.9")],
            [("Forwarded", "for=192.0.2.9"), ("X-Forwarded-For", "127.0.0.1")],
        ])
    func `Without names, a call that a proxy on this machine forwards from elsewhere is refused`(
        fields: [(String, String)]
    ) throws {
        let problem = #expect(throws: Problem.self) { _ = try expected(from: "127.0.0.1", fields) }
        #expect(problem?.status == .forbidden && problem?.kind == "names")
    }

    private struct Unexpected: Error {}
}
