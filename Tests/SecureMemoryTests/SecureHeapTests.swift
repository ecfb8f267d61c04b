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
