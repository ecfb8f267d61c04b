internal import EIDInterface
public import Foundation

/// What a simulation begins with, and what happens in it. Its cards are made up: their PINs are not secret.
public struct Scenario: Sendable {
    /// Something that happens.
    public enum Action: Sendable {
        /// A card is put into a reader.
        case insert(SimulatedCard, reader: String)
        /// The card is taken out of a reader.
        case remove(reader: String)
        /// A reader is connected.
        case attach(reader: String)
        /// A reader is disconnected.
        case detach(reader: String)
        /// The card is in a bad position. Level 3.
        case pause
        /// The kernel sends a text, which can be malformed.
        case send(String)
        /// The kernel stops answering.
        case silence
        /// The kernel closes the connection.
        case disconnect
    }

    /// Actions after a message was sent for the n-th time.
    struct Event: Sendable {
        let after: String
        let count: Int
        let actions: [Action]
    }

    var levels: [APILevel] = APILevel.allCases
    var readers: [SimulatedReader] = [
        SimulatedReader(name: "Simulator", hasKeypad: false, isInsertable: true, isAttached: true, card: defaultCard)
    ]
    var events: [Event] = []
    /// The service of RUN_AUTH.
    public var service = SimulatedService()
    /// Whether the program is closed to apps: HTTP 503.
    public var isDisabled = false
    /// Whether a workflow of the user runs: HTTP 409.
    public var isBusy = false

    /// One reader with a card: PIN 123456, CAN 654321, PUK 1234567890.
    public init() {}

    /// A new card with the default's PIN, CAN and PUK.
    public static var defaultCard: SimulatedCard? { card(CardMembers()) }
}

// MARK: Files

extension Scenario {
    /// What is wrong with a file.
    public struct Fault: Error, CustomStringConvertible, Sendable {
        /// What is wrong, for the file's author.
        public let description: String
    }

    struct CardMembers: Decodable {
        var pin: String? = nil
        var can: String? = nil
        var puk: String? = nil
        var tries: Int? = nil
        var pukUses: Int? = nil
        var deactivated: Bool? = nil
        var unknown: Bool? = nil
    }

    private struct Members: Decodable {
        struct ReaderMembers: Decodable {
            let name: String
            let keypad: Bool?
            let insertable: Bool?
            let attached: Bool?
            let card: String?
        }

        struct EventMembers: Decodable {
            let after: String
            let count: Int?
            let actions: [ActionMembers]

            enum CodingKeys: String, CodingKey {
                case after, count
                case actions = "do"
            }
        }

        struct ActionMembers: Decodable {
            let action: String
            let reader: String?
            let card: String?
            let text: String?
        }

        struct ServiceMembers: Decodable {
            let required: [AccessRight]?
            let optional: [AccessRight]?
            let transactionInfo: String?
            let aux: AccessRightsMessage.AuxiliaryData?
            let canAllowed: Bool?
            let failsAtOnce: Bool?
        }

        let levels: [Int]?
        let cards: [String: CardMembers]?
        let readers: [ReaderMembers]?
        let events: [EventMembers]?
        let service: ServiceMembers?
        let disabled: Bool?
        let busy: Bool?
    }

    /// The longest file, in bytes.
    public static let fileByteLimit = 1 << 20

    /// Reads a scenario, as docs/eid.md describes it.
    ///
    /// - Throws: ``Fault``.
    public init(parsing json: Data) throws(Fault) {
        guard json.count <= Self.fileByteLimit else { throw Fault(description: "the scenario is too long") }
        let members: Members
        do {
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .custom(Date.init(day:))
            members = try decoder.decode(Members.self, from: json)
        } catch {
            throw Fault(description: "the scenario must be JSON with the members of a scenario")
        }
        try read(members)
    }

    private mutating func read(_ members: Members) throws(Fault) {
        if let levels = members.levels {
            self.levels = levels.compactMap(APILevel.init)
            guard !levels.isEmpty, self.levels.count == levels.count else {
                throw Fault(description: "levels must be 1, 2 or 3")
            }
        }
        let cards = members.cards ?? [:]
        if let readers = members.readers {
            self.readers = []
            for reader in readers {
                self.readers.append(
                    SimulatedReader(
                        name: reader.name, hasKeypad: reader.keypad ?? false, isInsertable: reader.insertable ?? false,
                        isAttached: reader.attached ?? true, card: try Self.card(named: reader.card, cards)))
            }
        }
        for event in members.events ?? [] {
            var actions: [Action] = []
            for action in event.actions { actions.append(try Self.action(action, cards)) }
            events.append(Event(after: event.after, count: event.count ?? 1, actions: actions))
        }
        service.required = members.service?.required ?? service.required
        service.optional = members.service?.optional ?? service.optional
        service.transactionInfo = members.service?.transactionInfo
        service.auxiliaryData = members.service?.aux
        service.canAllowed = members.service?.canAllowed
        service.failsAtOnce = members.service?.failsAtOnce ?? false
        isDisabled = members.disabled ?? false
        isBusy = members.busy ?? false
    }

    private static func action(
        _ members: Members.ActionMembers, _ cards: [String: CardMembers]
    ) throws(Fault) -> Action {
        switch (members.action, members.reader) {
        case ("insert", let reader?):
            guard let card = try card(named: members.card ?? "", cards) else { break }
            return .insert(card, reader: reader)
        case ("remove", let reader?): return .remove(reader: reader)
        case ("attach", let reader?): return .attach(reader: reader)
        case ("detach", let reader?): return .detach(reader: reader)
        case ("pause", nil): return .pause
        case ("send", nil): return .send(members.text ?? "")
        case ("silence", nil): return .silence
        case ("disconnect", nil): return .disconnect
        default: break
        }
        throw Fault(description: "the action \(members.action) is not known, or its reader is missing")
    }

    /// A card of the scenario, or `default`.
    private static func card(named name: String?, _ cards: [String: CardMembers]) throws(Fault) -> SimulatedCard? {
        guard let name else { return nil }
        guard let members = name == "default" ? CardMembers() : cards[name] else {
            throw Fault(description: "there is no card \(name)")
        }
        guard let card = card(members) else {
            throw Fault(description: "the card \(name) has a PIN, CAN, PUK or counter of the wrong form")
        }
        return card
    }

    private static func card(_ members: CardMembers) -> SimulatedCard? {
        guard let pin = CardSecret(digits: members.pin ?? "123456"),
            let can = CardSecret(digits: members.can ?? "654321"),
            let puk = CardSecret(digits: members.puk ?? "1234567890")
        else { return nil }
        return SimulatedCard(
            pin: pin, can: can, puk: puk, tries: members.tries ?? SimulatedCard.tryLimit,
            pukUses: members.pukUses ?? SimulatedCard.pukUseLimit, isDeactivated: members.deactivated ?? false,
            isUnknown: members.unknown ?? false)
    }
}
