public import EIDInterface

/// The one controller of an app, under the name of document 002.
public enum AA2SDKWrapper {
    private static let storedTransport = Locked<(any KernelTransport)?>(nil)

    /// The way to the AusweisApp. An app sets it before it starts the controller.
    public static var transport: (any KernelTransport)? {
        get { storedTransport.value }
        set { storedTransport.value = newValue }
    }

    /// The controller, which connects through ``transport``.
    public static let workflowController = WorkflowController(patience: Patience()) { transport }
}
