package import CardCompanionModel
internal import Cryptography
package import KeyVault

extension Mark {
    /// Reads `NUMBER:HASH`, with the hash in hex.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let number = Int64(parts[0]), number > 0, let hash = Hex.decode(parts[1]),
            hash.count == SHA256.byteCount
        else { return nil }
        self.init(number: number, hash: hash)
    }

    /// `NUMBER:HASH`.
    package var text: String { "\(number):\(Hex.encode(hash))" }
}

/// The newest seal, or the newest version of the inventory, kept where nobody who can write to the database can take it back: in the
/// vault or, if a server cannot write there, in a file of its data folder.
package struct KeptMark: Sendable {
    /// What is kept.
    package enum Kind: Sendable {
        case seal
        case inventory

        fileprivate var record: VaultRecordKind {
            switch self {
            case .seal: .auditMark
            case .inventory: .inventoryMark
            }
        }

        fileprivate var title: String {
            switch self {
            case .seal: "card-companion audit mark 1"
            case .inventory: "card-companion inventory mark 1"
            }
        }

        fileprivate var word: String {
            switch self {
            case .seal: "seal"
            case .inventory: "version"
            }
        }
    }

    private let kind: Kind
    private let places: [any Vault]

    /// - Parameter places: it is written to the first one that takes it, and read from all.
    package init(_ kind: Kind, in places: [any Vault]) {
        self.kind = kind
        self.places = places
    }

    /// The newest one that is kept; nil if none is.
    ///
    /// - Throws: `KeyVaultError`, ``DamagedMark``.
    package func newest() async throws -> Mark? {
        var newest: Mark?
        for place in places {
            for record in try await place.records(kind.record) {
                guard let mark = mark(record) else { throw DamagedMark(kind: kind, place: place.name) }
                if mark.number > newest?.number ?? 0 { newest = mark }
            }
        }
        return newest
    }

    /// Keeps one, unless a newer one is kept. It is never taken back.
    ///
    /// - Returns: the one that is kept afterwards. If it has the same number and another hash, somebody was faster.
    /// - Throws: as ``newest()``, if no place takes it.
    @discardableResult
    package func raise(to mark: Mark) async throws -> Mark {
        if let newest = try await newest(), newest.number >= mark.number { return newest }
        var failure: KeyVaultError?
        for place in places {
            do {
                try await place.replace(kind.record) { records in
                    let newest = records.compactMap(self.mark).map(\.number).max() ?? 0
                    return newest < mark.number ? record(of: mark) : nil
                }
                return try await newest() ?? mark
            } catch let error as KeyVaultError {
                failure = error
            }
        }
        if let failure { throw failure }
        return mark
    }

    private func record(of mark: Mark) -> [UInt8] { Array("\(kind.title)\n\(kind.word) \(mark.text)\n".utf8) }

    private func mark(_ record: [UInt8]) -> Mark? {
        let lines = String(decoding: record, as: UTF8.self).split(separator: "\n")
        guard lines.count == 2, let text = lines[1].split(separator: " ").last, let mark = Mark(String(text)),
            // Only the exact text is accepted.
            self.record(of: mark) == record
        else { return nil }
        return mark
    }
}

/// What is kept about the newest seal, or the newest version of the inventory, cannot be read.
package struct DamagedMark: Error, CustomStringConvertible {
    let kind: KeptMark.Kind
    let place: String

    package var description: String {
        switch kind {
        case .seal:
            "the record of the newest seal (audit-mark) in '\(place)' is damaged: run 'card-companion audit verify --last-seal' with "
                + "a seal that you know, then remove the record"
        case .inventory:
            "the record of the newest inventory (inventory-mark) in '\(place)' is damaged: find out who has changed it. If you trust the "
                + "database, remove the record: then the version in the database counts, and the log names it"
        }
    }
}
