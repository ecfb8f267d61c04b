public import EIDInterface
internal import Foundation

/// What a ``WorkflowController`` tells an app: one case for each function of ``WorkflowCallbacks``.
public enum WorkflowEvent: Sendable, Equatable {
    case started
    case authenticationStarted
    case authenticationStartFailed(error: String)
    case authenticationCompleted(AuthResult)
    case changePinStarted
    case changePinCompleted(ChangePinResult)
    case accessRights(error: String?, AccessRights?)
    case certificate(CertificateDescription)
    case insertCard(error: String?)
    case pause(Cause)
    case reader(Reader?)
    case readerList([Reader]?)
    case enterPin(error: String?, Reader)
    case enterNewPin(error: String?, Reader)
    case enterCan(error: String?, Reader)
    case enterPuk(error: String?, Reader)
    case status(WorkflowProgress)
    case info(VersionInfo)
    case wrapperError(WrapperError)
    case badState(error: String)
    case internalError(error: String)

    @MainActor
    func call(_ callbacks: any WorkflowCallbacks) {
        switch self {
        case .started: callbacks.onStarted()
        case .authenticationStarted: callbacks.onAuthenticationStarted()
        case .authenticationStartFailed(let error): callbacks.onAuthenticationStartFailed(error: error)
        case .authenticationCompleted(let result): callbacks.onAuthenticationCompleted(authResult: result)
        case .changePinStarted: callbacks.onChangePinStarted()
        case .changePinCompleted(let result): callbacks.onChangePinCompleted(changePinResult: result)
        case .accessRights(let error, let rights): callbacks.onAccessRights(error: error, accessRights: rights)
        case .certificate(let certificate): callbacks.onCertificate(certificateDescription: certificate)
        case .insertCard(let error): callbacks.onInsertCard(error: error)
        case .pause(let cause): callbacks.onPause(cause: cause)
        case .reader(let reader): callbacks.onReader(reader: reader)
        case .readerList(let readers): callbacks.onReaderList(readers: readers)
        case .enterPin(let error, let reader): callbacks.onEnterPin(error: error, reader: reader)
        case .enterNewPin(let error, let reader): callbacks.onEnterNewPin(error: error, reader: reader)
        case .enterCan(let error, let reader): callbacks.onEnterCan(error: error, reader: reader)
        case .enterPuk(let error, let reader): callbacks.onEnterPuk(error: error, reader: reader)
        case .status(let progress): callbacks.onStatus(workflowProgress: progress)
        case .info(let version): callbacks.onInfo(versionInfo: version)
        case .wrapperError(let error): callbacks.onWrapperError(error: error)
        case .badState(let error): callbacks.onBadState(error: error)
        case .internalError(let error): callbacks.onInternalError(error: error)
        }
    }
}

// MARK: From messages

extension WorkflowEvent {
    /// - Returns: nil for a message without a callback.
    init?(_ message: Message) {
        switch message {
        case .accessRights(let message): self = .accessRights(error: message.error, AccessRights(message))
        case .apiLevel, .unknown: return nil
        case .auth(.started): self = .authenticationStarted
        case .auth(.refused(let error)): self = .authenticationStartFailed(error: error)
        case .auth(.finished(let outcome, let url)):
            self = .authenticationCompleted(
                AuthResult(url: url.flatMap { URL(string: $0) }, result: outcome.map(AuthResultData.init)))
        case .badState(let command): self = .badState(error: command)
        case .certificate(let message): self = .certificate(CertificateDescription(message))
        case .changePIN(.started): self = .changePinStarted
        case .changePIN(.finished(let success, let reason)):
            self = .changePinCompleted(ChangePinResult(success: success, reason: reason))
        case .enterPIN(let enter), .enterNewPIN(let enter), .enterCAN(let enter), .enterPUK(let enter):
            self = Self.enter(message, enter)
        case .info(let version): self = .info(version)
        case .insertCard(let error): self = .insertCard(error: error)
        case .internalError(let error): self = .internalError(error: error ?? "")
        case .invalid(let error): self = .fault(message.name, error ?? "")
        case .unknownCommand(let command): self = .fault(message.name, command)
        case .reader(let reader): self = .reader(Reader(reader))
        case .readerList(let readers): self = .readerList(readers.map(Reader.init))
        case .status(let status): self = .status(WorkflowProgress(status))
        case .pause(let cause):
            self = Cause(rawValue: cause).map { .pause($0) } ?? .fault(message.name, "Unknown cause")
        }
    }

