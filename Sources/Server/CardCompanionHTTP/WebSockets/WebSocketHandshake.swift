internal import Cryptography
internal import HTTPTypes
internal import Hummingbird

/// The opening of a WebSocket (RFC 6455 section 4.2), without extensions and subprotocols.
enum WebSocketHandshake {
    private static let version = "13"
    private static let keyByteCount = 16
    /// RFC 6455 section 1.3.
    private static let identifier = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

    /// The fields of the answer 101.
    ///
    /// - Throws: ``Problem`` 426 if the request is not a valid opening; 403 if a browser sends it for a page.
    static func answer(to request: Request) throws(Problem) -> HTTPFields {
        let fields = request.headers
        guard request.method == .get, has("websocket", in: fields[values: .upgrade]),
            has("upgrade", in: fields[values: .connection]), hasNoBody(fields),
            fields[values: .secWebSocketVersion] == [version], let key = key(fields)
        else { throw required(fields: [.upgrade: "websocket"]) }
        // Apps send no Origin. A page of somebody else must not use the browser of a person who is in the bank's network.
        guard fields[.origin] == nil else { throw Problem(.forbidden, "Pages in browsers cannot open this WebSocket.") }
        let proof = HashAlgorithm.sha1.hash(Array((key + identifier).utf8))
        return [.upgrade: "websocket", .connection: "upgrade", .secWebSocketAccept: Base64.encode(proof)]
    }

    /// Over HTTP/2 there are no WebSockets here (RFC 8441), and no field Upgrade (RFC 9113 section 8.2.2).
    static var requiresHTTP1: Problem { required(fields: [:]) }

    private static func required(fields: HTTPFields) -> Problem {
        var fields = fields
        fields[.secWebSocketVersion] = version
        return Problem(
            .upgradeRequired, "This is a WebSocket of version 13 (RFC 6455). Open it over HTTP/1.1.", headers: fields)
    }

    private static func key(_ fields: HTTPFields) -> String? {
        let keys = fields[values: .secWebSocketKey]
        guard keys.count == 1, let key = keys.first, Base64.decode(key)?.count == keyByteCount else { return nil }
        return key
    }

    private static func hasNoBody(_ fields: HTTPFields) -> Bool {
        fields[.transferEncoding] == nil && (fields[.contentLength] ?? "0") == "0"
    }

    /// Whether a field that is a list has a name, whose case does not matter.
    static func has(_ name: String, in values: [String]) -> Bool {
        values.contains { value in
            value.split(separator: ",").contains { $0.filter { !$0.isWhitespace }.lowercased() == name }
        }
    }
}
