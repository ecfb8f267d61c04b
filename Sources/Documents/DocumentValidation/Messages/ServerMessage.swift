internal import Cryptography
package import EMRTD
package import SecureMemory
internal import StrictJSON

/// A text message of the server (document 003, "Text Messages").
package enum ServerMessage: Sendable {
    case accept(challenge: [UInt8])
    case handBack(ChipAuthentication.Result, SecureChannel, as: ChannelMessage)
    /// The JSON that was posted.
    case result(SharedSecret)
    case close(Closure)

    /// The text.
    ///
    /// - Throws: ``CloseReason/serverError`` for a channel that cannot be handed back.
    package func text() throws(CloseReason) -> SharedSecret {
        SharedSecret(
            try JSONWriter.object { (writer) throws(CloseReason) in
                switch self {
                case .accept(let challenge):
                    writer.add("type", "ACCEPT")
                    writer.add("activeAuthenticationChallenge", Base64.encode(challenge))
                case .handBack(let result, let channel, let form):
                    writer.add("type", "CA_HANDBACK")
                    writer.add("checkResult", result.rawValue)
                    try writer.add(
                        "secureMessagingInfo",
                        object: { (writer) throws(CloseReason) in
                            try form.object(of: channel, in: &writer)
                        })
                case .result(let passport):
                    writer.add("type", "RESULT")
                    writer.add("passport", json: passport.bytes)
                case .close(let closure):
                    writer.add("type", "CLOSE")
                    writer.add("code", Int64(closure.code))
                    writer.add("reason", closure.reason)
                }
            })
    }
}
