internal import CardCompanion
internal import CardCompanionAPI
internal import CardCompanionModel
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
            fault: DefinitionAnswer(errorCode: fault.rawValue, errorMessage: fault.message))

        keypads.post(APIPath.keypadCoordinates, on: router, charging: .everyRequest) { body, _ in
            KeypadAnswer(try await definition.makeKeypad(body))
        }
        definitions.post(APIPath.definePIN, on: router) { body, _ in
            DefinitionAnswer(try await definition.define(body))
        }
        definitions.post(APIPath.definePINToken, on: router) { body, record in
            DefinitionAnswer(try await definition.defineWithToken(body, audit: &record))
        }
        definitions.post(APIPath.definePINIndexes, on: router) { body, record in
            DefinitionAnswer(try await definition.defineWithIndexes(body, audit: &record))
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

extension DefinitionAnswer {
    fileprivate init(_ effect: DefinedPINEffect) {
        self.init(
            errorCode: DefinitionCode.success.rawValue, errorMessage: DefinitionCode.success.message,
            effective: effect == .unsaid ? nil : effect.rawValue)
    }
}
