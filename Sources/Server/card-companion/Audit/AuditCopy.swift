import Administration
import CardCompanionModel
import CardCompanionServer
import Foundation

/// A copy of the audit trail outside the database: lines of JSON, as 'audit export' writes them.
struct AuditCopy {
    /// How much earlier than the backup an entry can be that the backup does not have: clocks differ, and a transaction takes some
    /// time.
    private static let marginSeconds: Int64 = 300

    private struct Entry: Decodable {
        let time: String
        let operation: String?
        let outcome: String?
        let bankId: String?
        let subject: String?
    }

    private let path: String
    private let contents: Data

    /// - Throws: ``CommandError`` if it cannot be read.
    init(path: String) throws {
        guard let contents = try? Data(contentsOf: URL(filePath: path)) else {
            throw CommandError.notFound("--audit: \(path) cannot be read")
        }
        self.path = path
        self.contents = contents
    }

    /// Pseudonyms of the cardholders whose apps have confirmed a delivery since a time, by bank.
    ///
    /// - Throws: ``CommandError`` if a line is none of an export, or if the copy ends before the time: then it says nothing about what
    ///   came after.
    func confirmedDeliveries(since time: Timestamp) throws -> [String: Set<String>] {
        var found: [String: Set<String>] = [:]
        let decoder = JSONDecoder()
        let from = time.advanced(bySeconds: -Self.marginSeconds)
        var newest: Timestamp?
        for (index, line) in contents.split(separator: UInt8(ascii: "\n")).enumerated() {
            guard let entry = try? decoder.decode(Entry.self, from: line), let at = try? AuditCommand.time(entry.time)
            else {
                throw CommandError.badInput("--audit: line \(index + 1) of \(path) is not a line of 'audit export'")
            }
            newest = max(newest ?? at, at)
            guard entry.operation == "notify", entry.outcome == "confirmed", at >= from, let bank = entry.bankId,
                let subject = entry.subject
            else { continue }
            found[bank, default: []].insert(subject)
        }
        guard let newest, newest >= time else {
            throw CommandError.badInput(
                "--audit: \(path) ends before the backup, so it does not show what was delivered since the backup: leave out --audit"
            )
        }
        return found
    }
}
