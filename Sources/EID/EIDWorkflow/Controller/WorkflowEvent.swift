public import EIDInterface

/// What a ``WorkflowController`` tells an app.
public enum WorkflowEvent: Sendable, Equatable {
    /// The controller can be used.
    case started
    /// A message of the AusweisApp that means something now.
    case message(Message)
    /// A fault on this side of the AusweisApp. Report it.
    case wrapperError(WrapperError)

    static func fault(_ msg: String, _ error: String) -> WorkflowEvent {
        .wrapperError(WrapperError(msg: msg, error: error))
    }

    /// - Returns: nil for a message that is not for apps.
    init?(_ message: Message) {
        switch message {
        case .apiLevel, .unknown: return nil
        case .invalid(let error): self = .fault("INVALID", error ?? "")
        case .unknownCommand(let command): self = .fault("UNKNOWN_COMMAND", command)
        case .pause(let cause) where Cause(rawValue: cause) == nil: self = .fault("PAUSE", "Unknown cause")
        default: self = .message(message)
        }
    }

    /// The question again, with what is wrong with the last answer, as the AusweisApp asks it; nil if it is no question.
    init?(asking prompt: Message?, error: String) {
        switch prompt {
        case .enterPIN(let enter): self = .message(.enterPIN(EnterMessage(error: error, reader: enter.reader)))
        case .enterNewPIN(let enter): self = .message(.enterNewPIN(EnterMessage(error: error, reader: enter.reader)))
        case .enterCAN(let enter): self = .message(.enterCAN(EnterMessage(error: error, reader: enter.reader)))
        case .enterPUK(let enter): self = .message(.enterPUK(EnterMessage(error: error, reader: enter.reader)))
        default: return nil
        }
    }
}

extension WorkflowCallbacks {
    /// Calls the function for the event.
    func receive(_ event: WorkflowEvent) {
        switch event {
        case .started: onStarted()
        case .message(let message): receive(message)
        case .wrapperError(let error): onWrapperError(error: error)
        }
    }

    private func receive(_ message: Message) {
        switch message {
        case .accessRights(let rights): onAccessRights(error: rights.error, accessRights: rights)
        case .auth(.started): onAuthenticationStarted()
        case .auth(.refused(let error)): onAuthenticationStartFailed(error: error)
        case .auth(.finished(let outcome, let url)):
            onAuthenticationCompleted(authResult: AuthResult(url: url, result: outcome))
        case .badState(let command): onBadState(error: command)
        case .certificate(let certificate): onCertificate(certificateDescription: certificate)
        case .changePIN(.started): onChangePinStarted()
        case .changePIN(.finished(let success, let reason)):
            onChangePinCompleted(changePinResult: ChangePinResult(success: success, reason: reason))
        case .enterPIN(let enter): onEnterPin(error: enter.error, reader: enter.reader)
        case .enterNewPIN(let enter): onEnterNewPin(error: enter.error, reader: enter.reader)
        case .enterCAN(let enter): onEnterCan(error: enter.error, reader: enter.reader)
        case .enterPUK(let enter): onEnterPuk(error: enter.error, reader: enter.reader)
        case .info(let version): onInfo(versionInfo: version)
        case .insertCard(let error): onInsertCard(error: error)
        case .internalError(let error): onInternalError(error: error ?? "")
        case .pause(let cause): if let cause = Cause(rawValue: cause) { onPause(cause: cause) }
        case .reader(let reader): onReader(reader: reader)
        case .readerList(let readers): onReaderList(readers: readers)
        case .status(let status): onStatus(workflowProgress: status)
        case .apiLevel, .invalid, .unknownCommand, .unknown: break
        }
    }
}
