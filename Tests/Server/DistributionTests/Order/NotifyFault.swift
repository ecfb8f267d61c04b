/// Faults of a notify of either channel, in the order of the protocol's table.
enum NotifyFault: RequestFault {
    case noBankId, noUniqueId
    case noSessionId
    case noStatus, noHash
    case unknownStatus
    case unknownBank
    case otherSession
    case wrongHash
    case decidedOtherwise

    var code: Int {
        switch self {
        case .noBankId: 100
        case .noUniqueId: 101
        case .noSessionId, .otherSession, .decidedOtherwise: 312
        case .noStatus: 105
        case .noHash: 104
        case .unknownStatus: 306
        case .unknownBank: 300
        case .wrongHash: 201
        }
    }

    var missingMember: String? {
        switch self {
        case .noBankId: "bankId"
        case .noUniqueId: "uniqueId"
        case .noSessionId: "sessionId"
        case .noStatus: "status"
        case .noHash: "hash"
        default: nil
        }
    }

    /// The token member that corresponds to the request's missing member.
    var missingTokenMember: String? {
        switch self {
        case .noBankId: "IdBEL"
        case .noUniqueId: "IdPorteur"
        default: nil
        }
    }
}

/// Faults of a notify by token: its own and those of both channels.
enum TokenNotifyFault: RequestFault {
    case noToken
    case badToken
    case other(NotifyFault)

    static let allCases = [.noToken, .badToken] + NotifyFault.allCases.map { other($0) }

    var code: Int {
        switch self {
        case .noToken: 113
        case .badToken: 208
        case .other(let fault): fault.code
        }
    }

    var notifyFault: NotifyFault? {
        if case .other(let fault) = self { fault } else { nil }
    }
}
