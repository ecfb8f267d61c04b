/// The table of a bank's settings: for each its name, its option, its value in ``BankSettings``, what it may be, which values are
/// tighter, and what an operator reads about it.
extension BankSetting {
    /// In the order of the text.
    package static let all: [BankSetting] = ofTheBank + limits + ofDeliveries + ofDefinitions + ofDocuments

    private static let ofTheBank: [BankSetting] = [
        .line(
            "name", "--name", \.name, rule: "must have 1 to 200 characters",
            allows: { 1...200 ~= $0.unicodeScalars.count },
            help: "The bank's name, for people."),
        .line(
            "programme", "--programme", \.programme, rule: "must have \(Identifier.rule)",
            allows: { Identifier($0) != nil },
            help: "Banks in the same programme get code 308 for each other's cardholders. Default: the bank's id."),
        .choice(
            "scheme", "--scheme", \.scheme,
            help: "CB or PCI-CPP."),
    ]

    private static let limits: [BankSetting] = [
        .number(
            "timestampTolerance", "--timestamp-tolerance", \.timestampToleranceSeconds,
            1...BankSettings.timestampToleranceLimitSeconds, .smaller, unit: .seconds,
            help: "How much a timestamp can differ from the server's clock, in seconds (default 300)."),
        .number(
            "sessionLifetime", "--session-lifetime", \.sessionLifetimeSeconds, 30...86_400, .smaller,
            unit: .seconds,
            help: "How long a delivery waits for its notify, in seconds (default 900)."),
        .number(
            "undeliveredLifetime", "--undelivered-lifetime", \.undeliveredLifetimeDays, 1...3650, .smaller,
            unit: .days,
            help: "After how many days an unconfirmed PIN is erased (default 90)."),
        .number(
            "retryLimit", "--retry-limit", \.retryLimit, 1...20, .smaller,
            help: "How many wrong authentication codes lock a cardholder (default 3)."),
        .number(
            "fetchLimit", "--fetch-limit", \.fetchLimit, 1...100, .smaller,
            help: "How many fetches without a confirmed delivery lock a cardholder (default 5)."),
        .number(
            "definitionsPerDay", "--definitions-per-day", \.definitionsPerDay, 1...100, .smaller,
            help: "How many PINs a cardholder can define per day, UTC (default 5)."),
        .number(
            "pinMinimumLength", "--pin-minimum-length", \.pinMinimumLength, 4...12, .larger,
            help: "The minimum number of digits in a PIN (default 4)."),
        .number(
            "pinMaximumLength", "--pin-maximum-length", \.pinMaximumLength, 4...12,
            help: "The maximum number of digits in a PIN (default 6, at most 12)."),
        .choice(
            "codeAlphabet", "--code-alphabet", \.codeAlphabet,
            help: "The characters of authentication codes: digits, alphanumeric (default), printable."),
        .number(
            "codeMinimumLength", "--code-minimum-length", \.codeMinimumLength, 4...64, .larger,
            help: "The minimum number of characters in an authentication code (default 4)."),
        .number(
            "codeMaximumLength", "--code-maximum-length", \.codeMaximumLength, 4...64,
            help: "The maximum number of characters in an authentication code (default 32)."),
    ]

    private static let ofDeliveries: [BankSetting] = [
        .choice(
            "retention", "--retention", \.retention, .only("erase"),
            help: "What happens to a delivered PIN: erase (default), keep or keep-repeat."),
        .flag(
            "reminders", "--reminders", \.reminders, .only("false"),
            help: "Whether a delivered PIN can be shown again as a reminder: true or false (default)."),
        .choice(
            "deliveryFormat", "--delivery-format", \.deliveryFormat,
            help: "How a PIN is drawn: captcha (default) or digits."),
        .choice(
            "imageStyle", "--image-style", \.imageStyle,
            help: """
                The style of images: standard (default), strong (harder for programs) or calm (without distortion).
                """),
        .list(
            "hints", "--hints", \.hints, .fewer,
            help: """
                Which of the app's wishes about images are followed, comma-separated: style,theme,scale (default \
                theme,scale), or none.
                """),
        .flag(
            "textPINs", "--text-pins", \.textPINs, .only("false"),
            help: """
                Whether a cardholder with accessibility 'text' gets the digits as text instead of an image, if the app \
                can show them: true or false (default).
                """),
        .flag(
            "uniformErrors", "--uniform-errors", \.uniformErrors, .only("true"),
            help: "Whether all errors about a cardholder have the same code: true or false (default)."),
        .choice(
            "sealedValues", "--sealed-values", \.sealedValues, .only("bound"),
            help: "bound (default): a sealed PIN must name its bank, cardholder and request. any: it need not."),
        .choice(
            "bindings", "--bindings", \.bindings, .only("require"),
            help: """
                Whether a hashMac or token must be bound to the app's key or sealed PIN. accept (default): it can be. \
                require: it must be.
                """
        ).newer(),
        .flag(
            "checkUniqueIds", "--check-unique-ids", \.checksUniqueIds, .only("true"),
            help: "Whether a uniqueId that looks like a card number is refused: true (default) or false."),
    ]

