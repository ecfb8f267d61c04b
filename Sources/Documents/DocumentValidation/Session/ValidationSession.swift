package import EMRTD
package import SecureMemory

/// One session of document 003 on the server's side, as a state machine. It says what to send and to do; it sends and does
/// nothing itself. After ``Action/close`` nothing more comes from it.
///
/// START → ACCEPT → files, chip authentication, files → FINISH → the verification → its result → CLOSE.
package struct ValidationSession: Sendable {
    package typealias Instant = ContinuousClock.Instant

    /// What the server must do, in this order.
    package enum Action: Sendable {
        /// Find out whether the client and its check are known. The answer is ``accept()`` or ``refuse(_:)``.
        case admit(StartMessage)
        case send(ServerMessage)
        case sendBinary(BinaryMessage)
        /// Verify the document, post the result, and then call ``finish(result:)`` or ``refuse(_:)``.
        case verify(DocumentEvidence)
        /// A message for diagnostics: only its length may be logged. The server limits their rate.
        case monitoring(byteCount: Int)
        /// The session has failed, and the client has shown a document: let the bank know.
        case report(SessionFailure)
        /// Send the text CLOSE, and close the connection.
        case close(Closure)
    }

    private enum State: Sendable {
        case waitingForStart
        case admitting(deadline: Instant)
        case reading
        case authenticatingChip(ChipAuthentication, form: ChannelMessage, answerDeadline: Instant)
        case finishing(sendsResult: Bool)
        case closed

        /// What a client can send then.
        var expected: Set<ClientMessage.Kind> {
            switch self {
            case .waitingForStart: [.start]
            case .admitting, .closed: []
            case .reading: [.handOver, .finish, .monitoring]
            case .authenticatingChip, .finishing: [.monitoring]
            }
        }
    }

    /// The challenge for active authentication: 8 random bytes that are used once.
    package static let challengeByteCount = 8

    private let challenge: [UInt8]
    private let keyPairs: TerminalKeyPairs
    private let memory: FileMemory
    private let times: SessionTimes
    private let openedAt: Instant
    private var state = State.waitingForStart
    private var files = SessionFiles()
    /// The room of a message that is not complete.
    private var part: FileMemory.Place?
    private var allowsExtendedLength = false
    private var chipAuthentication: DocumentEvidence.ChipAuthenticationEvidence?

    /// - Parameters:
    ///   - challenge: ``challengeByteCount`` random bytes.
    ///   - keyPairs: makes the server's key for chip authentication.
    ///   - memory: where the files must find room.
    package init(
        challenge: [UInt8], keyPairs: TerminalKeyPairs = .random, memory: FileMemory, times: SessionTimes = .init(),
        openedAt now: Instant
    ) {
        self.challenge = challenge
        self.keyPairs = keyPairs
        self.memory = memory
        self.times = times
        openedAt = now
    }

    /// When ``timeOut(at:)`` must be called; nil if the session is closed.
    package var deadline: Instant? {
        let end = openedAt + times.session
        switch state {
        case .waitingForStart: return openedAt + times.start
        case .admitting(let deadline): return deadline
        case .authenticatingChip(_, _, let answerDeadline): return min(end, answerDeadline)
        case .reading, .finishing: return end
        case .closed: return nil
        }
    }

    /// The longest binary message that is allowed now, in bytes. Before a client is admitted, it cannot fill memory with
    /// files.
    package var binaryByteLimit: Int {
        if case .reading = state { return BinaryMessage.byteLimit }
        return BinaryMessage.apduByteLimit + 1
    }
}

// MARK: What happens

extension ValidationSession {
    /// A text message has come.
    package mutating func receive(text: consuming SecretBytes, at now: Instant) -> [Action] {
        part = nil
        if case .closed = state { return [] }
        do throws(CloseReason) {
            return try take(ClientMessage(text, expecting: state.expected), at: now)
        } catch {
            return close(error)
        }
    }

    /// A binary message has come.
    package mutating func receive(binary: Octets, at now: Instant) -> [Action] {
        part = nil
        do throws(CloseReason) {
            switch try BinaryMessage(binary) {
            case .file(let name, let content): return try take(file: content, named: name)
            case .apdu(let answer): return try take(answer: answer, at: now)
            }
        } catch {
            return close(error)
        }
    }

