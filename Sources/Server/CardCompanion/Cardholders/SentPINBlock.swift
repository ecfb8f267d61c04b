internal import CardCompanionModel
internal import Cryptography
internal import PINBlocks
internal import SecureMemory
internal import StrictJSON

/// A PIN block as a bank sends it: a JSON object, sealed to the server, with the format, the label of the bank's key, the
/// block in hex, and the PAN where the format needs it. PAN and block appear nowhere else.
struct SentPINBlock: Sendable {
    static let format = "format"
    static let key = "key"
    static let block = "block"
    static let pan = "pan"

    let format: PINBlockFormat
    let keyLabel: Identifier
    private let block: [UInt8]
    private let pan: SharedSecret?

    /// Reads the plaintext of the sealed value.
    ///
    /// - Throws: ``PINBlockProblem``.
    init(_ plaintext: borrowing SecretBytes, allowed: Set<PINBlockKind>) throws(PINBlockProblem) {
        let json: JSONText
        do throws(JSONError) {
            json = try JSONText(plaintext.copy())
        } catch {
            throw PINBlockProblem("must be a JWE of one strict JSON object")
        }
        if let unknown = json.names.first(where: { ![Self.format, Self.key, Self.block, Self.pan].contains($0) }) {
            throw PINBlockProblem("has an unknown member \(ClientText.quoted(unknown))")
        }
        guard let format = json.string(Self.format).flatMap(PINBlockFormat.init(rawValue:)),
            allowed.contains(where: { $0.rawValue == format.rawValue })
        else {
            let names = allowed.map(\.rawValue).sorted().joined(separator: ", ")
            throw PINBlockProblem("format must be one that the bank may send: \(names)")
        }
        guard let label = json.string(Self.key).flatMap(Identifier.init) else {
            throw PINBlockProblem("key must be the label of a key")
        }
        let hex = SharedSecret(json.secret(of: Self.block))
        guard let block = hex.flatMap({ SharedSecret(Hex.decodeSecret($0.bytes)) }) else {
            throw PINBlockProblem("block must be hex")
        }
        self.format = format
        keyLabel = label
        self.block = block.bytes.withBytes { [UInt8]($0) }
        pan = SharedSecret(json.secret(of: Self.pan))
        guard json.isMissing(Self.pan) == (pan == nil) else { throw PINBlockProblem("pan must be a string of digits") }
    }

    /// The PIN in the block.
    ///
    /// - Throws: ``PINBlockProblem``.
    func pin(with key: PINKey) throws(PINBlockProblem) -> SecretBytes {
        guard key.direction != .encrypt else {
            throw PINBlockProblem("key \(ClientText.quoted(keyLabel.text)) cannot open what the bank sends")
        }
        do throws(PINBlockError) {
            return try PINBlock.decrypted(block, pan: pan, as: format, key: key.cipher)
        } catch {
            throw PINBlockProblem("\(error)")
        }
    }
}

/// Why a PIN block is refused, for the bank. It contains nothing of PIN and PAN.
struct PINBlockProblem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
