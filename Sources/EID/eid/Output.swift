import EIDInterface
import EIDWorkflow
import Foundation

/// Writes what a command finds: text, or lines of JSON on standard output. What is asked goes to standard error.
struct Output: Sendable {
    let json: Bool

    private struct ReaderRecord: Encodable {
        let reader: String
        let attached: Bool
        let keypad: Bool
        let card: Card?
    }

    private struct ScreenRecord: Encodable {
        let screen: String
        let progress: Int?
        let url: String?
        let message: String?
    }

    func write(_ version: VersionInfo) {
        guard json else { return line(version.members.map { "\($0): \($1)" }.joined(separator: "\n")) }
        encode(Dictionary(uniqueKeysWithValues: version.members.map { ($0.name, $0.value) }))
    }

    func write(_ reader: Reader) {
        guard json else { return line("\(reader.name): \(Self.words(reader))") }
        encode(
            ReaderRecord(reader: reader.name, attached: reader.attached, keypad: reader.keypad, card: reader.card))
    }

    private static func words(_ reader: Reader) -> String {
        guard reader.attached else { return "not connected" }
        guard let card = reader.card else { return "no card" }
        if card == .unknown { return "a card without the eID function" }
        if card.deactivated == true { return "a card whose eID function is turned off" }
        if card.inoperative == true { return "a card whose PUK cannot be used any more" }
        return "a card with \(card.retryCounter ?? 0) tries left for its PIN"
    }

    /// A screen that asks for nothing.
    func write(_ screen: String, progress: Int? = nil, url: URL? = nil, message: String? = nil, text: String) {
        guard json else { return line(text) }
        encode(ScreenRecord(screen: screen, progress: progress, url: url?.absoluteString, message: message))
    }

    /// Something for the cardholder that is no result.
    func ask(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }

    private func line(_ text: String) {
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }

    private func encode(_ value: some Encodable) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if let bytes = try? encoder.encode(value) { line(String(decoding: bytes, as: UTF8.self)) }
    }
}
