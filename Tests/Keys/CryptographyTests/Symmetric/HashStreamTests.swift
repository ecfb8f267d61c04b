import Cryptography
import Testing

@Suite("SHA-2 streams")
struct HashStreamTests {
    @Test("Parts of any length have the hash of the whole", arguments: [1, 3, 63, 64, 65, 127, 128, 1000])
    func parts(size: Int) {
        let data = SecureRandom.bytes(count: 1000)
        let (sha256, sha512) = (HashStream(.sha256), HashStream(.sha512))
        for start in stride(from: 0, to: data.count, by: size) {
            let part = data[start..<min(start + size, data.count)]
            sha256.update(part)
            sha512.update(part)
        }
        #expect(sha256.hash() == SHA256.hash(data))
        #expect(sha512.hash() == SHA512.hash(data))
    }

    @Test("The hash is available at any time, and more bytes can follow")
    func continuing() {
        let stream = HashStream(.sha256)
        #expect(stream.hash() == SHA256.hash([]))
        stream.update("ab".bytes)
        #expect(stream.hash() == SHA256.hash("ab".bytes))
        stream.update([])
        stream.update("c".bytes)
        #expect(stream.hash() == SHA256.hash("abc".bytes))
        #expect(stream.hash() == SHA256.hash("abc".bytes))
    }
}
