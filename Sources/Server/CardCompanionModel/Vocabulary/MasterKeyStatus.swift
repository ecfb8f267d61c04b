/// Whether a master key still wraps new data keys.
package enum MasterKeyStatus: String, CaseIterable, Codable, Sendable {
    case active = "ACTIVE"
    /// Its wrappings are removed as soon as no running server uses them.
    case replaced = "REPLACED"
}
