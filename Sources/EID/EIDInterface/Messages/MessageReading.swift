public import Foundation

/// Why bytes are not a message.
public enum MessageError: Error, Equatable, Sendable {
    /// There are more than ``Message/byteLimit``.
    case tooLong
    /// They are not a JSON object with a `msg`.
    case notAMessage
    /// The message with this name lacks a required member, or has a malformed one.
    case malformed(name: String)
    /// The question with this name, for a PIN, a CAN or a PUK, does not say for which reader.
    case missingReader(name: String)
}

extension Message {
    /// The longest message that is read, in bytes.
    public static let byteLimit = 256 * 1024

    private struct Header: Decodable {
        let msg: String
    }

    /// Reads a message. Unknown members are ignored. Unknown rights are not: no app could show them to the cardholder, who
    /// must accept them.
    ///
    /// - Throws: ``MessageError``.
    public init(parsing bytes: Data) throws(MessageError) {
        guard bytes.count <= Self.byteLimit else { throw .tooLong }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom(Date.init(day:))
        guard let header = try? decoder.decode(Header.self, from: bytes) else { throw .notAMessage }
        guard let name = Name(rawValue: header.msg) else {
            self = .unknown(name: header.msg)
            return
        }
        do {
            self = try Self.read(name, bytes, decoder)
        } catch DecodingError.keyNotFound(let key, _) where key.stringValue == "reader" {
            throw .missingReader(name: header.msg)
        } catch {
            throw .malformed(name: header.msg)
        }
    }

    private static func read(_ name: Name, _ bytes: Data, _ decoder: JSONDecoder) throws -> Message {
        func members<Members: Decodable>(_ type: Members.Type = Members.self) throws -> Members {
            try decoder.decode(type, from: bytes)
        }
        func error() throws -> String? { try members(ErrorMembers.self).error }
        switch name {
        case .accessRights: return .accessRights(try members())
        case .apiLevel: return .apiLevel(try members())
        case .auth: return .auth(try members(AuthMembers.self).message)
        case .badState: return .badState(command: try error() ?? "")
        case .certificate: return .certificate(try members())
        case .changePIN: return .changePIN(try members(ChangePINMembers.self).message)
        case .enterCAN: return .enterCAN(try members())
        case .enterPIN: return .enterPIN(try members())
        case .enterNewPIN: return .enterNewPIN(try members())
        case .enterPUK: return .enterPUK(try members())
        case .info: return .info(try members(InfoMembers.self).VersionInfo)
        case .insertCard: return .insertCard(error: try error())
        case .internalError: return .internalError(try error())
        case .invalid: return .invalid(try error())
        case .reader: return .reader(try members())
        case .readerList: return .readerList(try members(ReaderListMembers.self).all)
        case .unknownCommand: return .unknownCommand(try error() ?? "")
        case .status: return .status(try members())
        case .pause: return .pause(cause: try members(PauseMembers.self).cause)
        }
    }
}

private struct ErrorMembers: Decodable {
    let error: String?
}

/// "AUTH with error, with result or url, otherwise started" (document 002).
private struct AuthMembers: Decodable {
    /// In the workflows of document 000 (chapter 7) the address is in the result. In its section 6.3 it is beside the result.
    private struct Address: Decodable {
        let url: String?
    }

    let message: AuthMessage

    private enum CodingKeys: String, CodingKey {
        case error, result, url
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        let outcome = try members.decodeIfPresent(AuthMessage.Outcome.self, forKey: .result)
        let url =
            try members.decodeIfPresent(String.self, forKey: .url)
            ?? members.decodeIfPresent(Address.self, forKey: .result)?.url
        if let error = try members.decodeIfPresent(String.self, forKey: .error) {
            message = .refused(error: error)
        } else if outcome != nil || url != nil {
            message = .finished(outcome, url: url.flatMap { URL(string: $0) })
        } else {
            message = .started
        }
    }
}

private struct ChangePINMembers: Decodable {
    let success: Bool?
    let reason: String?

    var message: ChangePINMessage {
        success.map { .finished(success: $0, reason: reason) } ?? .started
    }
}

private struct InfoMembers: Decodable {
    let VersionInfo: VersionInfo
}

/// Level 1 says `reader`, the later ones `readers`.
private struct ReaderListMembers: Decodable {
    let reader: [ReaderMessage]?
    let readers: [ReaderMessage]?

    var all: [ReaderMessage] { readers ?? reader ?? [] }
}

private struct PauseMembers: Decodable {
    let cause: String
}

extension Date {
    private static let dayStyle = ISO8601FormatStyle().year().month().day()

    /// The day in UTC, written yyyy-MM-dd.
    var day: String { formatted(Self.dayStyle) }

    /// Reads the beginning of a day. A text that is not a day in exactly this form is an error.
    package init(day decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        try self.init(text, strategy: Self.dayStyle)
        guard text.utf8.count == 10, day == text else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "a date must be yyyy-MM-dd")
        }
    }
}
