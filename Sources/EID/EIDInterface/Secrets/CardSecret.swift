/// The digits of a PIN, a CAN or a PUK, in wiped memory.
public struct CardSecret: Sendable {
    /// What the digits are for. This decides how many there must be (document 000, chapter 5).
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// The PIN of an authentication.
        case pin
        /// The PIN of a PIN change: it can be a transport PIN of 5 digits.
        case pinOrTransportPIN
        /// The PIN that the card will have.
        case newPIN
        /// The card access number, which is printed on the card.
        case can
        /// The personal unblocking key.
        case puk

        /// How many digits there must be.
        public var digitCounts: ClosedRange<Int> {
            switch self {
            case .pin, .newPIN, .can: 6...6
            case .pinOrTransportPIN: 5...6
            case .puk: 10...10
            }
        }

        /// What the AusweisApp says to a value with another number of digits.
        public var requirement: String {
            switch self {
            case .pin, .newPIN, .can: "You must provide 6 digits"
            case .pinOrTransportPIN: "You must provide 5 - 6 digits"
            case .puk: "You must provide 10 digits"
            }
        }
    }

    /// No PIN, CAN or PUK has more digits.
    public static let digitCountLimit = 10

    let bytes: WipedBytes

    /// Copies the digits. The caller must forget the text, which cannot be overwritten.
    ///
    /// - Returns: nil if the text is empty, has more than ``digitCountLimit`` characters, or one that is not a digit from 0
    ///   to 9.
    public init?(digits: String) { self.init(ascii: digits.utf8) }

    /// Copies digits that can be in wiped memory already, under the same conditions.
    package init?(ascii digits: some Collection<UInt8>) {
        guard 1...Self.digitCountLimit ~= digits.count,
            digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
        else { return nil }
        bytes = WipedBytes(capacity: Self.digitCountLimit)
        bytes.append(digits)
    }

    /// Whether both have the same digits.
    package func equals(_ other: CardSecret) -> Bool {
        bytes.withBytes { one in other.bytes.withBytes { one.elementsEqual($0) } }
    }

    /// How many digits it has.
    public var digitCount: Int { bytes.count }

    /// Whether its number of digits is right for this kind.
    public func fits(_ kind: Kind) -> Bool { kind.digitCounts ~= digitCount }
}
