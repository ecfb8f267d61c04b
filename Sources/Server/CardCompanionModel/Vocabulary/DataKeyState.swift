/// What a data key can still do. Whether a usable key makes new values depends on the time and on its successors.
package enum DataKeyState: String, CaseIterable, Codable, Sendable {
    case usable = "USABLE"
    /// Servers do not load it: values that were made with it do not open. It can become usable again.
    case disabled = "DISABLED"
    /// It opens values only to seal them again.
    case compromised = "COMPROMISED"
    /// Its wrappings are gone.
    case destroyed = "DESTROYED"
}
