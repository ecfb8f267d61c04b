/// A format of PIN blocks (ISO 9564-1) that a bank may send.
package enum PINBlockKind: String, CaseIterable, Codable, Sendable {
    case iso0 = "iso-0"
    case iso1 = "iso-1"
    case iso3 = "iso-3"
    case iso4 = "iso-4"
}
