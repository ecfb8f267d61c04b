import Crypto
import CryptoExtras
import Foundation
import PythonOracle
import ServerHarness
import Testing

/// A bank that may get defined PINs for its host, with keys that psec has wrapped.
struct Exporter: Sendable {
    static let shared = Once { try await Exporter() }
    /// How the cards of all keys begin.
    static let prefix = "412345"
    static let cards = ["--pan-length", "16", "--pan-prefixes", "\(prefix),54321098"]
    static let settings = [
        "--pin-exports", "true", "--retention", "keep-repeat", "--weak-pin-rules", "none", "--definitions-per-day",
        "100",
    ]

    private static let wrapping = PythonOracle(script: "../../../Keys/KeyBlocksTests/Oracles/psec_oracle.py")
    private static let blocks = PythonOracle(script: "../../../Keys/PINBlocksTests/Oracles/psec_oracle.py")
    private static let values = PythonOracle(script: "../../../Keys/PINVerificationTests/Oracles/psec_oracle.py")

    static let table = "8351296477421905"

    /// A key for the issuer's host: the header's letters, its length, and its options.
    struct Kind: Sendable {
        let label: String
        let letters: String
        let byteCount: Int
        let options: [String]

        static let all = [
            Kind(
                label: "tdes", letters: "P0TE", byteCount: 16,
                options: usage("pin-translation") + ["--formats", "iso-3"]),
            Kind(
                label: "tdes0", letters: "P0TE", byteCount: 24,
                options: usage("pin-translation") + ["--formats", "iso-3,iso-0"]),
            Kind(
                label: "aes", letters: "P0AE", byteCount: 32,
                options: usage("pin-translation") + ["--formats", "iso-4"]),
            Kind(label: "pvk", letters: "V2TG", byteCount: 16, options: usage("visa-pvv") + ["--pvki", "3"]),
            Kind(
                label: "ibm", letters: "V1TC", byteCount: 24,
                options: usage("ibm3624-offset") + [
                    "--decimalization-table", table, "--validation-data", "4:12:D", "--pin-length", "4",
                ]),
        ]

        private static func usage(_ usage: String) -> [String] { ["--usage", usage] }
    }

    let backend: Backend
    let encryptionKey: TestEncryptionKey
    let protectionKey: [UInt8]
    /// By label, in hex.
    private(set) var keys: [String: String] = [:]

    init(_ settings: [String] = settings, kinds: [Kind] = Kind.all) async throws {
        let service = try await Service.shared.value
        backend = try await service.makeBackend(settings)
        encryptionKey = try await service.installation.importEncryptionCertificate(into: backend.bank)
        protectionKey = Self.random(32)
        try await service.installation.importKey(
            protectionKey, label: "kbpk", into: backend.bank.id, ["--usage", "key-block", "--algorithm", "aes"])
        for kind in kinds {
            let key = Self.random(kind.byteCount)
            keys[kind.label] = Hex.encode(key)
            try await importKey(key, kind.letters, ["--label", kind.label] + kind.options + Self.cards).succeeded()
        }
    }

