/// What an operator sets for a bank. To add a setting, add its value here with its default, and its entry in `BankSettingTable`:
/// option, range, what tightens it, help; mark it as newer. Use it where it acts.
package struct BankSettings: Sendable, Equatable {
    /// The largest tolerance that a bank can have.
    package static let timestampToleranceLimitSeconds = 3600

    /// The tolerance of a bank that has no setting of its own.
    package static let usualTimestampToleranceSeconds = 300

    /// For people.
    package var name: String
    /// Banks of the same programme get code 308 instead of 301 for each other's cardholders.
    package var programme: String
    package var scheme: Scheme
    /// How much a timestamp can differ from the server's clock, in either direction.
    package var timestampToleranceSeconds = usualTimestampToleranceSeconds
    /// How long a delivery waits for its notify.
    package var sessionLifetimeSeconds = 900
    package var retention = Retention.erase
    /// Whether a delivered PIN can be shown again as a reminder.
    package var reminders = false
    /// After how many days an unconfirmed PIN is erased.
    package var undeliveredLifetimeDays = 90
    /// How many wrong authentication codes lock a cardholder.
    package var retryLimit = 3
    /// How many fetches without a confirmed delivery lock a cardholder.
    package var fetchLimit = 5
    package var pinMinimumLength = 4
    package var pinMaximumLength = 6
    package var codeAlphabet = CodeAlphabet.alphanumeric
    package var codeMinimumLength = 4
    package var codeMaximumLength = 32
    package var deliveryFormat = DeliveryFormat.captcha
    package var imageStyle = ImageStyle.standard
    /// Which wishes of the app about images are granted.
    package var hints: Set<RequestHint> = [.theme, .scale]
    /// Whether a cardholder whom the bank has marked can get the digits themselves.
    package var textPINs = false
    /// Whether all errors about a cardholder have the same code.
    package var uniformErrors = false
    package var sealedValues = SealedValueRule.bound
    package var bindings = ProofBindingRule.accept
    /// Whether a uniqueId that looks like a card number is refused.
    package var checksUniqueIds = true
    /// Whether cardholders can define their PIN.
    package var definition = true
    package var definitionBy = DefinitionEntry.both
    package var definedPINs = DefinedPINRule.deliver
    /// The label of the bank's key for defined PINs in PIN blocks of format 1; nil if they are sent as digits.
    package var definedPINKey: String?
    /// The formats of PIN blocks that the bank may send.
    package var pinBlocks: Set<PINBlockKind> = []
    /// How many PINs a cardholder can define per day (UTC).
    package var definitionsPerDay = 5
    /// Whether a defined PIN counts as never delivered.
    package var definitionResetsDelivery = true
    package var weakPINRules = Set(WeakPINRule.allCases)
    /// The bank's own list for the rule ``WeakPINRule/listed``.
    package var listedPINs: [String] = []
    /// Whether the bank's back-end gets defined PINs for the issuer's host: as PIN blocks, PVVs or offsets.
    package var pinExports = false
    /// Whether defined PINs are queued for the bank's connector.
    package var forwardDefinedPINs = false
    /// What the app is told of when a defined PIN works.
    package var definedPINEffect = DefinedPINEffect.unsaid
    /// Which requests need a pass.
    package var identityCheck = IdentityRequirement.none
    package var identityAssurance = IdentityAssurance.chip
    /// How long an unused pass stays valid.
    package var identityLifetimeSeconds = 900

    /// The settings of a new bank, with the defaults of the protocol.
    package init(name: String, programme: String, scheme: Scheme) {
        self.name = name
        self.programme = programme
        self.scheme = scheme
        // GIE CB does not allow a phone to send the PIN, even encrypted (SDK document, section 2.2.3).
        if scheme == .cb { definitionBy = .indexes }
    }

    /// What a setting is that a text lacks, because an older program wrote it: the bank works as it did.
    package static let ofOlderTexts = BankSettings(name: "", programme: "", scheme: .pciCPP)
}
