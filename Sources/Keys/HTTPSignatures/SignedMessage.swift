package import HTTPTypes

/// The parts of a request or a response that signatures can cover: control data and fields, as they were sent.
package struct SignedMessage: Sendable {
    enum Control: Sendable {
        case request(RequestControl)
        case response(status: Int)
    }

    struct RequestControl: Sendable {
        let method: String
        let scheme: String?
        let authority: String?
        let target: String
    }

    private(set) var control: Control

    /// The values of each field's lines, without white space around them and without line folding.
    private var fields: [HTTPField.Name: [String]] = [:]

    /// A request.
    ///
    /// - Parameters:
    ///   - target: the target in the request line, such as `/path?query`.
    ///   - fields: names and values in their order. Names that HTTP does not allow are ignored.
    package init(method: String, scheme: String?, authority: String?, target: String, fields: [(String, String)]) {
        control = .request(RequestControl(method: method, scheme: scheme, authority: authority, target: target))
        for (name, value) in fields { append(value, to: name) }
    }

    package init(status: Int, fields: [(String, String)]) {
        control = .response(status: status)
        for (name, value) in fields { append(value, to: name) }
    }

    /// A request that a server received or a client will send.
    ///
    /// - Parameter scheme: the scheme that the client used (`https` or `http`), if a proxy hides it. It is part of
    ///   `@scheme` and `@target-uri`, and decides which default port `@authority` omits.
    package init(_ request: HTTPRequest, scheme: String? = nil) {
        let host = request.authority.map { [("Host", $0)] } ?? []
        let hasHost = request.headerFields.contains(.host)
        self.init(
            method: request.method.rawValue, scheme: scheme ?? request.scheme,
            authority: request.authority ?? request.headerFields[.host], target: request.path ?? "",
            fields: (hasHost ? [] : host) + request.headerFields.map { ($0.name.rawName, $0.value) })
    }

    /// A response that a client received or a server will send.
    package init(_ response: HTTPResponse) {
        self.init(
            status: response.status.code, fields: response.headerFields.map { ($0.name.rawName, $0.value) })
    }

    /// The authority of the request as it was sent; nil for a response.
    package var authority: String? {
        guard case .request(let request) = control else { return nil }
        return request.authority
    }

    /// The same request to another authority. Its fields do not change, nor does a response.
    func addressed(to authority: Authority) -> SignedMessage {
        guard case .request(let request) = control else { return self }
        var message = self
        message.control = .request(
            RequestControl(
                method: request.method, scheme: request.scheme, authority: authority.description,
                target: request.target))
        return message
    }

    /// Whether the request has a query, even an empty one.
    package var hasQuery: Bool {
        guard case .request(let request) = control else { return false }
        return request.target.contains("?")
    }

    /// The value of a field (RFC 9421 section 2.1): its lines joined with a comma and a space.
    package func value(of field: HTTPField.Name) -> String? {
        fields[field]?.joined(separator: ", ")
    }

    private mutating func append(_ value: String, to name: String) {
        guard let name = HTTPField.Name(name) else { return }
        fields[name, default: []].append(Self.unfolded(value))
    }

    /// Replaces line folding (RFC 9112 section 5.2) with one space. Any other line end remains, and is refused if the
    /// value becomes part of a signature base.
    private static func unfolded(_ value: String) -> String {
        let lines = value.split(separator: "\r\n", omittingEmptySubsequences: false)
        guard lines.dropFirst().allSatisfy({ $0.first.map(isWhiteSpace) ?? false }) else { return trimmed(value[...]) }
        return lines.map(trimmed).filter { !$0.isEmpty }.joined(separator: " ")
    }

    private static func trimmed(_ line: Substring) -> String {
        var line = line.drop(while: isWhiteSpace)
        while let last = line.last, isWhiteSpace(last) { line.removeLast() }
        return String(line)
    }

    private static func isWhiteSpace(_ character: Character) -> Bool {
        character == " " || character == "\t"
    }
}
