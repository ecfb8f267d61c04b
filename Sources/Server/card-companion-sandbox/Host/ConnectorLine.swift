/// A line from the connector: the host needs the PIN that a cardholder has defined. A line has more members than this host reads.
struct ConnectorLine: Decodable {
    let uniqueId: String
    /// The id of the event `pin.defined`.
    let event: String
    /// What was reported last: `pending` or `sent`.
    let state: String
}

/// The line that answers it.
struct ConnectorAnswer: Encodable {
    let uniqueId: String
    let event: String
    let state: String
    /// Why it has failed.
    var reason: String?
    /// When the connector asks again.
    var afterSeconds: Int?

    private init(_ line: ConnectorLine, _ state: String) {
        (uniqueId, event, self.state) = (line.uniqueId, line.event, state)
    }

    static func effective(_ line: ConnectorLine) -> Self { Self(line, "effective") }

    static func sent(_ line: ConnectorLine, afterSeconds: Int) -> Self {
        var answer = Self(line, "sent")
        answer.afterSeconds = afterSeconds
        return answer
    }

    static func pending(_ line: ConnectorLine, afterSeconds: Int) -> Self {
        var answer = Self(line, "pending")
        answer.afterSeconds = afterSeconds
        return answer
    }

    static func failed(_ line: ConnectorLine, reason: String) -> Self {
        var answer = Self(line, "failed")
        answer.reason = reason
        return answer
    }
}