    /// A part of a message has come. It counts as files do: messages that never end must not fill the memory either.
    ///
    /// - Parameter partByteCount: 0 if there is none.
    package mutating func receive(partByteCount: Int) -> [Action] {
        part = nil
        if case .closed = state { return [] }
        guard partByteCount > 0 else { return [] }
        part = memory.place(byteCount: partByteCount)
        return part == nil ? close(.serverError) : []
    }

    /// The client and its check are known.
    package mutating func accept() -> [Action] {
        guard case .admitting = state else { return [] }
        state = .reading
        return [.send(.accept(challenge: challenge))]
    }

    /// The document was verified, and its result was posted.
    ///
    /// - Parameter result: the JSON that was posted.
    package mutating func finish(result: SharedSecret) -> [Action] {
        guard case .finishing(let sendsResult) = state else { return [] }
        state = .closed
        forget()
        return (sendsResult ? [.send(.result(result))] : []) + [.close(.normal)]
    }

    /// The session cannot go on.
    package mutating func refuse(_ reason: CloseReason) -> [Action] { close(reason) }

    /// The connection cannot go on, for a reason that document 003 does not have.
    package mutating func end(_ closure: Closure) -> [Action] { close(closure) }

    /// The client has ended the session itself. Nothing more can be sent.
    package mutating func end(by client: ClientEnd) -> [Action] {
        // Who cancels when the chip was found out is no proof of innocence.
        let isFailure = client.cause != ClientEnd.cancelledByUser || chipAuthentication?.result == .failed
        let report = isFailure ? report(cause: client.cause) : nil
        state = .closed
        forget()
        return report.map { [$0] } ?? []
    }

    /// The server stops, which is no failure of the document. A result that is under way can still be posted.
    package mutating func stop() -> [Action] {
        if case .finishing = state { return [] }
        return close(.goingAway, isFailure: false)
    }

    /// A deadline has passed.
    package mutating func timeOut(at now: Instant) -> [Action] {
        guard let deadline, deadline <= now else { return [] }
        switch state {
        case .waitingForStart: return close(.timeoutWhileWaitingForStartMessage)
        case .authenticatingChip where now < openedAt + times.session:
            return close(.timeoutWhileWaitingForResponse)
        // The server itself was too slow.
        case .admitting: return close(.serverError)
        default: return close(.maxSessionTimeExceeded)
        }
    }
}

// MARK: Messages

extension ValidationSession {
    private mutating func take(_ message: ClientMessage, at now: Instant) throws(CloseReason) -> [Action] {
        switch message {
        case .start(let start):
            state = .admitting(deadline: now + times.admission)
            allowsExtendedLength = start.allowsExtendedLength
            return [.admit(start)]
        case .monitoring(let byteCount): return [.monitoring(byteCount: byteCount)]
        case .handOver(let message): return try authenticateChip(message, at: now)
        case .finish(let message):
            state = .finishing(sendsResult: message.sendsResult)
            return [.verify(evidence(message.activeAuthenticationSignature, isComplete: true))]
        }
    }

    private mutating func take(file: Octets, named name: String) throws(CloseReason) -> [Action] {
        guard case .reading = state else {
            if case .closed = state { return [] }
            throw .unexpectedMessage
        }
        try files.add(file, named: name, in: memory, isDG1Known: chipAuthentication?.dg1 != nil)
        return []
    }

    private func evidence(_ signature: [UInt8]?, isComplete: Bool) -> DocumentEvidence {
        DocumentEvidence(
            files: files.known, chipAuthentication: chipAuthentication, challenge: challenge,
            activeAuthenticationSignature: signature, isComplete: isComplete, memory: files.places)
    }

    /// Nil if the client has shown no file of a chip, and if the document is being verified already.
    private func report(cause: String) -> Action? {
        switch state {
        case .reading where !files.known.isEmpty, .authenticatingChip:
            .report(SessionFailure(evidence: evidence(nil, isComplete: false), cause: cause))
        default: nil
        }
    }

