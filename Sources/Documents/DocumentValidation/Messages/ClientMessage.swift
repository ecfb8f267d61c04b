internal import Cryptography
package import SecureMemory
internal import StrictJSON

/// A text message of a client (document 003, "Text Messages"). Unknown members are ignored.
package enum ClientMessage: Sendable {
    /// The types that a client sends.
    package enum Kind: String, Sendable, CaseIterable {
        case start = "START"
        case handOver = "CA_HANDOVER"
        case finish = "FINISH"
        case monitoring = "MONITORING"
    }

    case start(StartMessage)
    case handOver(HandOverMessage)
    case finish(FinishMessage)
    /// Its text is not kept: it can contain anything.
    case monitoring(byteCount: Int)

    /// The longest text that a client can send, in bytes.
    package static let byteLimit = 64 * 1024

    /// Reads a message.
    ///
    /// - Parameter kinds: what is expected now. If another message comes, only its type is read.
    /// - Throws: the reason with which the session ends.
    package init(_ text: consuming SecretBytes, expecting kinds: Set<Kind>) throws(CloseReason) {
        guard text.count <= Self.byteLimit else { throw .protocolError }
        guard let json = try? JSONText(text) else { throw .malformedJSON }
        guard let kind = json.text(of: "type").flatMap(Kind.init), kinds.contains(kind) else {
            throw .unexpectedMessage
        }
        switch kind {
        case .start: self = .start(try StartMessage(json))
        case .handOver: self = .handOver(try HandOverMessage(json))
        case .finish: self = .finish(try FinishMessage(json))
        case .monitoring:
            guard let message = json.secret(of: "message") else { throw .protocolError }
            self = .monitoring(byteCount: message.count)
        }
    }
}

/// Who begins a session, and for which check.
package struct StartMessage: Sendable {
    package static let idByteLimits = 1...128

    package let validationId: String
    package let clientId: String
    package let allowsExtendedLength: Bool
    package let wantsDiagnostics: Bool

    init(_ json: borrowing JSONText) throws(CloseReason) {
        guard let validationId = Self.id("validationId", json), let clientId = Self.id("clientId", json),
            let platform = json.text(of: "platform"), ["android", "ios"].contains(platform.lowercased()),
            let allowsExtendedLength = json.bool("nfcAdapterSupportsExtendedLength"),
            let wantsDiagnostics = json.bool("enableDiagnostics")
        else { throw .invalidStartMessage }
        self.validationId = validationId
        self.clientId = clientId
        self.allowsExtendedLength = allowsExtendedLength
        self.wantsDiagnostics = wantsDiagnostics
    }

    private static func id(_ name: String, _ json: borrowing JSONText) -> String? {
        guard json.kind(of: name) == .string, let id = json.text(of: name), idByteLimits ~= id.utf8.count,
            id.utf8.allSatisfy({ 0x21...0x7E ~= $0 })
        else { return nil }
        return id
    }
}

/// The client hands over its channel to the chip.
package struct HandOverMessage: Sendable {
    package let maxTransceiveLength: Int
    package let maxBlockSize: Int
    package let channel: ChannelMessage

    init(_ json: borrowing JSONText) throws(CloseReason) {
        guard let transceive = json.integer("maxTransceiveLengthForSecureMessaging"),
            let block = json.integer("maxBlockSize"), let info = json.object("secureMessagingInfo")
        else { throw .protocolError }
        maxTransceiveLength = Int(clamping: transceive)
        maxBlockSize = Int(clamping: block)
        channel = try ChannelMessage(info)
    }
}

/// The client has read what it wanted.
package struct FinishMessage: Sendable {
    static let signatureByteLimit = 1024

    package let sendsResult: Bool
    /// The chip's answer to the challenge; nil if it gave none.
    package let activeAuthenticationSignature: [UInt8]?

    init(_ json: borrowing JSONText) throws(CloseReason) {
        guard let sendsResult = json.bool("sendResult") else { throw .protocolError }
        self.sendsResult = sendsResult
        switch json.kind(of: "activeAuthenticationSignature") {
        case nil, .null: activeAuthenticationSignature = nil
        case .string:
            guard let text = json.text(of: "activeAuthenticationSignature"), let signature = Base64.decode(text),
                signature.count <= Self.signatureByteLimit
            else { throw .protocolError }
            // An empty one is none.
            activeAuthenticationSignature = signature.isEmpty ? nil : signature
        default: throw .protocolError
        }
    }
}

extension JSONText {
    /// The value of an integer without fraction and exponent; nil for everything else. A counter needs all 64 bits, so it is
    /// never a floating-point number.
    func integer(_ name: String) -> Int64? {
        kind(of: name) == .number ? text(of: name).flatMap { Int64($0) } : nil
    }
}
