import Cryptography
import KeyVault
import SecureMemory
import Testing

/// The recovery key and its components.
@Suite("Recovery key")
struct RecoveryTests {
    private let name = DataKeyName(id: 7, purpose: "pins")
    private let dataKey = SharedSecret(SecureRandom.secret(count: 32))

    @Test("All components together open a data key", arguments: RecoveryComponent.counts)
    func roundTrip(count: Int) throws {
        let (key, privateKey) = try RecoveryKey.generate()
        let wrapped = try key.wrap(dataKey, as: name)
        let components = try RecoveryComponent.split(privateKey, of: key, into: count)
            .map { try RecoveryComponent(text: $0.text) }
        let pair = try RecoveryComponent.joined(components.reversed(), keyId: key.id)
        #expect(try pair.unwrap(wrapped, as: name).bytes.revealed == dataKey.bytes.revealed)
        #expect(try RecoveryKey(publicKey: key.publicKey).id == key.id)
    }

    @Test("A wrapped key does not open under another name, with another key, or after a change")
    func binding() throws {
        let (key, privateKey) = try RecoveryKey.generate()
        let pair = try RecoveryComponent.joined(RecoveryComponent.split(privateKey, of: key, into: 2), keyId: key.id)
        let wrapped = try key.wrap(dataKey, as: name)
        for other in [DataKeyName(id: 8, purpose: "pins"), DataKeyName(id: 7, purpose: "keypads")] {
            #expect(throws: KeyVaultError.damagedDataKey(id: other.id)) { _ = try pair.unwrap(wrapped, as: other) }
        }
        for index in wrapped.indices {
            var changed = wrapped
            changed[index] ^= 1
            #expect(throws: KeyVaultError.self) { _ = try pair.unwrap(changed, as: name) }
        }
        let (otherKey, otherPrivate) = try RecoveryKey.generate()
        let other = try RecoveryComponent.joined(
            RecoveryComponent.split(otherPrivate, of: otherKey, into: 2), keyId: otherKey.id)
        #expect(throws: KeyVaultError.self) { _ = try other.unwrap(wrapped, as: name) }
    }

    @Test("Components that are missing, repeated, damaged or of another key are refused with the reason")
    func refusals() throws {
        let (key, privateKey) = try RecoveryKey.generate()
        let components = RecoveryComponent.split(privateKey, of: key, into: 3)
        let (otherKey, otherPrivate) = try RecoveryKey.generate()
        let others = RecoveryComponent.split(otherPrivate, of: otherKey, into: 3)
        let again = RecoveryComponent.split(privateKey, of: key, into: 3)
        let cases: [([RecoveryComponent], WrongComponents)] = [
            ([], .missing(numbers: [])), ([components[0], components[2]], .missing(numbers: [2])),
            (components + [components[1]], .repeated),
            (Array(components.prefix(2)) + [others[2]], .ofAnotherKey(number: 3)),
            ([again[0]] + components.dropFirst(), .notOneSet),
        ]
        for (given, error) in cases {
            #expect(throws: error) { _ = try RecoveryComponent.joined(given, keyId: key.id) }
        }
    }

    @Test("Each changed character of a component is found")
    func mistyped() throws {
        let (key, privateKey) = try RecoveryKey.generate()
        let text = try #require(RecoveryComponent.split(privateKey, of: key, into: 2).first).text.revealed
        for index in text.indices.dropLast() {
            var changed = text
            changed[index] = changed[index] == UInt8(ascii: "1") ? UInt8(ascii: "2") : UInt8(ascii: "1")
            #expect(throws: WrongComponents.self, "character \(index)") {
                let component = try RecoveryComponent(text: SecretBytes(copying: changed))
                // The name of the key is not part of the check value; a wrong name is found when the key is put together.
                guard component.keyId == key.id else { throw WrongComponents.ofAnotherKey(number: component.number) }
                guard component.count == 2 else { throw WrongComponents.notOneSet }
            }
        }
    }
}
