internal import CardCompanionModel
internal import Cryptography
internal import PINBlocks
internal import PINVerification
internal import SecureMemory
internal import StrictJSON

/// Makes what the issuer's host needs of a PIN, with a key and what its rules say.
enum HostValue {
    /// The plaintext of the answer: `{"block":hex,"kcv":hex}` or `{"value":digits}`.
    ///
    /// - Parameter random: makes that many random bytes.
    /// - Throws: ``PINExportProblem`` if the key's rules do not allow it, `PINBlockError`, `PINVerificationError`.
    static func plaintext(
        of pin: borrowing SecretBytes, for request: PINExportRequest, with key: HostKey,
        random: (Int) -> SecretBytes
    ) throws -> SecretBytes {
        switch (request.wish, key.rules.values) {
        case (.block(let format), .blocks(let formats)):
            guard formats.contains(format) else {
                throw PINExportProblem("format must be one that the key's rules say")
            }
            let block = try PINBlock.encrypted(
                pin, pan: request.pan, as: format.format, key: key.cipher, random: random)
            return JSONWriter.object { json in
                json.add("block", Hex.encode(block).uppercased())
                json.add("kcv", key.kcv)
            }
        case (.visaPVV, .visaPVV(let method)):
            return value(try method.value(of: pin, pan: request.pan.bytes, key: key.cipher))
        case (.ibm3624Offset, .ibm3624(let method)):
            guard pin.count == method.pinLength else { throw PINExportRefusal.otherPINLength }
            return value(try method.offset(of: pin, pan: request.pan.bytes, key: key.cipher))
        default: throw PINExportProblem("key \(ClientText.quoted(request.keyLabel.text)) is for something else")
        }
    }

    private static func value(_ digits: borrowing SecretBytes) -> SecretBytes {
        JSONWriter.object { json in json.add("value", utf8: digits) }
    }
}
