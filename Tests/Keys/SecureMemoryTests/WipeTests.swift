import SecureMemory
import Testing

/// Freed memory of the secure heap stays readable, so a test can check whether it was overwritten. (The heap uses the first
/// bytes of a free block for its own bookkeeping, and returns the same block for the next allocation of the same size.)
@Suite("Secrets are overwritten", .serialized)
struct WipeTests {
    static let isHeapReady = SecureHeap.initialize(byteCount: 1 << 20)
    private static let bookkeepingByteCount = 32

    private let marker = (0..<16).map { _ in UInt8.random(in: 1...255) }
    private var content: [UInt8] { (0..<256).flatMap { _ in marker } }

    @Test("when their lifetime ends")
    func atItsEnd() throws {
        try #require(Self.isHeapReady)
        #expect(!holdsMarker(placeOfSecret()))
    }

    @Test("when the initializing closure throws")
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

    @Test("when a buffer outgrows its memory")
    func afterGrowth() throws {
        try #require(Self.isHeapReady)
        // Other tests use the heap at the same time. Then it can return another block.
        for _ in 0..<1000 {
            let place = placeOfSecret()
            var buffer = SecretBuffer(capacity: content.count)
            buffer.append(content)
            guard holdsMarker(place) else { continue }
            buffer.append(byte: 0)
            #expect(!holdsMarker(place))
            #expect(buffer.finish().count == content.count + 1)
            return
        }
        Issue.record("the heap never returned the same block")
    }

    @Test("when the last reference to a shared secret is gone, but not before")
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

    @Test("with an explicit call")
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
