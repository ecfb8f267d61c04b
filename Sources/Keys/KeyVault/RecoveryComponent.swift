internal import Cryptography
package import SecureMemory

/// One custodian's part of the private recovery key. All parts together make the key, by XOR; fewer say nothing about it.
///
/// Its text, for a file: `card-companion-recovery-component-1:NUMBER/COUNT:KEY:BYTES:CHECK`, with the key's id, the bytes and
/// a check value in hex.
package struct RecoveryComponent: Sendable {
    /// How many custodians there can be.
    package static let counts = 2...5
    /// The longest text.
    package static let textByteLimit = 1024

    private static let header = "card-companion-recovery-component-1"
    private static let checkByteCount = 4

    /// 1 for the first one.
    package let number: Int
    package let count: Int
    /// The id of the recovery key.
    package let keyId: String
    private let bytes: SharedSecret

    /// Splits a private key.
    ///
    /// - Parameter count: how many components, one of ``counts``.
    package static func split(_ privateKey: SharedSecret, of key: RecoveryKey, into count: Int) -> [RecoveryComponent] {
        precondition(counts ~= count, "this number of custodians is not allowed")
        let random = (1..<count).map { _ in SharedSecret(SecureRandom.secret(count: privateKey.bytes.count)) }
        let last = random.reduce(privateKey) { SharedSecret($0.bytes.xor($1.bytes)) }
        return (random + [last]).enumerated().map { index, bytes in
            RecoveryComponent(number: index + 1, count: count, keyId: key.id, bytes: bytes)
        }
    }

    /// Puts the components together.
    ///
    /// - Parameter keyId: of the recovery key.
    /// - Throws: ``WrongComponents``.
    package static func joined(
        _ components: [RecoveryComponent], keyId: String
    ) throws(WrongComponents) -> RecoveryKeyPair {
        guard let first = components.first else { throw .missing(numbers: []) }
        if let foreign = components.first(where: { $0.keyId != keyId }) { throw .ofAnotherKey(number: foreign.number) }
        guard components.allSatisfy({ $0.count == first.count && $0.bytes.bytes.count == first.bytes.bytes.count })
        else { throw .notOneSet }
        let missing = (1...first.count).filter { number in !components.contains { $0.number == number } }
        guard missing.isEmpty else { throw .missing(numbers: missing) }
        guard components.count == first.count else { throw .repeated }
        let privateKey = components.dropFirst().reduce(first.bytes) { SharedSecret($0.bytes.xor($1.bytes.bytes)) }
        guard let pair = RecoveryKeyPair(privateKey: privateKey), pair.key.id == keyId else { throw .notOneSet }
        return pair
    }

    /// The text for a file.
    package var text: SecretBytes {
        var text = SecretBuffer()
        text.append("\(Self.header):\(number)/\(count):\(keyId):")
        text.appendHex(bytes.bytes)
        text.append(":\(check)\n")
        return text.finish()
    }

    /// Reads the text of a component.
    ///
    /// - Throws: `.unreadable`.
    package init(text: borrowing SecretBytes) throws(WrongComponents) {
        let parts = text.withBytes { text in
            text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
                .map { UnsafeRawBufferPointer(rebasing: $0) }
                .map { SharedSecret(SecretBytes(copying: $0)) }
        }
        guard parts.count == 5, Self.publicText(parts[0]) == Self.header else { throw .unreadable }
        let numbers = Self.publicText(parts[1]).split(separator: "/").compactMap { Int($0) }
        guard numbers.count == 2, Self.counts ~= numbers[1], 1...numbers[1] ~= numbers[0],
            let bytes = SharedSecret(Hex.decodeSecret(parts[3].bytes))
        else { throw .unreadable }
        self.init(number: numbers[0], count: numbers[1], keyId: Self.publicText(parts[2]), bytes: bytes)
        guard Self.publicText(parts[4]) == check else { throw .mistyped(number: number) }
    }

    private init(number: Int, count: Int, keyId: String, bytes: SharedSecret) {
        self.number = number
        self.count = count
        self.keyId = keyId
        self.bytes = bytes
    }

    /// The first bytes of an HMAC of a constant with the component: it finds a mistyped character.
    private var check: String {
        let code = HMACSHA256.authenticationCode(for: Array("\(Self.header):\(number)".utf8), key: bytes.bytes)
        return Hex.encode(Array(code.prefix(Self.checkByteCount)))
    }

    private static func publicText(_ part: SharedSecret) -> String {
        part.bytes.withBytes { String(decoding: $0, as: UTF8.self) }.trimmingWhiteSpace
    }
}

/// Why components do not make a key.
package enum WrongComponents: Error, Equatable, CustomStringConvertible {
    case unreadable
    case mistyped(number: Int)
    case ofAnotherKey(number: Int)
    case missing(numbers: [Int])
    case repeated
    case notOneSet

    package var description: String {
        switch self {
        case .unreadable: "a file does not contain a component of a recovery key"
        case .mistyped(let number): "component \(number) is damaged: its check value is wrong"
        case .ofAnotherKey(let number): "component \(number) belongs to another recovery key"
        case .missing(let numbers):
            "components are missing: \(numbers.isEmpty ? "all" : numbers.map(String.init).joined(separator: ", "))"
        case .repeated: "a component was given twice"
        case .notOneSet: "the components do not belong together"
        }
    }
}

extension String {
    fileprivate var trimmingWhiteSpace: String {
        String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }
}
