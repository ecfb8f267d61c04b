/// The parsers that read what strangers send. ``read(_:)`` is the entry point of the fuzzer, and of the test that replays its
/// corpus.
package enum HostileParser: String, CaseIterable, Sendable {
    case json
    case requestBody = "request-body"
    case authenticationToken = "authentication-token"
    case keypad
    case importLines = "import-lines"
    case jwe
    case httpSignature = "http-signature"
    case requestHead = "request-head"
    case pem
    case der
    case keyBlock = "key-block"
    case pinBlock = "pin-block"
    case operators
    case inventory
    case documentFile = "document-file"
    case securityObject = "security-object"
    case masterList = "master-list"
    case chipAnswer = "chip-answer"
    case documentSession = "document-session"
    case webSocket = "web-socket"
    case eidMessage = "eid-message"
    case eidCommand = "eid-command"

    /// Gives bytes to the parser. Whether it accepts or refuses them, it must not crash, and what it accepts must be
    /// consistent. Otherwise the process stops.
    package func read(_ bytes: [UInt8]) {
        switch self {
        case .json: JSONInput.read(bytes)
        case .requestBody: RequestInput.readBody(bytes)
        case .authenticationToken: RequestInput.readToken(bytes)
        case .keypad: KeypadInput.read(bytes)
        case .importLines: ImportInput.read(bytes)
        case .jwe: JWEInput.read(bytes)
        case .httpSignature: SignatureInput.read(bytes)
        case .requestHead: RequestHeadInput.read(bytes)
        case .pem: KeyFileInput.readPEM(bytes)
        case .der: KeyFileInput.readDER(bytes)
        case .keyBlock: KeyBlockInput.read(bytes)
        case .pinBlock: PINBlockInput.read(bytes)
        case .operators: OperatorInput.read(bytes)
        case .inventory: InventoryInput.read(bytes)
        case .documentFile: DocumentInput.readFile(bytes)
        case .securityObject: DocumentInput.readSecurityObject(bytes)
        case .masterList: DocumentInput.readMasterList(bytes)
        case .chipAnswer: ChipInput.read(bytes)
        case .documentSession: SessionInput.read(bytes)
        case .webSocket: WebSocketInput.read(bytes)
        case .eidMessage: EIDInput.readMessages(bytes)
        case .eidCommand: EIDInput.readCommands(bytes)
        }
    }
}

/// Stops the process if a parser is not consistent.
func require(_ isConsistent: Bool, _ problem: @autoclosure () -> String) {
    precondition(isConsistent, problem())
}

extension Array where Element == UInt8 {
    /// The bytes as text, with a replacement for each that is not UTF-8.
    var text: String { String(decoding: self, as: UTF8.self) }

    /// The parts between line feeds, of which the last one can have more line feeds.
    func lines(atMost count: Int) -> [String] {
        let lines = split(separator: UInt8(ascii: "\n"), maxSplits: count - 1, omittingEmptySubsequences: false)
        return lines.map { Array($0).text } + [String](repeating: "", count: count - lines.count)
    }
}

/// Makes a value that a parser needs besides the input.
func make<Value: ~Copyable>(_ body: () throws -> Value) -> Value {
    do {
        return try body()
    } catch {
        preconditionFailure("a value that a parser needs was not made: \(error)")
    }
}