    private static let ofDefinitions: [BankSetting] = [
        .flag(
            "definition", "--definition", \.definition, .only("false"),
            help: "Whether cardholders can define their PIN: true (default) or false."),
        .choice(
            "definitionBy", "--definition-by", \.definitionBy, .only("indexes"),
            help: """
                How cardholders can send the PIN that they choose: pin (as digits), indexes (as positions on a keypad) \
                or both. Default: indexes for a new bank of scheme CB, whose rules forbid digits, otherwise both.
                """
        ).newer(),
        .choice(
            "definedPINs", "--defined-pins", \.definedPINs,
            help: """
                Who keeps a defined PIN. deliver (default): the bank gets it, sealed to its encryption certificate; \
                without that certificate, definitions are refused. keep: this server is the authority.
                """),
        .label(
            "definedPINKey", "--defined-pin-key", \.definedPINKey,
            help: """
                The label of the bank's pin-encryption key for defined PINs: the bank then gets them as PIN blocks of \
                format iso-1 under this key, inside the sealed value. none (default): the bank gets digits.
                """),
        .list(
            "pinBlocks", "--pin-blocks", \.pinBlocks, .fewer,
            help: """
                Which formats of PIN blocks the bank may send, comma-separated: iso-0,iso-1,iso-3,iso-4, or none \
                (default).
                """),
        .flag(
            "definitionResetsDelivery", "--definition-resets-delivery", \.definitionResetsDelivery,
            help: "Whether a defined PIN counts as never delivered: true (default) or false."),
        .list(
            "weakPINRules", "--weak-pin-rules", \.weakPINRules, .more,
            help: """
                Which PINs cannot be chosen, comma-separated: same,ascending,descending,pairs,listed (default), or \
                none.
                """),
        .flag(
            "pinExports", "--pin-exports", \.pinExports, .only("false"),
            help: """
                Whether the bank's back-end can get defined PINs for the issuer's host, as PIN blocks, PVVs or offsets: true or \
                false (default).
                """
        ).newer(),
        .flag(
            "forwardDefinedPINs", "--forward-defined-pins", \.forwardDefinedPINs, .only("false"),
            help: """
                Whether defined PINs wait for the bank's connector ('card-companion forward'): true or false (default). Those \
                that were defined before do not.
                """
        ).newer(),
        .choice(
            "definedPINEffect", "--defined-pin-effect", \.definedPINEffect,
            help: """
                What an app is told of when a defined PIN works with the card: now, later, or unsaid (default).
                """
        ).newer(),
        .pins(
            "listedPINs", "--weak-pin-file", \.listedPINs, .more,
            help: "A file with PINs that cannot be chosen, one per line, for the rule 'listed'."),
    ]

    private static let ofDocuments: [BankSetting] = [
        .choice(
            "identityCheck", "--identity-check", \.identityCheck, .only("both"),
            help: """
                Which requests need a pass: none (default), fetch, definition or both. A cardholder gets a pass when \
                an app has verified their passport or identity card.
                """),
        .choice(
            "identityAssurance", "--identity-assurance", \.identityAssurance, .only("chip"),
            help: """
                What a document must prove for a pass. chip (default): that it is not a copy. passive: documents whose \
                chip cannot prove that are accepted too.
                """),
        .number(
            "identityLifetime", "--identity-lifetime", \.identityLifetimeSeconds, 60...86_400, .smaller,
            unit: .seconds,
            help: "How long an unused pass stays valid, in seconds (default 900)."),
    ]
}
