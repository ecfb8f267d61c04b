/// The text that is signed (RFC 9421 section 2.5).
public enum SignatureBase {
    /// The most bytes that a signature base may have.
    public static let byteCountLimit = 65_536

    /// The signature base of a message: a line for each covered component, and the parameters. Throws
    /// `componentNotInMessage`, `unprintableComponent` or `limitExceeded`.
    public static func text(
        of message: SignedMessage, parameters: SignatureParameters
    ) throws(SignatureError) -> String {
        var base = ""
        for component in parameters.components {
            base += "\(component): \(try message.value(of: component))\n"
        }
        base += "\"@signature-params\": \(parameters.text)"
        guard base.utf8.count <= byteCountLimit else {
            throw SignatureError(.limitExceeded("bytes in a signature base", limit: byteCountLimit))
        }
        return base
    }
}
