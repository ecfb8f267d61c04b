extension Session {
    /// The workflow that runs.
    public enum Workflow: String, Sendable {
        /// After RUN_AUTH.
        case authentication = "AUTH"
        /// After RUN_CHANGE_PIN.
        case pinChange = "CHANGE_PIN"
    }

    /// What the AusweisApp waits for.
    public enum Prompt: Sendable, Equatable {
        /// ACCEPT.
        case accessRights
        /// A card.
        case card
        /// SET_PIN.
        case pin(ReaderMessage?)
        /// SET_NEW_PIN.
        case newPIN(ReaderMessage?)
        /// SET_CAN.
        case can(ReaderMessage?)
        /// SET_PUK.
        case puk(ReaderMessage?)
        /// CONTINUE.
        case pause

        /// Whether it asks for a PIN, a CAN or a PUK.
        public var asksForSecret: Bool {
            switch self {
            case .pin, .newPIN, .can, .puk: true
            case .accessRights, .card, .pause: false
            }
        }

        /// The reader that it names.
        public var reader: ReaderMessage? {
            switch self {
            case .pin(let reader), .newPIN(let reader), .can(let reader), .puk(let reader): reader
            case .accessRights, .card, .pause: nil
            }
        }
    }

    /// Where the session is.
    public enum State: Sendable, Equatable {
        /// There is no workflow.
        case idle
        /// RUN_AUTH or RUN_CHANGE_PIN was sent.
        case starting(Workflow)
        /// The AusweisApp works. It had asked for this before.
        case working(Workflow, after: Prompt?)
        /// The AusweisApp waits for the app.
        case waiting(Workflow, Prompt)
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

        /// What the AusweisApp waits for; nil if it waits for nothing.
        public var prompt: Prompt? {
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
