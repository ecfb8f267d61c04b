/// How a session ends (document 003, "Connection Closure and Errors"): the code of the close frame, and its reason.
package struct Closure: Hashable, Sendable {
    /// Of RFC 6455 section 7.4.
    package let code: UInt16
    /// At most 123 bytes.
    package let reason: String

    /// The result was posted.
    package static let normal = Closure(code: 1000, reason: "")
    /// The server stops.
    package static let goingAway = Closure(code: 1001, reason: "")
    /// The client's frames break RFC 6455.
    package static let invalidFrames = Closure(code: 1002, reason: "")
    /// A text is not UTF-8.
    package static let invalidText = Closure(code: 1007, reason: "")

    /// Why, in a word that no client can choose.
    package var cause: String {
        switch self {
        case .invalidFrames: "INVALID_FRAMES"
        case .invalidText: "INVALID_TEXT"
        default: reason
        }
    }

    package init(_ reason: CloseReason) {
        self.init(code: reason.code, reason: reason.rawValue)
    }

    private init(code: UInt16, reason: String) {
        self.code = code
        self.reason = reason
    }
}

/// How a client ends a session itself.
package enum ClientEnd: Sendable {
    case connectionLost
    /// It has sent a close frame with this reason.
    case closed(reason: String)

    /// Reasons that a client can give (document 003).
    package static let (cancelledByUser, chipLost) = ("CANCELLED_BY_USER", "NFC_CHIP_COMMUNICATION_FAILED")

    /// Why, in one of a few words: `CANCELLED_BY_USER` and `NFC_CHIP_COMMUNICATION_FAILED`; `CLIENT_` before a reason of
    /// ``CloseReason``; `CLOSED_BY_CLIENT` for all others.
    var cause: String {
        switch self {
        case .closed(let reason) where [Self.cancelledByUser, Self.chipLost].contains(reason): reason
        case .closed(let reason): CloseReason(rawValue: reason).map { "CLIENT_\($0.rawValue)" } ?? "CLOSED_BY_CLIENT"
        case .connectionLost: "CONNECTION_LOST"
        }
    }
}

/// The reasons of document 003.
package enum CloseReason: String, Error, Sendable, CaseIterable {
    case timeoutWhileWaitingForStartMessage = "TIMEOUT_WHILE_WAITING_FOR_START_MESSAGE"
    case timeoutWhileWaitingForResponse = "TIMEOUT_WHILE_WAITING_FOR_RESPONSE"
    case invalidClientId = "INVALID_CLIENT_ID"
    case invalidStartMessage = "INVALID_START_MESSAGE"
    case unexpectedMessage = "UNEXPECTED_MESSAGE"
    case invalidAccessKeyValues = "INVALID_ACCESS_KEY_VALUES"
    case accessControlFailed = "ACCESS_CONTROL_FAILED"
    case emrtdPassportReaderError = "EMRTD_PASSPORT_READER_ERROR"
    case fileReadError = "FILE_READ_ERROR"
    case communicationFailed = "COMMUNICATION_FAILED"
    case postToResultServerFailed = "POST_TO_RESULT_SERVER_FAILED"
    case protocolError = "PROTOCOL_ERROR"
    case serverError = "SERVER_ERROR"
    case maxSessionTimeExceeded = "MAX_SESSION_TIME_EXCEEDED"
    case malformedJSON = "MALFORMED_JSON"

    var code: UInt16 {
        switch self {
        case .timeoutWhileWaitingForStartMessage, .timeoutWhileWaitingForResponse: 1001
        case .invalidStartMessage, .unexpectedMessage, .protocolError, .invalidAccessKeyValues, .malformedJSON: 1008
        case .maxSessionTimeExceeded, .communicationFailed, .fileReadError, .emrtdPassportReaderError, .serverError,
            .postToResultServerFailed:
            1011
        case .invalidClientId: 4401
        case .accessControlFailed: 4403
        }
    }
}
