internal import CardCompanion
internal import CardCompanionAPI
internal import HTTPTypes

extension RequestPriority {
    /// The priority of a request, by its head. Nil if it is always taken, and if only its route can judge.
    init?(_ head: HTTPRequest) {
        guard let path = head.path?.prefix(while: { $0 != "?" }), head.method != .options, head.method != .head
        else { return nil }
        if path.hasPrefix("/v1/pin-") {
            self.init(appPath: String(path))
        } else if path.hasPrefix("/v1/banks/") {
            self = path.hasSuffix("/cardholders:import") ? .importing : .backEnd
        } else {
            return nil
        }
    }

    /// - Parameter appPath: of an operation for apps.
    init(appPath: String) {
        self = appPath == APIPath.notify || appPath == APIPath.tokenNotify ? .confirmation : .cardholder
    }
}
