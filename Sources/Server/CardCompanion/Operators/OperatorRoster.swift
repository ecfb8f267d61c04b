internal import Cryptography

/// The operators of an installation and whether it needs two of them. The vault keeps it, so a writer to the database cannot
/// change it.
package struct OperatorRoster: Sendable, Equatable {
    /// A person who signs approvals.
    package struct Member: Sendable, Equatable {
        package let name: String
        /// An Ed25519 key, 32 bytes.
        package let publicKey: [UInt8]

        /// - Throws: ``InvalidSetting``.
        package init(name: String, publicKey: [UInt8]) throws(InvalidSetting) {
            let allowed = Set("abcdefghijklmnopqrstuvwxyz0123456789.-_")
            guard 1...OperatorRoster.nameLimit ~= name.count, name.allSatisfy(allowed.contains) else {
                throw InvalidSetting(
                    description:
                        "an operator's name must have 1 to \(OperatorRoster.nameLimit) of the characters a to z, 0 to 9, "
                        + "'.', '-' and '_' (was \(ClientText.quoted(name)))")
            }
            self.name = name
            self.publicKey = publicKey
        }
    }

    package static let nameLimit = 32
    /// With fewer, nothing could be approved.
    package static let memberMinimum = 2
    package static let memberLimit = 100

    /// 16 random bytes in hex. An approval of another installation is not valid here.
    package let installationId: String
    /// Grows with each change.
    package private(set) var sequence: Int64
    /// Whether changes need two operators.
    package private(set) var isDual: Bool
    package private(set) var members: [Member]

    private static let installationIdByteCount = 16
    private static let title = "card-companion operators 1"

    /// The first operators of an installation.
    ///
    /// - Throws: ``InvalidSetting``.
    package init(first members: [Member], isDual: Bool) throws(InvalidSetting) {
        installationId = Hex.encode(SecureRandom.bytes(count: Self.installationIdByteCount))
        sequence = 1
        self.isDual = isDual
        self.members = members
        try validate()
    }

    /// Whether it can take the place of another one: a later one of the same installation.
    func isLater(than other: OperatorRoster?) -> Bool {
        guard let other else { return true }
        return installationId == other.installationId && sequence > other.sequence
    }

    /// The first 16 bytes of a key's SHA-256, to compare by voice.
    package static func fingerprint(_ publicKey: [UInt8]) -> String {
        Hex.encode(Array(SHA256.hash(publicKey).prefix(16)))
    }

    package func member(_ name: String) -> Member? { members.first { $0.name == name } }

    /// The roster with one more operator.
    ///
    /// - Throws: ``InvalidSetting`` if the name or the key is taken.
    package func adding(_ member: Member) throws(InvalidSetting) -> OperatorRoster {
        try changed { $0.members.append(member) }
    }

    /// The roster without an operator. What they have approved must be approved again.
    ///
    /// - Throws: ``InvalidSetting`` if there is no such operator, or fewer than two would be left.
    package func removing(_ name: String) throws(InvalidSetting) -> OperatorRoster {
        guard member(name) != nil else {
            throw InvalidSetting(description: "there is no operator '\(name)': see 'card-companion operator list'")
        }
        return try changed { $0.members.removeAll { $0.name == name } }
    }

    package func with(isDual: Bool) throws(InvalidSetting) -> OperatorRoster {
        try changed { $0.isDual = isDual }
    }

    private func changed(_ change: (inout OperatorRoster) -> Void) throws(InvalidSetting) -> OperatorRoster {
        var roster = self
        change(&roster)
        roster.sequence += 1
        try roster.validate()
        return roster
    }

    private func validate() throws(InvalidSetting) {
        guard Self.memberMinimum...Self.memberLimit ~= members.count else {
            throw InvalidSetting(
                description:
                    "an installation must have \(Self.memberMinimum) to \(Self.memberLimit) operators (would have "
                    + "\(members.count))")
        }
        guard Set(members.map(\.name)).count == members.count else {
            throw InvalidSetting(description: "two operators must not have the same name")
        }
        guard Set(members.map(\.publicKey)).count == members.count else {
            throw InvalidSetting(description: "two operators must not have the same key")
        }
    }
}

extension OperatorRoster {
    /// The text that the vault keeps.
    package var bytes: [UInt8] {
        let lines =
            [
                Self.title, "installation \(installationId)", "sequence \(sequence)",
                "dual-control \(isDual ? "on" : "off")",
            ] + members.map { "operator \($0.name) \(Hex.encode($0.publicKey))" }
        return Array(lines.map { "\($0)\n" }.joined().utf8)
    }

    /// Reads what the vault keeps.
    ///
    /// - Parameter records: several if a change was interrupted: the newest counts.
    /// - Returns: nil if there are none.
    /// - Throws: ``DamagedOperators`` if one of them is not what ``bytes`` makes.
    package static func newest(of records: [[UInt8]]) throws(DamagedOperators) -> OperatorRoster? {
        var newest: OperatorRoster?
        for record in records {
            guard let roster = OperatorRoster(record) else { throw DamagedOperators() }
            if roster.sequence > newest?.sequence ?? 0 { newest = roster }
        }
        return newest
    }

    private init?(_ record: [UInt8]) {
        let lines = String(decoding: record, as: UTF8.self).split(separator: "\n").map { $0.split(separator: " ") }
        guard lines.count > 4, lines[1...3].allSatisfy({ $0.count == 2 }), let sequence = Int64(lines[2][1]) else {
            return nil
        }
        var members: [Member] = []
        for line in lines.dropFirst(4) {
            guard line.count == 3, let key = Hex.decode(String(line[2])),
                let member = try? Member(name: String(line[1]), publicKey: key)
            else { return nil }
            members.append(member)
        }
        installationId = String(lines[1][1])
        self.sequence = sequence
        isDual = lines[3][1] == "on"
        self.members = members
        // Only the exact text is accepted.
        guard bytes == record, (try? validate()) != nil else { return nil }
    }
}

/// The vault's record of operators cannot be read.
package struct DamagedOperators: Error, CustomStringConvertible {
    package let description = "the vault's record of the operators is damaged"
}
