extension Session {
    /// The workflow that runs.
    public enum Workflow: String, Sendable {
        /// After RUN_AUTH.
        case authentication = "AUTH"
        /// After RUN_CHANGE_PIN.
        case pinChange = "CHANGE_PIN"
    }

    /// Where the session is.
    public enum State: Sendable, Equatable {
        /// There is no workflow.
        case idle
        /// RUN_AUTH or RUN_CHANGE_PIN was sent.
        case starting(Workflow)
        /// The AusweisApp works. It had asked for this before.
        case working(Workflow, after: Message?)
        /// The AusweisApp waits for the app, the cardholder or a card, after this message.
        case waiting(Workflow, Message)
        /// CANCEL was sent.
        case cancelling(Workflow)

        /// The workflow; nil if there is none.
        public var workflow: Workflow? {
            switch self {
            case .idle: nil
            case .starting(let workflow), .working(let workflow, _), .waiting(let workflow, _),
                .cancelling(let workflow):
                workflow
            }
        }

        /// The message after which it waits; nil if it waits for nothing.
        public var prompt: Message? {
            if case .waiting(_, let prompt) = self { prompt } else { nil }
        }
    }

    /// Why a command is not sent.
    public enum Refusal: Error, Equatable, Sendable {
        /// It is not allowed now. The AusweisApp would answer BAD_STATE.
        case badState
        /// The level does not have the command, or one of its parameters.
        case level
        /// Its value has the wrong form. The AusweisApp would ask again, with this error.
        case value(String)
    }
}

extension Command.Name {
    /// The message after which it is allowed; nil if it does not need one.
    package var prompt: Message.Name? {
        switch self {
        case .getAccessRights, .setAccessRights, .getCertificate, .accept: .accessRights
        case .setPIN: .enterPIN
        case .setNewPIN: .enterNewPIN
        case .setCAN: .enterCAN
        case .setPUK: .enterPUK
        case .setCard: .insertCard
        case .continueWorkflow: .pause
        default: nil
        }
    }
}

extension Message.Name {
    /// What it asks for in this workflow; nil if it asks for no secret.
    package func secret(in workflow: Session.Workflow) -> CardSecret.Kind? {
        switch self {
        case .enterPIN: workflow == .pinChange ? .pinOrTransportPIN : .pin
        case .enterNewPIN: .newPIN
        case .enterCAN: .can
        case .enterPUK: .puk
        default: nil
        }
    }
}
