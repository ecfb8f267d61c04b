import CardCompanionModel
import Cryptography
import KeyVault
import SecureMemory

@testable import CardCompanion

/// What comes back from a keypad: its id, and the sealed indexes.
enum KeypadInput {
    private static let layout = Array("432\u{0}6907\u{0}581".utf8)
    private static let place = SealedPlace.keypad(bankId: Fixture.bankId, uniqueId: Fixture.uniqueId)

    static func read(_ bytes: [UInt8]) {
        _ = keypad(bytes.text)
        readSealed(bytes)
        for layout in [layout, Array(layout.prefix(10))] {
            let pin = SharedSecret(ChosenPIN.pin(at: SecretBytes(copying: bytes), on: SecretBytes(copying: layout)))
            let isOfLayout = pin?.bytes.withBytes { $0.allSatisfy(layout.contains) } ?? true
            require(isOfLayout, "the PIN has a digit that is not on the keypad")
        }
    }

    /// An id that the server has made, whatever the layout is.
    private static func readSealed(_ layout: [UInt8]) {
        let expiry = withUnsafeBytes(of: (Fixture.now.seconds + 10).bigEndian, Array.init)
        let sealed = make { try Fixture.keyring.sealToHandOut(expiry + layout, for: place, at: Fixture.now.seconds) }
        let opened = keypad(Base64URL.encode(sealed))
        guard let opened else { return }
        require(opened.layout.bytes.withBytes { [UInt8]($0) } == layout, "another keypad was opened")
    }

    private static func keypad(_ id: String) -> SealedKeypad? {
        SealedKeypad(
            id: id, bankId: Fixture.bankId, uniqueId: Fixture.uniqueId, now: Fixture.now, keyring: Fixture.keyring)
    }
}