    static func fault(_ msg: String, _ error: String) -> WorkflowEvent {
        .wrapperError(WrapperError(msg: msg, error: error))
    }

    private static func enter(_ message: Message, _ enter: EnterMessage) -> WorkflowEvent {
        guard let reader = enter.reader.map(Reader.init) else { return fault(message.name, "Missing reader object") }
        return switch message {
        case .enterNewPIN: .enterNewPin(error: enter.error, reader)
        case .enterCAN: .enterCan(error: enter.error, reader)
        case .enterPUK: .enterPuk(error: enter.error, reader)
        default: .enterPin(error: enter.error, reader)
        }
    }

    /// Asks for a value again, as the AusweisApp does after one of the wrong form.
    init?(asking prompt: Session.Prompt?, error: String) {
        guard let reader = prompt?.reader.map(Reader.init) else { return nil }
        switch prompt {
        case .pin: self = .enterPin(error: error, reader)
        case .newPIN: self = .enterNewPin(error: error, reader)
        case .can: self = .enterCan(error: error, reader)
        case .puk: self = .enterPuk(error: error, reader)
        case .accessRights, .card, .pause, nil: return nil
        }
    }
}

extension AuthResultData {
    init(_ outcome: AuthMessage.Outcome) {
        self.init(
            major: outcome.major, minor: outcome.minor, language: outcome.language, description: outcome.description,
            message: outcome.message, reason: outcome.reason)
    }
}

extension AccessRights {
    init?(_ message: AccessRightsMessage) {
        guard let chat = message.chat else { return nil }
        self.init(
            requiredRights: chat.required, optionalRights: chat.optional, effectiveRights: chat.effective,
            transactionInfo: message.transactionInfo, auxiliaryData: message.aux.map(AuxiliaryData.init))
    }
}

extension AuxiliaryData {
    init(_ aux: AccessRightsMessage.AuxiliaryData) {
        self.init(
            ageVerificationDate: aux.ageVerificationDate?.start, requiredAge: aux.requiredAge.flatMap { Int($0) },
            validityDate: aux.validityDate?.start, communityId: aux.communityId)
    }
}

extension CertificateDescription {
    init(_ message: CertificateMessage) {
        let description = message.description
        self.init(
            issuerName: description.issuerName, issuerUrl: URL(string: description.issuerUrl),
            purpose: description.purpose, subjectName: description.subjectName,
            subjectUrl: URL(string: description.subjectUrl), termsOfUsage: description.termsOfUsage,
            validity: CertificateValidity(
                effectiveDate: message.validity.effectiveDate.start,
                expirationDate: message.validity.expirationDate.start))
    }
}

extension Reader {
    init(_ reader: ReaderMessage) {
        self.init(
            name: reader.name, insertable: reader.insertable, attached: reader.attached, keypad: reader.keypad,
            card: reader.card.map(Card.init))
    }
}

extension Card {
    init(_ card: CardMessage) {
        self.init(deactivated: card.deactivated, inoperative: card.inoperative, pinRetryCounter: card.retryCounter)
    }
}

extension WorkflowProgress {
    init(_ status: StatusMessage) {
        self.init(
            workflow: status.workflow.flatMap(WorkflowProgressType.init), progress: status.progress, state: status.state
        )
    }
}
