import SecureMemory
import Testing

/// What is let go lies in the secure heap's region still, which stays readable: so a test can look whether it was
/// overwritten. (The heap's own bookkeeping takes the first bytes of a free block, and the heap gives the same block to
/// the next one who asks for as much.)
@Suite("What was secret is overwritten", .serialized)
struct WipeTests {
    static let isHeapReady = SecureHeap.initialize(byteCount: 1 << 20)
    private static let bookkeepingByteCount = 32

    private let marker = (0..<16).map { _ in UInt8.random(in: 1...255) }
    private var content: [UInt8] { (0..<256).flatMap { _ in marker } }

    @Test("when its owner lets it go")
    func atItsEnd() throws {
        try #require(Self.isHeapReady)
        #expect(!holdsMarker(placeOfSecret()))
    }

    @Test("when the one who fills it fails")
    func afterFailure() throws {
        struct Refusal: Error {}
        try #require(Self.isHeapReady)
        var place = UnsafeRawBufferPointer(start: nil, count: 0)
        #expect(throws: Refusal.self) {
            _ = try SecretBytes(count: content.count) { buffer throws(Refusal) in
                buffer.copyBytes(from: content)
                place = UnsafeRawBufferPointer(buffer)
                throw Refusal()
            }
        }
        #expect(place.count == content.count)
        #expect(!holdsMarker(place))
    }

    @Test("when a text grows out of it")
    func afterGrowth() throws {
        try #require(Self.isHeapReady)
        let place = placeOfSecret()
        var buffer = SecretBuffer(capacity: content.count)
        buffer.append(content)
        try #require(holdsMarker(place), "the heap gave another block")
        buffer.append(byte: 0)
        #expect(!holdsMarker(place))
        #expect(buffer.finish().count == content.count + 1)
    }

    @Test("when the last reader of a shared one is gone, and not before")
    func shared() throws {
        try #require(Self.isHeapReady)
        var first: SharedSecret? = SharedSecret(SecretBytes(copying: content))
        var second = first
        let place = try #require(first?.bytes.withBytes { $0 })
        first = nil
        #expect(holdsMarker(place))
        #expect(second != nil)
        second = nil
        #expect(!holdsMarker(place))
    }

    @Test("when it is asked for")
    func explicitly() {
        var bytes: [UInt8] = [1, 2, 3]
        bytes.withUnsafeMutableBytes { SecureHeap.wipe($0) }
        #expect(bytes == [0, 0, 0])
        SecureHeap.wipe(UnsafeMutableRawBufferPointer(start: nil, count: 0))
    }

    private func placeOfSecret() -> UnsafeRawBufferPointer {
        let secret = SecretBytes(copying: content)
        return secret.withBytes { bytes in
            #expect(holdsMarker(bytes))
            return bytes
        }
    }

    private func holdsMarker(_ place: UnsafeRawBufferPointer) -> Bool {
        guard place.count >= Self.bookkeepingByteCount + marker.count else { return false }
        return (Self.bookkeepingByteCount...place.count - marker.count).contains { offset in
            place[offset..<offset + marker.count].elementsEqual(marker)
        }
    }
}
