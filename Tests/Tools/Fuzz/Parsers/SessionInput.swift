import DocumentValidation
import EMRTD
import SecureMemory

/// A session of document verification whose client sends anything: each message has a byte for its kind (an even number is a
/// text), two for its length, and its content.
enum SessionInput {
    private static let messageLimit = 64

    static func read(_ bytes: [UInt8]) {
        let start = ContinuousClock.now
        let memory = FileMemory()
        var session = ValidationSession(
            challenge: [UInt8](repeating: 7, count: ValidationSession.challengeByteCount), memory: memory,
            openedAt: start)
        var rest = bytes[...]
        var isClosed = false
        for _ in 0..<messageLimit {
            guard rest.count >= 3 else { break }
            let head = Array(rest.prefix(3))
            let content = Array(rest.dropFirst(3).prefix(Int(head[1]) << 8 | Int(head[2])))
            rest = rest.dropFirst(3 + content.count)
            var actions =
                head[0].isMultiple(of: 2)
                ? session.receive(text: SecretBytes(copying: content), at: start)
                : session.receive(binary: Octets(copying: content), at: start)
            require(!isClosed || actions.isEmpty, "a closed session answers")
            if case .admit? = actions.first { actions += session.accept() }
            for action in actions { isClosed = follow(action) || isClosed }
            require(isClosed == (session.deadline == nil), "a session waits for nobody")
        }
        _ = session.refuse(.communicationFailed)
        require(memory.takenByteCount == 0, "a closed session keeps files")
    }

    /// Whether the session is closed.
    private static func follow(_ action: ValidationSession.Action) -> Bool {
        switch action {
        case .send(let message):
            if case .handBack(let result, _, _) = message {
                require(result != .success, "nobody has proven that they have a chip's key")
            }
            require((try? message.text()) != nil, "a message has no text")
        case .sendBinary(let message): require(message.encoded.bytes.count > 1, "a message is empty")
        case .report(let failure):
            require(!failure.evidence.isComplete, "a session that has failed counts as read")
        case .close: return true
        case .admit, .verify, .monitoring: break
        }
        return false
    }
}
