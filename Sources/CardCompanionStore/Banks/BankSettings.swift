/// Which scheme's rules a bank follows.
package enum Scheme: String, StoredEnumeration, CaseIterable {
    /// French CB: the token alone authenticates the cardholder.
    case cb = "CB"
    /// Visa and Mastercard, PCI Card Production: the token carries an authentication code as well.
    case pciCPP = "PCI-CPP"
}

/// What becomes of a PIN whose delivery was confirmed.
package enum Retention: String, StoredEnumeration, CaseIterable {
    /// It is erased.
    case erase
    /// It is kept, for reminders where the bank allows them; it is not delivered again.
    case keep
    /// It is kept, and may be delivered again.
    case keepRepeat = "keep-repeat"
}

/// How a PIN is drawn.
package enum DeliveryFormat: String, StoredEnumeration, CaseIterable {
    /// One image of all digits.
    case captcha
    /// One image a digit, in scrambled order.
    case digits
}

/// What an authentication code may be made of.
package enum CodeAlphabet: String, StoredEnumeration, CaseIterable {
    /// 0 to 9.
    case digits
    /// ASCII letters and digits.
    case alphanumeric
    /// ASCII from space to tilde.
    case printable
}

/// Which PINs a cardholder may not choose.
package enum WeakPINRule: String, StoredEnumeration, CaseIterable {
    /// One digit only: 7777.
    case same
    /// Each digit one above the one before it, 0 after 9: 2345, 7890.
    case ascending
    /// Each digit one below the one before it, 9 after 0: 5432, 2109.
    case descending
    /// A pair that is repeated, or digits in pairs: 4545, 4455.
    case pairs
    /// On the list of PINs that many people choose, or on the bank's own.
    case listed
}

/// What an operator sets for a bank. The limits of each value are the schema's.
package struct BankSettings: Sendable, Equatable {
    /// The greatest tolerance that the schema lets an operator set.
    package static let timestampToleranceLimitSeconds = 3600

    /// The bank's name, for people.
    package var name: String
    /// Banks of one programme learn from each other's cardholders (code 308 in place of 301).
    package var programme: String
    /// The scheme whose rules hold.
    package var scheme: Scheme
    /// How far a timestamp may be off the server's clock, to either side.
    package var timestampToleranceSeconds = 300
    /// How long a delivery waits for its notify.
    package var sessionLifetimeSeconds = 900
    /// What becomes of a delivered PIN.
    package var retention = Retention.erase
    /// Whether a delivered PIN may be shown again as a reminder.
    package var reminders = false
    /// After how many days a PIN that was never confirmed is erased.
    package var undeliveredLifetimeDays = 90
    /// How many wrong authentication codes lock a cardholder.
    package var retryLimit = 3
    /// How many fetches without a confirmed delivery lock a cardholder.
    package var fetchLimit = 5
    /// The least number of digits in a PIN.
    package var pinMinimumLength = 4
    /// The greatest number of digits in a PIN.
    package var pinMaximumLength = 6
    /// What an authentication code is made of.
    package var codeAlphabet = CodeAlphabet.alphanumeric
    /// The least number of characters in an authentication code.
    package var codeMinimumLength = 4
    /// The greatest number of characters in an authentication code.
    package var codeMaximumLength = 32
    /// How a PIN is drawn.
    package var deliveryFormat = DeliveryFormat.captcha
    /// Whether what a client learns of a cardholder is one code only.
    package var uniformErrors = false
    /// Whether cardholders may define their PIN.
    package var definition = true
    /// How many PINs a cardholder may define in a day (UTC).
    package var definitionsPerDay = 5
    /// Whether a defined PIN counts as one that was never delivered: its delivery is the first again.
    package var definitionResetsDelivery = true
    /// How many keypads a cardholder may ask for in a minute.
    package var keypadsPerMinute = 60
    /// Which PINs may not be defined.
    package var weakPINRules = Set(WeakPINRule.allCases)
    /// The bank's own list for the rule ``WeakPINRule/listed``.
    package var listedPINs: [String] = []

    /// Settings with the defaults of the protocol.
    package init(name: String, programme: String, scheme: Scheme) {
        self.name = name
        self.programme = programme
        self.scheme = scheme
    }
}
