import PINVerification
import SecureMemory
import StrictJSON
import Synchronization

/// A made-up terminal, where somebody pays with a card and its PIN. The host behind it decides.
final class SandboxTerminal: Sendable {
    /// As at a real host: after so many wrong PINs in a row it refuses each one, until the cardholder has another PIN or, here, the
    /// server starts again.
    private static let tryLimit = 3
    private static let pinLengths = 4...12

    private struct WrongTries {
        /// Which PIN was tried: the event of its definition.
        let event: String
        var count = 0
    }

    private let sandbox: Sandbox
    private let hsm: SandboxHSM
    private let wrongTries = Mutex<[String: WrongTries]>([:])

    init(of sandbox: Sandbox) throws {
        self.sandbox = sandbox
        hsm = try SandboxHSM(directory: sandbox.directory)
    }

    /// Whether the host accepts a PIN for the card of a cardholder.
    ///
    /// - Throws: ``SandboxRefusal`` if it is no PIN.
    func answer(to pin: borrowing SecretBytes, of uniqueId: String) throws -> SecretBytes {
        let isPIN = pin.withBytes { Self.pinLengths ~= $0.count && $0.allSatisfy { 0x30...0x39 ~= $0 } }
        guard isPIN else {
            throw SandboxRefusal("pin must be \(Self.pinLengths.lowerBound) to \(Self.pinLengths.upperBound) digits")
        }
        let card = SandboxCard(of: uniqueId)
        let known = try HostCards(of: sandbox)[uniqueId].present
        let isRight = try known.map { try hsm.has(pin, of: card, value: $0.pvv.bytes) } ?? false
        let (isAccepted, triesLeft) = known.map { count(isRight, of: uniqueId, $0.event) } ?? (false, Self.tryLimit)
        return JSONWriter.object { json in
            json.add("isAccepted", isAccepted)
            json.add("cardNumber", card.masked)
            json.add("knows", known != nil)
            json.add("triesLeft", Int64(triesLeft))
        }
    }

    private func count(_ isRight: Bool, of uniqueId: String, _ event: String) -> (isAccepted: Bool, triesLeft: Int) {
        wrongTries.withLock { all in
            var tries = all[uniqueId].flatMap { $0.event == event ? $0 : nil } ?? WrongTries(event: event)
            let isAccepted = isRight && tries.count < Self.tryLimit
            if isAccepted {
                tries.count = 0
            } else if tries.count < Self.tryLimit {
                tries.count += 1
            }
            all[uniqueId] = tries
            return (isAccepted, Self.tryLimit - tries.count)
        }
    }
}
