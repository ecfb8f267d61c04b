package import CardCompanionModel
internal import Cryptography

/// What servers rely on: the objects of a bank, or of the installation, each with what it must be. What is not in the newest
/// version does not count, whatever the database has.
///
/// The installation's inventory has the hash of each bank's, and a MAC of its own.
package struct Inventory: Sendable, Equatable {
    package struct Name: Sendable, Hashable, Comparable {
        package let kind: InventoryKind
        /// Empty if there is only one object of the kind.
        package let name: String

        package init(_ kind: InventoryKind, _ name: String = "") {
            self.kind = kind
            self.name = name
        }

        /// By byte, as in the database. Swift compares characters.
        package static func == (one: Name, other: Name) -> Bool {
            one.kind == other.kind && one.name.utf8.elementsEqual(other.name.utf8)
        }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(kind)
            for byte in name.utf8 { hasher.combine(byte) }
        }

        package static func < (one: Name, other: Name) -> Bool {
            one.kind == other.kind
                ? one.name.utf8.lexicographicallyPrecedes(other.name.utf8) : one.kind.rawValue < other.kind.rawValue
        }
    }

    package struct Entry: Sendable, Hashable {
        /// What the object must be: the digest of an ``InventoryObject`` in hex, or a key's state. It has no spaces.
        package let value: String
        /// The approval of two operators that covers the object; nil if none does.
        package let approvalId: String?

        package init(_ value: String, approvalId: String? = nil) {
            self.value = value
            self.approvalId = approvalId
        }
    }

    /// Nil: the installation.
    package let scope: Identifier?
    package let version: Int64
    /// Of the version before this one; nil for the first one.
    package let previousHash: [UInt8]?
    package let entries: [Name: Entry]

    private static let title = "card-companion inventory 1"

    /// The first version.
    init(first entries: [Name: Entry], of scope: Identifier?) {
        self.init(scope: scope, version: 1, previousHash: nil, entries: entries)
    }

    private init(scope: Identifier?, version: Int64, previousHash: [UInt8]?, entries: [Name: Entry]) {
        self.scope = scope
        self.version = version
        self.previousHash = previousHash
        self.entries = entries
    }

    package subscript(kind: InventoryKind, name: String) -> Entry? { entries[Name(kind, name)] }

    /// All entries of a kind, by name.
    package func entries(of kind: InventoryKind) -> [(name: String, entry: Entry)] {
        entries.filter { $0.key.kind == kind }.sorted { $0.key < $1.key }.map { ($0.key.name, $0.value) }
    }

    /// The version after this one.
    ///
    /// - Parameter version: nil for the next number.
    func next(_ entries: [Name: Entry], version: Int64? = nil) -> Inventory {
        Inventory(scope: scope, version: version ?? self.version + 1, previousHash: hash, entries: entries)
    }

    /// SHA-256 of the text.
    package var hash: [UInt8] { SHA256.hash(Array(text.utf8)) }

    package var mark: Mark { Mark(number: version, hash: hash) }

    /// One line for each entry: `certificate DIGEST APPROVAL 2027`. The name comes last and can have spaces.
    package var text: String {
        let head = [
            Self.title, scope.map { "bank \($0)" } ?? "installation", "version \(version)",
            "previous \(previousHash.map { Hex.encode($0) } ?? Self.none)",
        ]
        let lines = entries.sorted { $0.key < $1.key }.map { name, entry in
            "\(name.kind.rawValue) \(entry.value) \(entry.approvalId ?? Self.none) \(EscapedLine.text(name.name))"
        }
        return (head + lines).map { "\($0)\n" }.joined()
    }

    private static let none = "-"

    /// Reads a text.
    ///
    /// - Returns: nil if it is not exactly what ``text`` makes, for that scope.
    package init?(_ text: String, of scope: Identifier?) {
        let lines = text.utf8.split(separator: UInt8(ascii: "\n")).map { line in
            line.split(separator: UInt8(ascii: " "), maxSplits: 3, omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
        }
        guard lines.count >= 4, lines[2].count == 2, let version = Int64(lines[2][1]), version > 0, lines[3].count == 2
        else { return nil }
        var entries: [Name: Entry] = [:]
        for line in lines.dropFirst(4) {
            guard line.count == 4, let kind = InventoryKind(rawValue: line[0]), let name = EscapedLine.parse(line[3])
            else { return nil }
            entries[Name(kind, name)] = Entry(line[1], approvalId: line[2] == Self.none ? nil : line[2])
        }
        let previous = lines[3][1] == Self.none ? nil : Hex.decode(lines[3][1])
        self.init(scope: scope, version: version, previousHash: previous, entries: entries)
        // Swift compares characters, and the same character can have other bytes.
        guard self.text.utf8.elementsEqual(text.utf8) else { return nil }
    }
}

/// What an inventory has. The raw values are in its text.
package enum InventoryKind: String, Sendable, CaseIterable {
    // Of a bank.

    /// The bank's settings and status, as they are.
    case settings
    /// The same, as two operators have approved them. One operator can have tightened them since.
    case approvedSettings = "approved-settings"
    case hmacKey = "hmac-key"
    case key
    case certificate
    /// A CRL of an issuer of the bank's certificates.
    case revocationList = "crl"
    case issuerKey = "issuer-key"
    case webhook
    case documentClient = "document-client"

    // Of a bank, or of all banks.

    /// The root that signs lists of the authorities that sign documents.
    case trustRoot = "trust-root"
    /// The list under it.
    case trustList = "trust-list"
    /// A CRL of one of these authorities.
    case trustRevocationList = "trust-crl"

    // Of the installation.

    /// Number and hash of a bank's inventory.
    case bank
    /// Purpose, state and start.
    case dataKey = "data-key"
    /// Kind, status, and when it was retired.
    case serverKey = "server-key"
    case recoveryKey = "recovery-key"
    /// Status of a master key in a file or on a token.
    case masterKey = "master-key"
    /// A proposed change that was made or rejected: it cannot be approved again. Its value is when it would have expired.
    case closedProposal = "closed-proposal"
    /// When operators went on with an older version: proposals from before cannot be approved, because that version does not know which
    /// of them were made. It stays as long as such a proposal could be approved.
    case proposalsFrom = "proposals-from"
    /// The version that operators have given up to go on with an older one.
    case lostVersion = "lost-version"
}
