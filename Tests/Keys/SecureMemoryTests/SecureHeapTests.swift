import Foundation
import SecureMemory
import Testing

@Suite("Secure heap")
struct SecureHeapTests {
    @Test("Secrets are excluded from core dumps")
    func isLeftOutOfCoreDumps() throws {
        try #require(WipeTests.isHeapReady)
        let secret = SecretBytes(count: 64) { _ in }
        #expect(try flags(at: secret.withBytes { UInt(bitPattern: $0.baseAddress) }).contains("dd"))
        let ordinary = [UInt8](repeating: 0, count: 64)
        #expect(try !flags(at: ordinary.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }).contains("dd"))
    }

    @Test("A secret that is larger than the heap is stored too")
    func beyondItsRoom() throws {
        try #require(WipeTests.isHeapReady)
        let large = (0..<(2 << 20)).map { UInt8(truncatingIfNeeded: $0) }
        #expect(SecretBytes(copying: large).revealed == large)
    }

    /// The kernel's flags of the memory at an address (proc(5), `VmFlags` in smaps).
    private func flags(at address: UInt) throws -> [Substring] {
        var isHere = false
        // Not `contents(atPath:)`, which relies on the file size, and the kernel reports 0.
        let smaps = try FileHandle(forReadingFrom: URL(filePath: "/proc/self/smaps")).readToEnd() ?? Data()
        for line in String(decoding: smaps, as: UTF8.self).split(separator: "\n") {
            let range = line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt($0, radix: 16) }
            if range.count == 2 { isHere = range[0] <= address && address < range[1] }
            if isHere, line.hasPrefix("VmFlags:") { return line.split(separator: " ") }
        }
        throw NotMapped()
    }

    private struct NotMapped: Error {}
}

extension SecureHeapTests {
    @Test("A short secret is in the secure heap; a long one, and one that is meant for it, is in ordinary memory")
    func memory() throws {
        try #require(WipeTests.isHeapReady)
        let (short, long) = ([UInt8](repeating: 1, count: 16), [UInt8](repeating: 1, count: 8192))
        let secure = SharedSecret(SecretBytes(copying: short))
        let ordinary = SharedSecret(SecretBytes(copying: short, in: .ordinary))
        #expect(isSecure(secure))
        #expect(isSecure(SharedSecret(secure.bytes.copy())))
        #expect(!isSecure(ordinary))
        #expect(!isSecure(SharedSecret(ordinary.bytes.copy())))
        #expect(!isSecure(SharedSecret(SecretBytes(copying: long))))
        var buffer = SecretBuffer(capacity: 16, in: .ordinary)
        for _ in 0..<20 { buffer.append(short) }
        #expect(!isSecure(SharedSecret(buffer.finish())))
    }

    @Test("Each secret for which the secure heap has no room is counted")
    func full() throws {
        try #require(WipeTests.isHeapReady)
        let before = SecureHeap.fallBackCount
        var secrets: [SharedSecret] = []
        // Other tests give their memory back, so it can take some more until the heap is full.
        while SecureHeap.fallBackCount == before, secrets.count < 100_000 {
            secrets.append(SharedSecret(SecretBytes(count: 4096) { _ in }))
        }
        let counted = SecureHeap.fallBackCount
        #expect(counted > before)
        let ordinary = (0..<100).map { _ in SharedSecret(SecretBytes(count: 4096, in: .ordinary) { _ in }) }
        #expect(ordinary.allSatisfy { !isSecure($0) })
    }

    private func isSecure(_ secret: SharedSecret) -> Bool { secret.bytes.isInSecureHeap }
}
