internal import Cryptography

/// The id of an event `pin.defined`, as a bank and its program name it.
package enum DefinedPINEvent {
    /// Whether a text has the form of an id.
    package static func isId(_ text: String) -> Bool {
        Base64URL.decode(text)?.count == DefinitionService.eventIdByteCount
    }
}
