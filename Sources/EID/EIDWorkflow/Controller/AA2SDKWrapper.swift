public import EIDInterface

/// The one controller of an app, under the name of document 002.
@MainActor
public enum AA2SDKWrapper {
    /// The way to the AusweisApp. An app sets it before it starts the controller.
    public static var transport: (any KernelTransport)?

    /// The controller, which connects through ``transport``.
    public static let workflowController = WorkflowController(patience: Patience()) { transport }
}
