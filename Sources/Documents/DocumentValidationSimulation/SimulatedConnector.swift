internal import Cryptography
package import EMRTD
package import EMRTDSimulation
internal import SecureMemory
package import StrictJSON

/// An app with a simulated chip, which speaks document 003 as the published connectors do. It sends and receives nothing itself, so
/// that it works over any connection. For trials and tests.
package struct SimulatedConnector: Sendable {
    package enum Message: Sendable {
        case text([UInt8])
        case binary([UInt8])
    }

    /// When the app asks the chip for a signature.
    package enum ActiveAuthentication: Sendable {
        /// If the chip has not proven its key by chip authentication, as the published connectors do.
        case ifNeeded
        case always
        case never
    }

    /// How the app behaves.
    package struct Plan: Sendable {
        package var platform = "android"
        package var allowsExtendedLength = true
        package var wantsDiagnostics = false
        package var sendsResult = true
        package var handsOver = true
        package var activeAuthentication = ActiveAuthentication.ifNeeded
        /// Whether it sends nothing more after CA_HANDBACK.
        package var pausesAfterHandBack = false
        /// The cipher of the channel that access control has made.
        package var cipher = SessionKeys.Cipher.aes128
        package var maxTransceiveLength = 256
        package var maxBlockSize = 224
        /// The files that it sends, in this order. EF.DG1 comes from chip authentication if there is one.
        package var files: [FileName] = [.securityObject, .dataGroup(1), .dataGroup(2), .dataGroup(15)]

        package init() {}
    }

    /// How the session ended.
    package struct End: Hashable, Sendable {
        package let code: Int
        package let reason: String

        package init(code: Int, reason: String) {
            self.code = code
            self.reason = reason
        }
    }

    private let validationId: String
    private let clientId: String
    private let plan: Plan
    private var chip: SimulatedChip
    private var channel: SecureChannel
    private var sent: Set<FileName> = []
    private var challenge: [UInt8] = []

    /// What CA_HANDBACK said.
    package private(set) var chipAuthenticationResult: String?
    /// What RESULT brought: the JSON of the passport.
    package private(set) var result: JSONValue?
    /// What CLOSE said.
    package private(set) var end: End?
    /// What the app has sent and received, without contents.
    package private(set) var story: [String] = []

    /// - Parameter chip: what is held to the phone.
    package init(
        validationId: String, clientId: String, document: SimulatedDocument, misbehaviors: [Misbehavior] = [],
        plan: Plan = Plan()
    ) throws {
        self.validationId = validationId
        self.clientId = clientId
        self.plan = plan
        let count = plan.cipher.keyByteCount
        let keys = try SessionKeys(
            plan.cipher, encryptionKey: SecureRandom.secret(count: count),
            authenticationKey: SecureRandom.secret(count: count))
        channel = SecureChannel(keys: keys)
        chip = SimulatedChip(document, keys: keys, misbehaviors: misbehaviors)
    }

    /// The first message.
    package mutating func start() -> [Message] {
        let (validationId, clientId, plan) = (validationId, clientId, plan)
        return [
            text("START") { writer in
                writer.add("validationId", validationId)
                writer.add("clientId", clientId)
                writer.add("platform", plan.platform)
                writer.add("nfcAdapterSupportsExtendedLength", plan.allowsExtendedLength)
                writer.add("enableDiagnostics", plan.wantsDiagnostics)
            }
        ]
    }

    /// Takes a text of the server, and says what the app sends then.
    ///
    /// - Throws: `JSONError` if it is not JSON.
    package mutating func receive(text: [UInt8]) throws -> [Message] {
        let json = try JSONText(SecretBytes(copying: text))
        let type = json.text(of: "type") ?? ""
        story.append("received \(type)")
        switch type {
        case "ACCEPT":
            challenge = json.text(of: "activeAuthenticationChallenge").flatMap(Base64.decode) ?? []
            return readAndHandOver()
        case "CA_HANDBACK":
            chipAuthenticationResult = json.text(of: "checkResult")
            if let info = json.object("secureMessagingInfo") { channel = try Self.channel(info) ?? channel }
            return plan.pausesAfterHandBack ? [] : readAndFinish()
        case "RESULT":
            result = try JSONValue(parsing: text)["passport"]
            return []
        case "CLOSE":
            end = End(code: json.text(of: "code").flatMap { Int($0) } ?? 0, reason: json.text(of: "reason") ?? "")
            return []
        default: return []
        }
    }

    /// Takes a binary message of the server. If the chip gives no answer, there is no message.
    package mutating func receive(binary: [UInt8]) -> [Message] {
        switch binary.first {
        case 1:
            story.append("received FILE")
            let name = String(decoding: binary.dropFirst(2).prefix(Int(binary[1])), as: UTF8.self)
            if let name = FileName(name) { sent.insert(name) }
            return []
        case 2:
            story.append("received APDU")
            return chip.answer(Array(binary.dropFirst())).map { [.binary([2] + $0)] } ?? []
        default: return []
        }
    }
}

