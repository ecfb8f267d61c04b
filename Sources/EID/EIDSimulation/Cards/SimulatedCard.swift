public import EIDInterface

/// An identity card in memory, which follows document 001. It has no keys, so it can authenticate no one.
public struct SimulatedCard: Sendable {
    /// How many tries the PIN has after a right one.
    public static let tryLimit = 3
    /// How often a PUK can be used.
    public static let pukUseLimit = 10

    /// The PIN. With 5 digits it is the transport PIN, which can identify no one.
    private var pin: CardSecret
    private let can: CardSecret
    private let puk: CardSecret
    /// How many tries of the PIN are left.
    public private(set) var tries: Int
    /// How often the PUK can still be used. No command can read it.
    private var pukUses: Int
    /// Whether the eID function is turned off.
    public let isDeactivated: Bool
    /// Whether the card has no eID function.
    public let isUnknown: Bool
    /// Whether a right PUK was refused because the PUK is used up. The card does not say so before.
    public private(set) var isInoperative = false

    /// A card with these secrets.
    ///
    /// - Parameters:
    ///   - pin: 6 digits, or 5 for a transport PIN.
    ///   - can: 6 digits.
    ///   - puk: 10 digits.
    /// - Returns: nil if one of them has a wrong number of digits, or a counter is out of its range.
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

    /// The card as a reader describes it. The counter of a deactivated card cannot be read.
    public var description: CardMessage {
        guard !isUnknown else { return .unknown }
        return CardMessage(
            inoperative: isInoperative, deactivated: isDeactivated, retryCounter: isDeactivated ? 0 : tries)
    }

    /// Whether a workflow can go on with it.
    var isUsable: Bool { !isUnknown && !isDeactivated }

    /// What a cardholder who knows all secrets enters on a reader's keypad.
    func keypadEntry(_ kind: CardSecret.Kind) -> CardSecret {
        switch kind {
        case .pin, .pinOrTransportPIN, .newPIN: pin
        case .can: can
        case .puk: puk
        }
    }

    /// Tries a PIN. A right one resets the counter, a wrong one uses up a try.
    mutating func verify(pin value: CardSecret) -> Bool {
        guard tries > 0 else { return false }
        guard value.equals(pin) else {
            tries -= 1
            return false
        }
        tries = Self.tryLimit
        return true
    }

    /// Tries a CAN. It has no limit.
    func verify(can value: CardSecret) -> Bool { value.equals(can) }

    /// The result of a PUK.
    enum Unblocking {
        case done, wrong, exhausted
    }

    /// Tries a PUK. A right one resets the counter of the PIN, at most ten times. A wrong one costs nothing.
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

    /// Replaces the PIN, after it was verified.
    mutating func setPIN(_ value: CardSecret) { pin = value }
}
