package import Cryptography

/// A format of PIN blocks (ISO 9564-1 section 9). Format 2 is for the card's chip only, and is not here.
package enum PINBlockFormat: String, Sendable, Hashable, CaseIterable {
    /// PIN and fill F, with the PAN.
    case iso0 = "iso-0"
    /// PIN and random digits, without the PAN.
    case iso1 = "iso-1"
    /// As format 0, with random fill A to F.
    case iso3 = "iso-3"
    /// For AES: random fill, with the PAN.
    case iso4 = "iso-4"

    /// What encrypts it.
    package var cipher: BlockCipher.Algorithm {
        switch self {
        case .iso0, .iso1, .iso3: .tripleDES
        case .iso4: .aes
        }
    }

    /// Whether a block is bound to the number of a card.
    package var hasPAN: Bool { self != .iso1 }

    package var byteCount: Int { cipher.blockByteCount }

    /// The digits that a PAN can have.
    package var panLengths: ClosedRange<Int> {
        switch self {
        case .iso0, .iso3: 13...19
        case .iso1: 0...0
        case .iso4: 12...19
        }
    }

    /// The first digit of a block.
    var control: UInt8 {
        switch self {
        case .iso0: 0
        case .iso1: 1
        case .iso3: 3
        case .iso4: 4
        }
    }
}
