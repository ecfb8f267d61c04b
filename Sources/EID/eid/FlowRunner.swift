import ArgumentParser
import EIDInterface
import EIDWorkflow
import Foundation

/// What the flows have in common.
protocol CardFlow {
    mutating func begin() -> [FlowAction]
    mutating func receive(_ event: WorkflowEvent) -> [FlowAction]
    mutating func enterPIN(_ pin: CardSecret) -> [FlowAction]
    mutating func enterNewPIN(_ pin: CardSecret) -> [FlowAction]
    mutating func enterCAN(_ can: CardSecret) -> [FlowAction]
    mutating func enterPUK(_ puk: CardSecret) -> [FlowAction]
    mutating func consent(to optional: [AccessRight]) -> [FlowAction]
    mutating func goOn() -> [FlowAction]
    mutating func cancel() -> [FlowAction]
    var pinKind: CardSecret.Kind { get }
}

extension PINChange: CardFlow {
    var pinKind: CardSecret.Kind { .pinOrTransportPIN }
    mutating func consent(to optional: [AccessRight]) -> [FlowAction] { [] }
}

extension Authentication: CardFlow {
    var pinKind: CardSecret.Kind { .pin }
    mutating func enterNewPIN(_ pin: CardSecret) -> [FlowAction] { [] }
}

/// Runs a flow in the terminal, from the connection to its last screen.
@MainActor
final class FlowRunner<Flow: CardFlow> {
    private var flow: Flow
    private let controller: WorkflowController
    private let output: Output
    private var end: Result<Void, any Error>?
    private var lastScreen: FlowScreen?

    init(_ flow: Flow, _ controller: WorkflowController, _ output: Output) {
        self.flow = flow
        self.controller = controller
        self.output = output
    }

    /// - Throws: ``Failure`` or an exit code if the flow did not reach its aim.
    func run() async throws {
        let events = controller.events()
        controller.start()
        defer { controller.stop() }
        for await event in events {
            switch event {
            case .started: await follow(flow.begin())
            case .wrapperError(let error) where !controller.isStarted: throw Failure(error.error)
            default: await follow(flow.receive(event))
            }
            if let end { return try end.get() }
        }
    }

    private func follow(_ actions: [FlowAction]) async {
        var waiting = actions
        while !waiting.isEmpty {
            let action = waiting.removeFirst()
            switch action {
            case .show(let screen): waiting += await show(screen)
            case .report(let text): output.ask("Please report this fault: \(text)")
            default: controller.perform(action)
            }
        }
    }

    private func show(_ screen: FlowScreen) async -> [FlowAction] {
        switch screen {
        case .askPIN(let tries, let error):
            let prompt = (flow.pinKind == .pin ? "PIN" : "PIN or transport PIN") + Self.tries(tries) + Self.error(error)
            guard let pin = await Prompt.secret(prompt, flow.pinKind) else { return flow.cancel() }
            return flow.enterPIN(pin)
        case .askNewPIN(let error): return await askNewPIN(error)
        case .askCAN(let wasWrong, let tries, let error):
            let prompt = "\(wasWrong ? "The CAN was wrong. " : "")CAN, on the front of the card"
            guard let can = await Prompt.secret(prompt + Self.tries(tries) + Self.error(error), .can) else {
                return flow.cancel()
            }
            return flow.enterCAN(can)
        case .askPUK(let wasWrong, let error):
            let prompt = "\(wasWrong ? "The PUK was wrong. " : "The PIN is blocked. ")PUK\(Self.error(error))"
            guard let puk = await Prompt.secret(prompt, .puk) else { return flow.cancel() }
            return flow.enterPUK(puk)
        case .askConsent(let rights, let certificate): return await askConsent(rights, certificate)
        case .holdCardStill:
            guard await Prompt.key("The card is not well placed. Move it, and press Enter.") != nil else {
                return flow.cancel()
            }
            return flow.goOn()
        default:
            write(screen)
            return []
        }
    }

    private func askNewPIN(_ error: String?) async -> [FlowAction] {
        while true {
            guard let pin = await Prompt.secret("New PIN, 6 digits\(Self.error(error))", .newPIN),
                let again = await Prompt.secret("New PIN again", .newPIN)
            else { return flow.cancel() }
            if pin.equals(again) { return flow.enterNewPIN(pin) }
            output.ask("The two PINs are different.")
        }
    }

    private func askConsent(_ rights: AccessRights, _ certificate: CertificateDescription) async -> [FlowAction] {
        output.ask(Self.text(rights, certificate))
        var granted: [AccessRight] = []
        for right in rights.chat.optional {
            guard let isYes = await Prompt.isYes("May it also read \(AccessRightText(right).english)?") else {
                return flow.cancel()
            }
            if isYes { granted.append(right) }
        }
        return await Prompt.isYes("May it read this?") == true ? flow.consent(to: granted) : flow.cancel()
    }

    private static func text(_ rights: AccessRights, _ certificate: CertificateDescription) -> String {
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withFullDate]
        return """
            \(certificate.subjectName) \(certificate.subjectUrl)
            wants to read: \(rights.chat.required.map { AccessRightText($0).english }.joined(separator: ", "))
            for: \(certificate.purpose)
            \(rights.transactionInfo ?? "")
            Its certificate is from \(certificate.issuerName) \(certificate.issuerUrl), \
            valid until \(formatter.string(from: certificate.validity.expirationDate)).
            \(certificate.termsOfUsage)
            """
    }

    private func write(_ screen: FlowScreen) {
        guard screen != lastScreen else { return }
        lastScreen = screen
        switch screen {
        case .presentCard: output.write("presentCard", text: "Put the card on the reader.")
        case .working(let progress):
            output.write(
                "working", progress: progress,
                text: "Leave the card where it is.\(progress.map { " (\($0) %)" } ?? "")")
        case .useKeypad: output.write("useKeypad", text: "Enter it with the reader's keypad.")
        case .cardIsDeactivated:
            output.write("cardIsDeactivated", text: "The eID function of this card is turned off. Use another card.")
        case .cardIsInoperative:
            output.write(
                "cardIsInoperative", text: "The PUK cannot be used any more. Ask the authority that issued the card.")
        case .cardIsUnknown: output.write("cardIsUnknown", text: "This card has no eID function. Use another card.")
        case .pinIsChanged:
            output.write("pinIsChanged", text: "The card has its new PIN.")
            end = .success(())
        case .isAuthenticated(let url):
            output.write(
                "isAuthenticated", url: url, text: "Done. Continue at \(url?.absoluteString ?? "the service").")
            end = .success(())
        case .isCancelled(let url):
            output.write("isCancelled", url: url, text: "Ended. Nothing was changed or read.")
            end = .failure(ExitCode(2))
        case .hasFailed(let message, let url):
            output.write("hasFailed", url: url, message: message, text: "It failed. \(message ?? "")")
            end = .failure(ExitCode.failure)
        case .askPIN, .askNewPIN, .askCAN, .askPUK, .askConsent, .holdCardStill: break
        }
    }

    private static func tries(_ tries: Int?) -> String {
        switch tries {
        case nil: ""
        case 1: " (one try left)"
        case let tries?: " (\(tries) tries left)"
        }
    }

    private static func error(_ error: String?) -> String { error.map { " (\($0))" } ?? "" }
}
