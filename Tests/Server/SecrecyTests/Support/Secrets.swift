import ServerHarness

/// Random secrets that are too long to occur anywhere by chance.
enum Secrets {
    /// A PIN of twelve digits.
    static func pin() -> String {
        String((0..<12).map { _ in Character("\(Int.random(in: 0...9))") })
    }

    /// An authentication code of 24 letters and digits.
    static func code() -> String {
        let letters = Array("abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ0123456789")
        return String((0..<24).map { _ in letters.randomElement() ?? "x" })
    }
}

/// A way in which a request with an authentication code reaches the server.
enum Arrival: String, CaseIterable, Sendable {
    case inOnePiece, byteByByte, cutInTheCode, chunked, pipelined, onAConnectionThatStaysOpen
    case withAWrongCode, withAWrongMAC, withoutAMember
    case asAnotherType, toNowhere, withAnotherMethod, tooLong, tooLongInChunks, notJSON, neverFinished
    case inAToken, inAMistakenMember

    /// Whether the request delivers a PIN.
    var delivers: Bool {
        switch self {
        case .inOnePiece, .byteByByte, .cutInTheCode, .chunked, .pipelined, .onAConnectionThatStaysOpen, .inAToken: true
        default: false
        }
    }
}

extension Arrival {
    /// All ways after which memory must be wiped. Single bytes are excluded, because NIO's HTTP parser collects them in
    /// copies that the server cannot wipe (see docs/threat-model.md).
    static let wiped = allCases.filter { $0 != .byteByByte }
}
