internal import Foundation

extension Message {
    /// The name in `msg`; nil if it is unknown.
    public var name: Name? { content(.one).name }

    /// The JSON text as a kernel of this level sends it, without white space, with members in the document's order.
    package func text(level: APILevel) -> WipedBytes {
        let (name, members) = content(level)
        return (["msg": name?.rawValue] + members).text
    }

    private func content(_ level: APILevel) -> (name: Name?, members: JSONObject) {
        switch self {
        case .accessRights(let message): (.accessRights, message.json)
        case .apiLevel(let message):
            (.apiLevel, ["error": message.error, "available": message.available, "current": message.current])
        case .auth(.started): (.auth, [:])
        case .auth(.refused(let error)): (.auth, ["error": error])
        case .auth(.finished(let outcome, let url)):
            (.auth, ["result": outcome?.json, "url": url?.absoluteString])
        case .badState(let command): (.badState, ["error": command])
        case .certificate(let message):
            (.certificate, ["description": message.description.json, "validity": message.validity.json])
        case .changePIN(.started): (.changePIN, [:])
        case .changePIN(.finished(let success, let reason)): (.changePIN, ["success": success, "reason": reason])
        case .enterCAN(let message): (.enterCAN, message.json(level))
        case .enterPIN(let message): (.enterPIN, message.json(level))
        case .enterNewPIN(let message): (.enterNewPIN, message.json(level))
        case .enterPUK(let message): (.enterPUK, message.json(level))
        case .info(let version): (.info, ["VersionInfo": version.json])
        case .insertCard(let error): (.insertCard, ["error": error])
        case .internalError(let error): (.internalError, ["error": error])
        case .invalid(let error): (.invalid, ["error": error])
        case .reader(let reader): (.reader, reader.json(level))
        case .readerList(let readers):
            (.readerList, [level == .one ? "reader" : "readers": readers.map { $0.json(level) }])
        case .unknownCommand(let name): (.unknownCommand, ["error": name])
        case .status(let status): (.status, status.json)
        case .pause(let cause): (.pause, ["cause": cause])
        case .unknown: (nil, [:])
        }
    }
}

extension AccessRightsMessage {
    fileprivate var json: JSONObject {
        [
            "error": error, "aux": aux?.json, "chat": chat.json, "transactionInfo": transactionInfo,
            "canAllowed": canAllowed,
        ]
    }
}

extension AccessRightsMessage.AuxiliaryData {
    fileprivate var json: JSONObject {
        [
            "ageVerificationDate": ageVerificationDate?.day, "requiredAge": requiredAge,
            "validityDate": validityDate?.day, "communityId": communityId,
        ]
    }
}

extension AccessRightsMessage.Chat {
    fileprivate var json: JSONObject {
        [
            "effective": effective.map(\.rawValue), "optional": optional.map(\.rawValue),
            "required": required.map(\.rawValue),
        ]
    }
}

extension AuthMessage.Outcome {
    fileprivate var json: JSONObject {
        [
            "major": major, "minor": minor, "language": language, "description": description, "message": message,
            "reason": reason,
        ]
    }
}

extension CertificateMessage.Description {
    fileprivate var json: JSONObject {
        [
            "issuerName": issuerName, "issuerUrl": issuerUrl, "subjectName": subjectName, "subjectUrl": subjectUrl,
            "termsOfUsage": termsOfUsage, "purpose": purpose,
        ]
    }
}

extension CertificateMessage.Validity {
    fileprivate var json: JSONObject { ["effectiveDate": effectiveDate.day, "expirationDate": expirationDate.day] }
}

extension EnterMessage {
    fileprivate func json(_ level: APILevel) -> JSONObject { ["error": error, "reader": reader.json(level)] }
}

extension VersionInfo {
    fileprivate var json: JSONObject {
        members.reduce([:]) { $0 + [$1.name: $1.value] }
    }

    /// The members with their names in JSON, in the document's order.
    package var members: [(name: String, value: String)] {
        let values = [
            name, implementationTitle, implementationVendor, implementationVersion, specificationTitle,
            specificationVendor, specificationVersion,
        ]
        return zip(CodingKeys.allCases, values).map { ($0.rawValue, $1) }
    }
}

extension ReaderMessage {
    /// A reader that is not attached has no further members, and before level 3 an unknown card is no card.
    fileprivate func json(_ level: APILevel) -> JSONObject {
        guard attached else { return ["name": name, "attached": false] }
        let card = card == .unknown && level < .three ? nil : card
        return [
            "name": name, "insertable": level >= .two ? insertable : nil, "attached": true, "keypad": keypad,
            "card": (card?.json).orNull,
        ]
    }
}

extension CardMessage {
    fileprivate var json: JSONObject {
        ["inoperative": inoperative, "deactivated": deactivated, "retryCounter": retryCounter]
    }
}

extension StatusMessage {
    fileprivate var json: JSONObject {
        ["workflow": workflow.orNull, "progress": progress.orNull, "state": state.orNull]
    }
}
