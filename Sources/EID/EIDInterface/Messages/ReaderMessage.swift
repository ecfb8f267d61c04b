/// A reader, and the card in it (document 000, section 6.15).
public struct ReaderMessage: Sendable, Equatable {
    /// The reader's name.
    public var name: String
    /// Whether SET_CARD can put a card into it. From 1.24 on.
    public var insertable: Bool
    /// Whether the reader is connected.
    public var attached: Bool
    /// Whether the reader has a keypad of its own: then no value is sent.
    public var keypad: Bool
    /// The card; nil if there is none.
    public var card: CardMessage?

    /// By default, the reader is connected, and has no keypad.
    public init(
        name: String, insertable: Bool = false, attached: Bool = true, keypad: Bool = false, card: CardMessage? = nil
    ) {
        self.name = name
        self.insertable = insertable
        self.attached = attached
        self.keypad = keypad
        self.card = card
    }
}

/// A card in a reader. All members are nil if it is not an eID card (level 3).
public struct CardMessage: Sendable, Equatable, Codable {
    /// Whether the PUK is used up, so that it cannot unblock the PIN. It is only known after a correct PUK.
    public var inoperative: Bool?
    /// Whether the eID function is turned off.
    public var deactivated: Bool?
    /// How many tries of the PIN are left.
    public var retryCounter: Int?

    /// All are nil for a card that is not an eID card.
    public init(inoperative: Bool?, deactivated: Bool?, retryCounter: Int?) {
        self.inoperative = inoperative
        self.deactivated = deactivated
        self.retryCounter = retryCounter
    }

    /// A card that is not an eID card.
    public static let unknown = CardMessage(inoperative: nil, deactivated: nil, retryCounter: nil)
}

extension ReaderMessage: Decodable {
    enum CodingKeys: String, CodingKey {
        case name, insertable, attached, keypad, card
    }

    /// Versions leave out different members. A missing boolean is false.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        name = try members.decode(String.self, forKey: .name)
        insertable = try members.decodeIfPresent(Bool.self, forKey: .insertable) ?? false
        attached = try members.decodeIfPresent(Bool.self, forKey: .attached) ?? false
        keypad = try members.decodeIfPresent(Bool.self, forKey: .keypad) ?? false
        card = try members.decodeIfPresent(CardMessage.self, forKey: .card)
    }
}
