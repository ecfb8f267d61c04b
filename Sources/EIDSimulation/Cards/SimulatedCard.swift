public import EIDInterface

/// An identity card in memory, which follows document 001. It has no keys, so it can authenticate nobody.
public struct SimulatedCard: Sendable {
    /// How many tries a PIN has after it was right.
    public static let tryLimit = 3
    /// How often a PUK can be used.
    public static let pukUseLimit = 10

    /// The PIN. With 5 digits it is the transport PIN, with which nobody can be identified.
    private var pin: CardSecret
    private let can: CardSecret
    private let puk: CardSecret
    /// How many tries the PIN has.
    public private(set) var tries: Int
    /// How often the PUK can still be used. No command can read it.
    private var pukUses: Int
    /// Whether the eID function is turned off.
    public let isDeactivated: Bool
    /// Whether it is a card at all that has the eID function.
    public let isUnknown: Bool
    /// Whether the PUK was right and could not be used any longer. The card itself does not say it before.
    public private(set) var isInoperative = false

    /// A card.
    ///
    /// - Parameters:
    ///   - pin: 6 digits, or 5 for a transport PIN.
    ///   - can: 6 digits.
    ///   - puk: 10 digits.
    /// - Returns: nil if one of them has another number of digits, or a counter is out of its range.
    public init?(
        pin: CardSecret, can: CardSecret, puk: CardSecret, tries: Int = tryLimit, pukUses: Int = pukUseLimit,
        isDeactivated: Bool = false, isUnknown: Bool = false
    ) {
        guard pin.fits(.pinOrTransportPIN), can.fits(.can), puk.fits(.puk), 0...Self.tryLimit ~= tries,
            0...Self.pukUseLimit ~= pukUses
        else { return nil }
        self.pin = pin
        self.can = can
        self.puk = puk
        self.tries = tries
        self.pukUses = pukUses
        self.isDeactivated = isDeactivated
        self.isUnknown = isUnknown
    }

    /// What a reader says of it. The counter of a deactivated card cannot be read.
    public var description: CardMessage {
        guard !isUnknown else { return .unknown }
        return CardMessage(
            inoperative: isInoperative, deactivated: isDeactivated, retryCounter: isDeactivated ? 0 : tries)
    }

    /// Whether a workflow can go on with it.
    var isUsable: Bool { !isUnknown && !isDeactivated }

    /// What a reader with a keypad gets from a cardholder who knows everything.
    func keypadEntry(_ kind: CardSecret.Kind) -> CardSecret {
        switch kind {
        case .pin, .pinOrTransportPIN, .newPIN: pin
        case .can: can
        case .puk: puk
        }
    }

    /// A PIN is tried. A right one resets the counter, a wrong one costs a try.
    mutating func verify(pin value: CardSecret) -> Bool {
        guard tries > 0 else { return false }
        guard value.equals(pin) else {
            tries -= 1
            return false
        }
        tries = Self.tryLimit
        return true
    }

    /// A CAN is tried. It has no limit.
    func verify(can value: CardSecret) -> Bool { value.equals(can) }

    /// How a PUK did.
    enum Unblocking {
        case done, wrong, exhausted
    }

    /// A PUK is tried. A right one resets the counter of the PIN, ten times. A wrong one costs nothing.
    mutating func unblock(puk value: CardSecret) -> Unblocking {
        guard value.equals(puk) else { return .wrong }
        guard pukUses > 0 else {
            isInoperative = true
            return .exhausted
        }
        pukUses -= 1
        tries = Self.tryLimit
        return .done
    }

    /// The PIN was verified, and is replaced.
    mutating func setPIN(_ value: CardSecret) { pin = value }
}
