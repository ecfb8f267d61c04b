import HTTPSignatures
import HTTPTypes

@testable import CardCompanionHTTP

/// The fields of a request's head that the server reads itself, one per line: traceparent, X-Forwarded-For, Forwarded, Host.
enum RequestHeadInput {
    static func read(_ bytes: [UInt8]) {
        let lines = bytes.lines(atMost: 4)
        if let trace = TraceParent(lines[0]) {
            require(TraceParent(trace.text) == trace, "the trace is read as another")
        }
        readForwarded(lines[1], lines[2])
        if let authority = Authority(lines[3]) {
            require(Authority(authority.description) == authority, "the authority is read as another")
        }
        _ = AddressRange(lines[3])
    }

    private static func readForwarded(_ xForwardedFor: String, _ forwarded: String) {
        guard let peer = IPAddress("10.0.0.1"), let proxies = AddressRange("10.0.0.0/8"),
            let first = HTTPField.Name("X-Forwarded-For"), let second = HTTPField.Name("Forwarded")
        else { preconditionFailure("the addresses of the proxies are wrong") }
        var headers = HTTPFields()
        headers[first] = xForwardedFor
        headers[second] = forwarded
        _ = ForwardedAddresses.areLoopback(headers)
        let client = ForwardedAddresses.client(peer: peer, headers, proxies: [proxies])
        require(
            ForwardedAddresses.client(peer: peer, HTTPFields(), proxies: [proxies]) == peer, "no field names a client")
        require(ForwardedAddresses.client(peer: client, headers, proxies: []) == client, "a stranger was believed")
    }
}