    static func random(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: .min ... .max) } }

    var installation: TestInstallation {
        get async throws { try await Service.shared.value.installation }
    }

    /// Imports a key in a key block that psec makes.
    func importKey(_ key: [UInt8], _ letters: String, _ options: [String]) async throws -> CommandResult {
        let asked = [
            "protectionKey": Hex.encode(protectionKey), "key": Hex.encode(key), "header": "D0000\(letters)00N0000",
        ]
        let block = try #require(try await Self.wrapping.ask("wrap", asked)["block"])
        return try await installation.run(
            ["key", "import", "--bank", backend.bank.id, "--tr31", block, "--under", "kbpk"] + options)
    }

    // MARK: - Cardholders

    /// A PAN of the keys' cards, by chance.
    static func pan(prefix: String = prefix, length: Int = 16) -> String {
        let digits = prefix + (0..<length - 1 - prefix.count).map { _ in String(Int.random(in: 0...9)) }.joined()
        let sum = digits.reversed().enumerated().reduce(0) { sum, digit in
            let value = (digit.element.wholeNumberValue ?? 0) * (digit.offset.isMultiple(of: 2) ? 2 : 1)
            return sum + value / 10 + value % 10
        }
        return digits + String((10 - sum % 10) % 10)
    }

    /// A cardholder who has defined a PIN.
    func holder(_ pin: String) async throws -> TestCardholder {
        let holder = try await backend.created()
        try await define(holder, pin)
        return holder
    }

    func define(_ holder: TestCardholder, _ pin: String) async throws {
        let answer = try await backend.define(holder, pin)
        try #require(answer.code == 0, "\(answer.members)")
    }

    // MARK: - Exports

    /// One export, ready to be sent.
    struct Call: Sendable {
        var operation: String
        var uniqueId: String
        var idempotencyKey: String? = Unique.name("export")
        var sealed: String
    }

    /// An export of a PIN.
    ///
    /// - Parameter binding: what the sealed value says; nil: what it must say.
    func call(
        _ members: [String: JSON], of holder: TestCardholder, binding: [String: String] = [:]
    ) throws -> Call {
        var call = Call(
            operation: members["method"] == nil ? "translate" : "verification-value", uniqueId: holder.uniqueId,
            sealed: "")
        call.sealed = try backend.key.seal(
            Array(JSON.object(members).text.utf8),
            SealedBinding(
                binding["cty"] ?? "pinExport", bankId: binding["iss"] ?? backend.bank.id,
                uniqueId: binding["sub"] ?? holder.uniqueId, requestId: binding["jti"] ?? call.idempotencyKey))
        return call
    }

    func send(_ call: Call, through server: TestServer? = nil) async throws -> HTTPAnswer {
        try await send(call, body: JSON.object(["pinExport": .string(call.sealed)]).text, through: server)
    }

    /// The tests of this bank share its ten exports in a second, so a call is repeated until it is not one too many.
    func send(_ call: Call, body: String, through server: TestServer? = nil) async throws -> HTTPAnswer {
        var answers: [HTTPAnswer] = []
        try await eventually("the bank can have another export") {
            // Each attempt has a nonce of its own.
            var signed = IssuerCall(
                "POST", backend.path(call.uniqueId) + "/pin:\(call.operation)", body: Array(body.utf8))
            signed.headers = [("Content-Type", "application/json")]
            if let key = call.idempotencyKey { signed.headers.append(("Idempotency-Key", key)) }
            answers.append(try await (server ?? backend.server).call(signed, by: backend.issuer))
            return answers.last?.problem != "export-rate"
        }
        #expect(answers.dropLast().allSatisfy { $0.status == 429 && $0["Retry-After"] == "1" })
        return try #require(answers.last)
    }

    func export(_ members: [String: JSON], of holder: TestCardholder) async throws -> HTTPAnswer {
        try await send(try call(members, of: holder))
    }

    func block(_ format: String, _ pan: String, key: String) -> [String: JSON] {
        ["pan": .string(pan), "format": .string(format), "key": .string(key)]
    }

    func pvv(_ pan: String, key: String = "pvk") -> [String: JSON] {
        ["pan": .string(pan), "method": "pvv", "key": .string(key)]
    }

    func offset(_ pan: String, key: String = "ibm") -> [String: JSON] {
        ["pan": .string(pan), "method": "ibm3624-offset", "key": .string(key)]
    }

    /// What is in an answer that is sealed to the bank.
    func open(_ answer: HTTPAnswer, of call: Call) throws -> [String: JSON] {
        try #require(answer.status == 200, "\(answer.members)")
        let sealed = try SealedValue(try #require(answer.members["pinExport"]?.string))
        #expect(sealed.header["cty"] == "pinExport" && sealed.header["iss"]?.string == backend.bank.id)
        #expect(sealed.header["sub"]?.string == call.uniqueId && sealed.header["jti"]?.string == call.idempotencyKey)
        return try #require(try JSON(parsing: sealed.open(with: encryptionKey.privateKey)).object)
    }

    /// What is in the answer to an export that must succeed.
    func opened(_ members: [String: JSON], of holder: TestCardholder) async throws -> [String: JSON] {
        let call = try call(members, of: holder)
        return try open(try await send(call), of: call)
    }

    // MARK: - psec

    func pinOfBlock(_ block: String, _ format: String, _ pan: String, key: String) async throws -> String? {
        try await Self.blocks.ask(
            "decrypt", ["format": format, "key": keys[key] ?? "", "block": block, "pan": pan])["pin"]
    }

    func psecPVV(_ pin: String, _ pan: String) async throws -> String? {
        try await Self.values.ask("pvv", ["cases": "\(keys["pvk"] ?? "") 3 \(pin) \(pan)"])["values"]
    }

    func psecPIN(ofOffset offset: String, _ pan: String) async throws -> String? {
        let line = "\(keys["ibm"] ?? "") \(Self.table) \(offset) \(pan) 4 12 D"
        return try await Self.values.ask("pin", ["cases": line])["values"]
    }

    func kcv(of label: String) async throws -> String? {
        try await Self.wrapping.ask(
            "check_value", ["key": keys[label] ?? "", "algorithm": label == "aes" ? "aes" : "tdes"])["kcv"]
    }
}
