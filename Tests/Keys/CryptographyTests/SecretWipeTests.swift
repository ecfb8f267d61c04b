import Cryptography
import SecureMemory
import Testing

/// Freed memory of the secure heap stays readable, so a test can check whether it was overwritten. (The heap uses the first
/// bytes of a free block for its own bookkeeping.)
@Suite("Decrypted secrets are wiped", .serialized)
struct SecretWipeTests {
    private static let isHeapReady = SecureHeap.initialize(byteCount: 1 << 20)
    private static let bookkeepingByteCount = 32

    private let key = SecureRandom.bytes(count: 32)
    private let nonce = SecureRandom.bytes(count: 12)
    private let marker = SecureRandom.bytes(count: 16)
    private var plaintext: [UInt8] { (0..<256).flatMap { _ in marker } }

    @Test("A plaintext is overwritten when its lifetime ends")
    func success() throws {
        try #require(Self.isHeapReady)
        let (ciphertext, tag) = try AESGCM.seal(plaintext, key: key, nonce: nonce, authenticating: [])
        let place = try placeOfOpened(ciphertext, tag)
        #expect(!holdsMarker(place))
    }

    @Test("A plaintext whose tag is wrong is overwritten")
    func failure() throws {
        try #require(Self.isHeapReady)
        let (ciphertext, tag) = try AESGCM.seal(plaintext, key: key, nonce: nonce, authenticating: [])
        let place = try placeOfOpened(ciphertext, tag)
        // The heap returns the same free block again. OpenSSL writes the plaintext before it checks the tag.
        #expect(throws: CryptographyError.self) {
            _ = try AESGCM.open(
                ciphertext: ciphertext, tag: tag.flipping(bit: 0), key: key, nonce: nonce, authenticating: [])
        }
        #expect(!holdsMarker(place))
    }

    private func placeOfOpened(_ ciphertext: [UInt8], _ tag: [UInt8]) throws -> UnsafeRawBufferPointer {
        let opened = try AESGCM.open(
            ciphertext: ciphertext, tag: tag, key: key, nonce: nonce, authenticating: [])
        return opened.withBytes { bytes in
            #expect(holdsMarker(bytes))
            return bytes
        }
    }

    /// Other tests use the heap at the same time, so the marker identifies the bytes of this test.
    private func holdsMarker(_ place: UnsafeRawBufferPointer) -> Bool {
        stride(from: Self.bookkeepingByteCount, to: place.count, by: marker.count).contains { offset in
            place[offset..<offset + marker.count].elementsEqual(marker)
        }
    }
}
