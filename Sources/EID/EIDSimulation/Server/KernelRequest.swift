internal import EIDInterface
internal import NIOHTTP1

/// What a request gets, before anything is connected (document 000, chapter 4; eid.md, part A).
enum KernelRequest: Equatable {
    /// The WebSocket.
    case kernel
    /// `GET /eID-Client?Status`.
    case status(json: Bool)
    case refused(HTTPResponseStatus)

    /// - Parameter scenario: whether the program is closed or busy.
    init(_ head: HTTPRequestHead, _ scenario: Scenario) {
        let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let query = parts.count == 2 ? parts[1].lowercased() : ""
        switch parts.first {
        // A page in a browser must not reach the kernel, neither by its origin nor by a name that leads to this machine.
        case _ where head.headers.contains(name: "Origin"), _ where !Self.isLocal(head.headers.first(name: "Host")):
            self = .refused(.forbidden)
        case "/eID-Kernel" where head.method == .GET:
            if scenario.isDisabled {
                self = .refused(.serviceUnavailable)
            } else {
                self = scenario.isBusy ? .refused(.conflict) : .kernel
            }
        case "/eID-Client" where head.method == .GET && (query == "status" || query.hasPrefix("status=")):
            self = .status(json: query == "status=json")
        default: self = .refused(.notFound)
        }
    }

    private static func isLocal(_ host: String?) -> Bool {
        guard let host else { return true }
        let name = host.hasPrefix("[") ? host.prefix { $0 != "]" } + "]" : host.prefix { $0 != ":" }
        return ["localhost", "127.0.0.1", "[::1]"].contains(name.lowercased())
    }

    /// The status page: lines, or JSON.
    static func statusPage(json: Bool) -> String {
        let members = SimulatedKernel.version.members.sorted { $0.name < $1.name }
        guard json else { return members.map { "\($0.name): \($0.value)\n" }.joined() }
        return "{" + members.map { #""\#($0.name)":"\#($0.value)""# }.joined(separator: ",") + "}"
    }
}
