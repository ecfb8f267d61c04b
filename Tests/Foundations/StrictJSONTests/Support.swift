import SecureMemory
import StrictJSON
import Testing

extension String {
    var bytes: [UInt8] { Array(utf8) }
}

extension SecretBytes {
    /// The content. In a test it is not secret.
    var revealed: [UInt8] { withBytes { [UInt8]($0) } }
}

/// A `JSONText` of public bytes. A class, because macros do not accept noncopyable values.
final class HeldText {
    private let json: JSONText

    init(_ bytes: [UInt8]) throws(JSONError) {
        json = try JSONText(SecretBytes(copying: bytes))
    }

    var received: [UInt8] { json.bytes.revealed }
    func kind(of name: String) -> JSONText.Kind? { json.kind(of: name) }
    func text(of name: String) -> String? { json.text(of: name) }
    func secret(of name: String) -> [UInt8]? { json.secret(of: name)?.revealed }
    func strings(_ name: String) -> [String]? { json.strings(name) }
    func isEmptyString(_ name: String) -> Bool { json.isEmptyString(name) }
}

/// Why a text is refused; nil if it is accepted. Both readers must agree.
func refusal(_ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) -> JSONError? {
    var error: JSONError?
    do {
        _ = try JSONValue(parsing: bytes)
    } catch let refusal {
        error = refusal
    }
    do {
        _ = try HeldText(bytes)
        #expect(error == nil, "only JSONText accepts it", sourceLocation: sourceLocation)
    } catch let refusal where refusal.reason == .notAnObject {
        #expect(error == nil, "JSONValue refuses it too", sourceLocation: sourceLocation)
    } catch let refusal {
        #expect(refusal == error, "JSONText and JSONValue have different errors", sourceLocation: sourceLocation)
    }
    return error
}

/// A random number generator with a fixed seed, so that a failure can be reproduced.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    // SplitMix64 (Steele, Lea and Flood, 2014).
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