    private mutating func close(_ reason: CloseReason) -> [Action] { close(Closure(reason)) }

    private mutating func close(_ closure: Closure, isFailure: Bool = true) -> [Action] {
        if case .closed = state { return [] }
        let report = isFailure ? report(cause: closure.cause) : nil
        state = .closed
        forget()
        return [report, .close(closure)].compactMap(\.self)
    }

    /// Nothing of the document stays here.
    private mutating func forget() {
        files = SessionFiles()
        part = nil
        chipAuthentication = nil
    }
}

// MARK: Chip authentication

extension ValidationSession {
    private mutating func authenticateChip(
        _ message: HandOverMessage, at now: Instant
    ) throws(CloseReason) -> [Action] {
        guard chipAuthentication == nil, let dg14 = files.known[.dataGroup(14)] else { throw .unexpectedMessage }
        guard
            let limits = ChipAuthentication.Limits(
                commandByteCount: message.maxTransceiveLength, blockByteCount: message.maxBlockSize,
                allowsExtendedLength: allowsExtendedLength)
        else { throw .protocolError }
        // If the chip's key cannot be read, the chip can prove nothing. The client goes on in its old channel, and the
        // verification decides.
        let infos = (try? SecurityInfos(dg14)) ?? .none
        var authentication = ChipAuthentication(
            infos, channel: message.channel.channel, limits: limits, keyPairs: keyPairs)
        let step = authentication.start()
        return try follow(step, authentication, message.channel, at: now)
    }

    private mutating func take(answer: Octets, at now: Instant) throws(CloseReason) -> [Action] {
        guard case .authenticatingChip(var authentication, let form, _) = state else {
            if case .closed = state { return [] }
            throw .protocolError
        }
        let step = authentication.receive(answer)
        return try follow(step, authentication, form, at: now)
    }

    private mutating func follow(
        _ step: ChipAuthentication.Step, _ authentication: ChipAuthentication, _ form: ChannelMessage, at now: Instant
    ) throws(CloseReason) -> [Action] {
        switch step {
        case .send(let command):
            state = .authenticatingChip(authentication, form: form, answerDeadline: now + times.answer)
            return [.sendBinary(.apdu(Octets(copying: command)))]
        case .finished(let outcome):
            guard let dg14 = files.known[.dataGroup(14)] else { throw .serverError }
            chipAuthentication = .init(
                result: outcome.result, dg14: dg14, dg1: outcome.handBack?.dg1, reason: outcome.reason)
            // The client goes on only with EF.DG1 and a channel.
            guard let handBack = outcome.handBack else { throw .fileReadError }
            state = .reading
            return [
                .sendBinary(.file(name: "dg1", handBack.dg1)),
                .send(.handBack(outcome.result, handBack.channel, as: form)),
            ]
        }
    }
}

/// A session that has failed after the client had shown a document.
package struct SessionFailure: Sendable {
    /// What is known of the document. It is not complete.
    package let evidence: DocumentEvidence
    /// Why: a reason of document 003, or another word that no client can choose.
    package let cause: String
}

/// The files that a client has sent.
private struct SessionFiles: Sendable {
    private(set) var known: [FileName: Octets] = [:]
    private(set) var places: [FileMemory.Place] = []
    private var byteCount = 0

    /// - Throws: ``CloseReason/protocolError`` if the file differs from an earlier one, or is too much;
    ///   ``CloseReason/serverError`` if the server has no room.
    mutating func add(
        _ file: Octets, named name: String, in memory: FileMemory, isDG1Known: Bool
    ) throws(CloseReason) {
        byteCount += file.count
        guard places.count < SessionLimits.fileCount, byteCount <= SessionLimits.fileByteCount else {
            throw .protocolError
        }
        guard let place = memory.place(byteCount: file.count) else { throw .serverError }
        places.append(place)
        // An unknown file is not kept, but counts.
        guard let name = FileName(name) else { return }
        // EF.DG1 is the one that the server has read itself.
        guard known[name].map({ $0 == file }) ?? true, name != .dataGroup(1) || !isDG1Known else {
            throw .protocolError
        }
        known[name] = file
    }
}
