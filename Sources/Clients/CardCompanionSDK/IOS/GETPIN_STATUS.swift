// The names of this type are the SDK document's.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Whether the app showed the PIN, with the names of the SDK document's section 5.2. In Swift also ``NotifyStatus``.
#if canImport(ObjectiveC)
    @objc
#endif
public enum GETPIN_STATUS: Int, CaseIterable, Sendable {
    /// The app showed the PIN. This confirms the delivery.
    #if canImport(ObjectiveC)
        @objc(SUCCESS)
    #endif
    case SUCCESS = 0
    /// The app could not use the server's answer.
    #if canImport(ObjectiveC)
        @objc(SERVER_ERROR)
    #endif
    case SERVER_ERROR = 1
    /// The app could not show the PIN.
    #if canImport(ObjectiveC)
        @objc(APP_ERROR)
    #endif
    case APP_ERROR = 2
}
