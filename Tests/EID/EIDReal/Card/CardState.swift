package import EMRTD

/// The passwords of an eID card, with their numbers in commands (TR-03110 part 3, section B.11.1).
package enum Password: UInt8, Sendable {
    case can = 2
    case pin = 3
    case puk = 4
}

/// What an eID card remembers without power: its passwords and their counters (document 001).
package struct CardState: Sendable {
    package static let tryLimit = 3
    package static let pukUseLimit = 10

    /// 6 digits; 5 for a transport PIN.
    package private(set) var pin: [UInt8]
    package let can: [UInt8]
    package let puk: [UInt8]
    package private(set) var tries: Int
    package private(set) var pukUses: Int
    package let isDeactivated: Bool

    package init(
        pin: String = "123456", can: String = "654321", puk: String = "1234567890", tries: Int = tryLimit,
        pukUses: Int = pukUseLimit, isDeactivated: Bool = false
    ) {
        self.pin = Array(pin.utf8)
        self.can = Array(can.utf8)
        self.puk = Array(puk.utf8)
        self.tries = tries
        self.pukUses = pukUses
        self.isDeactivated = isDeactivated
    }

    package func digits(of password: Password) -> [UInt8] {
        switch password {
        case .can: can
        case .pin: pin
        case .puk: puk
        }
    }

    /// What the choice of a password answers: for the PIN also its state.
    package func status(of password: Password) -> StatusWord {
        guard password == .pin else { return .success }
        if isDeactivated { return .deactivated }
        return tries == Self.tryLimit ? .success : .triesLeft(tries)
    }

    /// Whether PACE with a password can begin. The last try of a PIN needs the CAN in the same channel.
    package func refusal(of password: Password, isResumed: Bool) -> StatusWord? {
        guard password == .pin else { return nil }
        if isDeactivated { return .deactivated }
        if tries == 0 { return .authenticationMethodBlocked }
        return tries == 1 && !isResumed ? .conditionsNotSatisfied : nil
    }

    /// A password was right: the PIN has all its tries again.
    package mutating func accept(_ password: Password) {
        if password == .pin { tries = Self.tryLimit }
    }

    /// A password was wrong. Only the PIN counts that.
    package mutating func reject(_ password: Password) -> StatusWord {
        guard password == .pin else { return .noInformation }
        tries = max(tries - 1, 0)
        return .triesLeft(tries)
    }

    /// After the PIN: sets another one.
    package mutating func setPIN(_ digits: [UInt8]) -> StatusWord {
        guard digits.count == 6 else { return .incorrectData }
        pin = digits
        return .success
    }

    /// After the PUK: gives the PIN its tries again, ten times.
    package mutating func unblock() -> StatusWord {
        guard pukUses > 0 else { return .authenticationMethodBlocked }
        pukUses -= 1
        tries = Self.tryLimit
        return .success
    }
}

extension StatusWord {
    package static let noInformation = StatusWord(rawValue: 0x6300)
    package static let deactivated = StatusWord(rawValue: 0x6283)
    package static let authenticationMethodBlocked = StatusWord(rawValue: 0x6983)
    package static let classNotSupported = StatusWord(rawValue: 0x6E00)

    package static func triesLeft(_ count: Int) -> StatusWord { StatusWord(rawValue: 0x63C0 | UInt16(count)) }
}
