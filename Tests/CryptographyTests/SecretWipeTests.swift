import Cryptography
import SecureMemory
import Testing

/// What is let go lies in the secure heap's own region still, which stays readable: so a test can look whether it was
/// overwritten. (The heap's own bookkeeping takes the first bytes of a free block.)
@Suite("Secrets leave nothing behind", .serialized)
struct SecretWipeTests {
    private static let isHeapReady = SecureHeap.initialize(byteCount: 1 << 20)
    private static let bookkeepingByteCount = 32

    private let key = SecureRandom.bytes(count: 32)
    private let nonce = SecureRandom.bytes(count: 12)
    private let marker = SecureRandom.bytes(count: 16)
    private var plaintext: [UInt8] { (0..<256).flatMap { _ in marker } }

    @Test("An opened plaintext is overwritten when its owner lets it go")
    func success() throws {
        try #require(Self.isHeapReady)
        let (ciphertext, tag) = try AESGCM.seal(plaintext, key: key, nonce: nonce, authenticating: [])
        let place = try placeOfOpened(ciphertext, tag)
        #expect(!holdsMarker(place))
    }

    @Test("A plaintext that turns out not to be authentic is overwritten")
    func failure() throws {
        try #require(Self.isHeapReady)
        let (ciphertext, tag) = try AESGCM.seal(plaintext, key: key, nonce: nonce, authenticating: [])
        let place = try placeOfOpened(ciphertext, tag)
        // The heap gives the same free block again; OpenSSL has written the plaintext when it looks at the tag.
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

    /// Other tests use the heap at the same time, so that only the marker tells whose bytes are there.
    private func holdsMarker(_ place: UnsafeRawBufferPointer) -> Bool {
        stride(from: Self.bookkeepingByteCount, to: place.count, by: marker.count).contains { offset in
            place[offset..<offset + marker.count].elementsEqual(marker)
        }
    }
}
