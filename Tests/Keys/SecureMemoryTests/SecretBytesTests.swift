import SecureMemory
import Testing

extension SecretBytes {
    /// The content. In a test it is not secret.
    var revealed: [UInt8] { withBytes { [UInt8]($0) } }
}

@Suite("Secret bytes")
struct SecretBytesTests {
    private struct Refusal: Error, Equatable {}

    @Test("New bytes are zero, and contain what is written")
    func content() {
        let secret = SecretBytes(count: 8) { buffer in
            #expect(buffer.allSatisfy { $0 == 0 })
            buffer[3] = 7
        }
        #expect(secret.count == 8)
        #expect(secret.revealed == [0, 0, 0, 7, 0, 0, 0, 0])
    }

    @Test("The count is the number of bytes written, not the capacity")
    func capacity() {
        let secret = SecretBytes(capacity: 100) { buffer in
            buffer.copyBytes(from: [1, 2, 3] as [UInt8])
            return 3
        }
        #expect(secret.revealed == [1, 2, 3])
    }

    @Test("The count can be 0")
    func empty() {
        let none = SecretBytes(count: 0) { #expect($0.isEmpty) }
        #expect(none.revealed == [])
        #expect(SecretBytes(copying: [UInt8]()).revealed == [])
    }

    @Test("A copy has the same content at another address")
    func copies() {
        let secret = SecretBytes(copying: [1, 2, 3] as [UInt8])
        let copy = secret.copy()
        #expect(copy.revealed == secret.revealed)
        let (first, second) = (secret.withBytes(\.baseAddress), copy.withBytes(\.baseAddress))
        #expect(first != second)
    }

    @Test("An error of the initializing closure is rethrown")
    func failure() {
        #expect(throws: Refusal()) { _ = try SecretBytes(count: 8) { _ throws(Refusal) in throw Refusal() } }
        #expect(throws: Refusal()) { _ = try SecretBytes(capacity: 8) { _ throws(Refusal) in throw Refusal() } }
    }

    @Test("A shared secret of nil is nil")
    func shared() {
        #expect(SharedSecret(Optional(SecretBytes(copying: [9] as [UInt8])))?.bytes.revealed == [9])
        #expect(SharedSecret(nil as SecretBytes?) == nil)
    }

    @Test("Arrays, array slices, raw memory and secret bytes can be copied")
    func sources() {
        let array: [UInt8] = [1, 2, 3, 4]
        #expect(SecretBytes(copying: array).revealed == [1, 2, 3, 4])
        #expect(SecretBytes(copying: array[1...2]).revealed == [2, 3])
        array.withUnsafeBytes { #expect(SecretBytes(copying: $0).revealed == [1, 2, 3, 4]) }
        #expect(SecretBytes(copying: SecretBytes(copying: array)).revealed == [1, 2, 3, 4])
    }
}
