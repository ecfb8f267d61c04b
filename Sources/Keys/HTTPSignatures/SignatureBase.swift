/// The text that is signed (RFC 9421 section 2.5).
package enum SignatureBase {
    /// The greatest size of a signature base.
    package static let byteCountLimit = 65_536

    /// The signature base of a message: one line per covered component, and a line with the parameters.
    ///
    /// - Throws: `componentNotInMessage`, `unprintableComponent`, `limitExceeded`.
    package static func text(
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
