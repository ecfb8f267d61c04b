public import EIDInterface

/// What a ``WorkflowController`` tells an app (document 002). It calls on the main actor, and holds its callbacks weakly.
@MainActor
public protocol WorkflowCallbacks: AnyObject, Sendable {
    /// The controller can be used.
    func onStarted()
    /// The authentication has started.
    func onAuthenticationStarted()
    /// The authentication could not be started.
    func onAuthenticationStartFailed(error: String)
    /// The authentication has ended.
    func onAuthenticationCompleted(authResult: AuthResult)
    /// The PIN change has started.
    func onChangePinStarted()
    /// The PIN change has ended.
    func onChangePinCompleted(changePinResult: ChangePinResult)
    /// What the service wants. The error is about `setAccessRights`.
    func onAccessRights(error: String?, accessRights: AccessRights?)
    /// Who wants to read.
    func onCertificate(certificateDescription: CertificateDescription)
    /// A card is needed. The error is about `setCard`.
    func onInsertCard(error: String?)
    /// The workflow waits until `continueWorkflow`.
    func onPause(cause: Cause)
    /// A reader has come, has changed or has gone.
    func onReader(reader: Reader?)
    /// All readers.
    func onReaderList(readers: [Reader]?)
    /// The PIN is needed. The error is about the form of the last one.
    func onEnterPin(error: String?, reader: Reader)
    /// The PIN that the card will have is needed.
    func onEnterNewPin(error: String?, reader: Reader)
    /// The CAN is needed.
    func onEnterCan(error: String?, reader: Reader)
    /// The PUK is needed.
    func onEnterPuk(error: String?, reader: Reader)
    /// How far the workflow is.
    func onStatus(workflowProgress: WorkflowProgress)
    /// Which AusweisApp it is.
    func onInfo(versionInfo: VersionInfo)
    /// A fault on this side of the AusweisApp. Report it.
    func onWrapperError(error: WrapperError)
    /// The command with this name was not allowed. Report it.
    func onBadState(error: String)
    /// A fault of the AusweisApp. Report it.
    func onInternalError(error: String)
}