// MARK: What it reads and sends

extension SimulatedConnector {
    private mutating func readAndHandOver() -> [Message] {
        guard plan.handsOver, let dg14 = read(.dataGroup(14)) else { return readAndFinish() }
        let file = file(.dataGroup(14), dg14)
        let (plan, channel) = (plan, channel)
        let handOver = text("CA_HANDOVER") { writer in
            writer.add("maxTransceiveLengthForSecureMessaging", Int64(plan.maxTransceiveLength))
            writer.add("maxBlockSize", Int64(plan.maxBlockSize))
            writer.add("secureMessagingInfo", object: { Self.add(channel, to: &$0) })
        }
        return [file, handOver]
    }

    private mutating func readAndFinish() -> [Message] {
        var messages: [Message] = []
        for name in plan.files where !sent.contains(name) {
            if let content = read(name) { messages.append(file(name, content)) }
        }
        let signature = asksForSignature ? answerChallenge() : nil
        let sendsResult = plan.sendsResult
        let finish = text("FINISH") { writer in
            writer.add("sendResult", sendsResult)
            if let signature { writer.add("activeAuthenticationSignature", Base64.encode(signature)) }
        }
        return messages + [finish]
    }

    private mutating func file(_ name: FileName, _ content: [UInt8]) -> Message {
        story.append("sent \(name)")
        sent.insert(name)
        let text = Array("\(name)".utf8)
        return .binary([1, UInt8(text.count)] + text + content)
    }

    private mutating func text(_ type: String, _ members: (inout JSONWriter) -> Void) -> Message {
        story.append("sent \(type)")
        let json = JSONWriter.object { writer in
            writer.add("type", type)
            members(&writer)
        }
        return .text(json.withBytes { Array($0) })
    }

    /// Nil if the chip does not have the file.
    private mutating func read(_ name: FileName) -> [UInt8]? {
        var reading = FileReading(name, chunkByteCount: 200)
        var command = reading.first
        while let response = exchange(command) {
            switch reading.receive(response) {
            case .command(let next): command = next
            case .file(let content): return content.bytes
            case .failed: return nil
            }
        }
        return nil
    }

    private var asksForSignature: Bool {
        switch plan.activeAuthentication {
        case .ifNeeded: chipAuthenticationResult != "SUCCESS"
        case .always: true
        case .never: false
        }
    }

    private mutating func answerChallenge() -> [UInt8]? {
        let command = CommandAPDU(instruction: 0x88, p1: 0, p2: 0, data: challenge, expectedCount: 256)
        guard let response = exchange(command), response.status == .success else { return nil }
        return response.data.bytes
    }

    private mutating func exchange(_ command: CommandAPDU) -> ResponseAPDU? {
        guard let bytes = try? channel.protect(command), let answer = chip.answer(bytes) else { return nil }
        return try? channel.unprotect(Octets(copying: answer))
    }
}

// MARK: The object SecureMessagingInfo

extension SimulatedConnector {
    private static func add(_ channel: SecureChannel, to writer: inout JSONWriter) {
        writer.add("algorithm", channel.keys.cipher == .tripleDES ? "DESede" : "AES")
        writer.add("encKey", base64: channel.keys.encryptionKey.bytes)
        writer.add("macKey", base64: channel.keys.authenticationKey.bytes)
        writer.add("ssc", channel.counter.signed ?? 0)
    }

    private static func channel(_ info: borrowing JSONText) throws -> SecureChannel? {
        guard let algorithm = info.text(of: "algorithm"), let counter = info.text(of: "ssc").flatMap({ Int64($0) }),
            let encryption = info.text(of: "encKey").flatMap(Base64.decode),
            let authentication = info.text(of: "macKey").flatMap(Base64.decode),
            let cipher = algorithm == "DESede" ? .tripleDES : Self.aes(keyByteCount: encryption.count)
        else { return nil }
        // If a key of Triple DES has three parts, the third is the first one.
        let keys = try SessionKeys(
            cipher, encryptionKey: SecretBytes(copying: Array(encryption.prefix(cipher.keyByteCount))),
            authenticationKey: SecretBytes(copying: Array(authentication.prefix(cipher.keyByteCount))))
        return SecureChannel(keys: keys, counter: SendSequenceCounter(signed: counter, cipher: cipher))
    }

    private static func aes(keyByteCount: Int) -> SessionKeys.Cipher? {
        [.aes128, .aes192, .aes256].first { $0.keyByteCount == keyByteCount }
    }
}
