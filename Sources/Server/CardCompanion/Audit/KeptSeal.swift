package import CardCompanionModel
internal import Cryptography
package import KeyVault

extension SealMark {
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

/// The newest seal, kept where nobody who can write to the database can take it back: in the vault or, if a server cannot
/// write there, in a file of its data folder.
package struct KeptSeal: Sendable {
    private static let title = "card-companion audit mark 1"

    private let places: [any Vault]

    /// - Parameter places: it is written to the first one that takes it, and read from all.
    package init(in places: [any Vault]) {
        self.places = places
    }

    /// The newest of the seals that are kept; nil if none is.
    ///
    /// - Throws: `KeyVaultError`, ``DamagedMark``.
    package func newest() async throws -> SealMark? {
        var newest: SealMark?
        for place in places {
            for record in try await place.records(.auditMark) {
                guard let mark = Self.mark(record) else { throw DamagedMark(place: place.name) }
                if mark.number > newest?.number ?? 0 { newest = mark }
            }
        }
        return newest
    }

    /// Keeps a seal, unless a newer one is kept. It is never taken back.
    ///
    /// - Throws: as ``newest()``, if no place takes it.
    package func raise(to mark: SealMark) async throws {
        guard try await newest()?.number ?? 0 < mark.number else { return }
        var failure: KeyVaultError?
        for place in places {
            do {
                return try await place.keep(Self.record(of: mark), as: .auditMark)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    private static func record(of mark: SealMark) -> [UInt8] { Array("\(title)\nseal \(mark.text)\n".utf8) }

    private static func mark(_ record: [UInt8]) -> SealMark? {
        let lines = String(decoding: record, as: UTF8.self).split(separator: "\n")
        guard lines.count == 2, lines[1].hasPrefix("seal "), let mark = SealMark(String(lines[1].dropFirst(5))),
            // Only the exact text is accepted.
            Self.record(of: mark) == record
        else { return nil }
        return mark
    }
}

/// What is kept about the newest seal cannot be read.
package struct DamagedMark: Error, CustomStringConvertible {
    let place: String

    package var description: String {
        "the record of the newest seal (audit-mark) in '\(place)' is damaged: run 'card-companion audit verify --last-seal' with a "
            + "seal that you know, then remove the record"
    }
}
