internal import CardCompanion
internal import CardCompanionAPI
internal import Hummingbird
internal import Logging

/// The four operations of PIN definition.
struct DefinitionRoutes {
    let definition: DefinitionService
    let callers: CallerLimits
    let refusals: RefusalCounts
    let audit: Logger
    let admission: Admission

    func add(to router: Router<ServiceContext>) {
        let definition = definition
        let fault = DefinitionCode.unexpectedError
        let keypads = CodedRoutes(
            callers: callers, refusals: refusals, audit: audit, admission: admission,
            fault: KeypadAnswer(errorCode: fault.rawValue, errorMessage: fault.message))
        let definitions = CodedRoutes(
            callers: callers, refusals: refusals, audit: audit, admission: admission,
            fault: StatusAnswer(errorCode: fault.rawValue, errorMessage: fault.message))

        keypads.post(APIPath.keypadCoordinates, on: router, charging: .everyRequest) { body, _ in
            KeypadAnswer(try await definition.makeKeypad(body))
        }
        definitions.post(APIPath.definePIN, on: router) { body, _ in
            try await definition.define(body)
            return .definitionSuccess
        }
        definitions.post(APIPath.definePINToken, on: router) { body, record in
            try await definition.defineWithToken(body, audit: &record)
            return .definitionSuccess
        }
        definitions.post(APIPath.definePINIndexes, on: router) { body, record in
            try await definition.defineWithIndexes(body, audit: &record)
            return .definitionSuccess
        }
    }
}

extension KeypadAnswer {
    fileprivate init(_ keypad: DefinitionService.Keypad) {
        self.init(
            errorCode: DefinitionCode.success.rawValue, errorMessage: DefinitionCode.success.message,
            keypad: keypad.entries, keypadId: keypad.id)
    }
}

extension StatusAnswer {
    fileprivate static let definitionSuccess = StatusAnswer(
        errorCode: DefinitionCode.success.rawValue, errorMessage: DefinitionCode.success.message)
}
