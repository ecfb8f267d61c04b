internal import CardCompanionModel
internal import Cryptography
internal import JOSE
internal import PINBlocks
internal import SecureMemory
internal import StrictJSON

/// How a defined PIN reaches its bank: sealed to the bank's certificate, as digits or, under a key of the bank, as a PIN
/// block of format 1, which only the bank's HSM opens.
struct DefinedPINDelivery: Sendable {
    let bankId: Identifier
    let certificate: Bank.BankCertificate
    /// Nil for digits.
    let blockKey: PINKey?

    /// The PIN for the event.
    ///
    /// - Parameter random: makes that many random bytes.
    /// - Throws: `PINBlockError`, `JOSEError`, `CryptographyError`.
    func sealed(
        _ pin: borrowing SecretBytes, of uniqueId: Identifier, eventId: String, random: (Int) -> SecretBytes
    ) throws -> String {
        let content: RequiredBinding.Content = blockKey == nil ? .pin : .pinBlock
        let binding = JWEBinding(
            contentType: content.rawValue, issuer: bankId.text, subject: uniqueId.text, id: eventId)
        let plaintext = try plaintext(pin, random)
        return try JWE.seal(plaintext, to: certificate.publicKey, keyID: certificate.alias, binding: binding)
    }

    private func plaintext(_ pin: borrowing SecretBytes, _ random: (Int) -> SecretBytes) throws -> SecretBytes {
        guard let blockKey else { return ChosenPIN.padded(pin) }
        let block = try PINBlock.encrypted(pin, pan: nil, as: .iso1, key: blockKey.cipher, random: random)
        return JSONWriter.object { json in
            json.add(SentPINBlock.format, PINBlockFormat.iso1.rawValue)
            json.add(SentPINBlock.key, blockKey.label)
            json.add(SentPINBlock.block, Hex.encode(block).uppercased())
        }
    }
}
