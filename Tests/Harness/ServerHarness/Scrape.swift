internal import Foundation
internal import Synchronization

extension TestServer {
    /// Settings that let a server serve its metrics on a free port.
    package static let metricsOn = ["ADMIN_PORT": "0"]

    /// The port of the admin listener, which can open later than the server's own.
    ///
    /// - Throws: ``NeverHappened`` if the log does not name it in time.
    package var adminPort: Int {
        get async throws {
            if let known = knownAdminPort.withLock(\.self) { return known }
            try await eventually("the admin listener is open") { loggedAdminPort != nil }
            let port = try loggedAdminPort.orThrow(ServerFailed(log: log))
            knownAdminPort.withLock { $0 = port }
            return port
        }
    }

    private var loggedAdminPort: Int? {
        log.firstMatch(of: /metrics"?[=:]"?http:\/\/[^:]+:(\d+)\/metrics/).flatMap { Int($0.1) }
    }

    /// Sends a request to the admin listener, on a new connection.
    ///
    /// - Parameter hosts: each is a field `Host`.
    package func adminRequest(
        _ method: String, _ path: String, hosts: [String] = ["localhost"]
    ) async throws -> HTTPAnswer {
        let fields = hosts.map { "Host: \($0)\r\n" }.joined()
        let head = "\(method) \(path) HTTP/1.1\r\n\(fields)Connection: close\r\n\r\n"
        let port = try await adminPort
        let bytes = try await HTTPClient.exchange(Array(head.utf8), to: HTTPClient.loopback, port: port)
        return try HTTPClient.answers(in: bytes, toHead: method == "HEAD").first.orThrow(HTTPClient.NoAnswer())
    }

    /// The metrics as they are now.
    package func scrape() async throws -> Scrape {
        Scrape(text: String(decoding: try await adminRequest("GET", "/metrics").body, as: UTF8.self))
    }
}

/// A server's metrics at one time.
package struct Scrape: Sendable {
    package let text: String
    /// The values, by series, written as in the text: `name{label="value"}`.
    package let values: [String: Double]
    /// The types of the metrics, by name.
    package let types: [String: String]

    init(text: String) {
        self.text = text
        var values: [String: Double] = [:]
        var types: [String: String] = [:]
        // By bytes: tests that wait for a value read this text many times.
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
            if line.starts(with: "# TYPE ".utf8) {
                let parts = line.split(separator: UInt8(ascii: " "))
                types[String(Substring(parts[2]))] = String(Substring(parts[3]))
            } else if line.first != UInt8(ascii: "#"), let space = line.lastIndex(of: UInt8(ascii: " ")) {
                values[String(Substring(line[..<space]))] = Double(Substring(line[line.index(after: space)...]))
            }
        }
        (self.values, self.types) = (values, types)
    }

    /// The value of a series; nil if there is none.
    package subscript(_ series: String) -> Double? { values["card_companion_\(series)"] }

    /// The names of all lines: also those of the parts of histograms.
    package var names: Set<String> {
        types.reduce(into: []) { names, type in
            names.insert(type.key)
            if type.value == "histogram" { names.formUnion(["_bucket", "_sum", "_count"].map { type.key + $0 }) }
        }
    }
}
