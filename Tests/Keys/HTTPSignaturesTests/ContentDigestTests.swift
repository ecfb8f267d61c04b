import HTTPSignatures
import SecureMemory
import Testing

@Suite("Content digests")
struct ContentDigestTests {
    private let content = "{\"hello\": \"world\"}\n".bytes
    private let sha256 = "sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:"
    private let sha512 =
        "sha-512=:YMAam51Jz/jOATT6/zvHrLVgOYTGFy1d6GJiOHTohq4yP+pgk4vf2aCsyRZOtw8MjkM7iw7yZ/WkppmM44T3qg==:"

    @Test("Digests have the values of RFC 9530 section 2 and appendix B.1")
    func vectors() throws {
        #expect(ContentDigest.fieldValue(for: content) == sha256)
        #expect(ContentDigest.fieldValue(for: content, algorithm: .sha512) == sha512)
        for value in [sha256, sha512, "\(sha256), \(sha512)", "\(sha512),\(sha256)"] {
            try ContentDigest(fieldValue: value).verify(content)
        }
        #expect(
            ContentDigest.fieldValue(for: [UInt8]()) == "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:")
    }

    @Test("Other content is refused, and every supported digest must match")
    func mismatch() throws {
        let other = "{\"hello\": \"world\"}".bytes
        let otherSHA512 = ContentDigest.fieldValue(for: other, algorithm: .sha512)
        #expect(refusal { try digest(sha256).verify(other) }?.reason == .digestMismatch(.sha256))
        #expect(refusal { try digest(sha512).verify(other) }?.reason == .digestMismatch(.sha512))
        #expect(refusal { try digest(sha256).verify([UInt8]()) }?.reason == .digestMismatch(.sha256))
        #expect(
            refusal { try digest("\(sha256), \(otherSHA512)").verify(content) }?.reason == .digestMismatch(.sha512))
        #expect(refusal { try digest("\(sha256), \(otherSHA512)").verify(other) }?.reason == .digestMismatch(.sha256))
    }

    @Test("Content that arrives in parts can be checked")
    func parts() throws {
        let value = "\(sha256), \(sha512)"
        for size in [1, 5, 18, 19] {
            let check = try digest(value).makeCheck()
            for start in stride(from: 0, to: content.count, by: size) {
                check.update(content[start..<min(start + size, content.count)])
            }
            try check.finish()
        }
        let cut = try digest(value).makeCheck()
        cut.update(content.dropLast())
        #expect(refusal { try cut.finish() }?.reason == .digestMismatch(.sha256))
        let nothing = try digest(value).makeCheck()
        #expect(refusal { try nothing.finish() }?.reason == .digestMismatch(.sha256))
    }

    @Test("Digests with unknown or insecure algorithms are ignored, and are not sufficient on their own")
    func otherAlgorithms() throws {
        let others = "md5=:1B2M2Y8AsgTpgAmY7PhCfg==:, sha=:2jmj7l5rSw0yVb/vlWAYkK/YBwk=:, unixsum=:AAA=:"
        #expect(try digest("\(others), \(sha256)") == digest(sha256))
        #expect(try digest("\(sha512), \(others)") == digest(sha512))
        #expect(refusal { _ = try digest(others) }?.reason == .noSupportedDigest)
        #expect(refusal { _ = try digest("sha-257=:AAA=:") }?.reason == .noSupportedDigest)
    }

    @Test(
        "A field in another format is refused",
        arguments: [
            "", "sha-256", "sha-256=AAAA", "sha-256=\"AAAA\"", "sha-256=(:AAAA:)", "SHA-256=:AAAA:",
            "sha-256=RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=",
            "sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg:",
            "sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDh=:", "sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF:",
            "sha-256=::", "sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:;a",
            "sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:,", "md5=1, sha-256=:AAAA:",
            "sha-512=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:",
            "sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:, sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:",
        ])
    func malformed(value: String) throws {
        guard case .malformedField("Content-Digest", _) = refusal({ _ = try digest(value) })?.reason else {
            Issue.record("not refused as malformed")
            return
        }
    }

    @Test("A field with more digests or bytes than the limits is refused")
    func limits() throws {
        let others = (0..<8).map { "x\($0)=:AAAA:" }.joined(separator: ", ")
        #expect(
            refusal { _ = try digest("\(others), \(sha256)") }?.reason
                == .limitExceeded("digests in a message", limit: 8))
        let long = "x=:\(String(repeating: "A", count: 16_384)):"
        #expect(
            refusal { _ = try digest(long) }?.reason
                == .limitExceeded("bytes in the Content-Digest field", limit: 16_384))
    }

    @Test("The lines of a message's Content-Digest field are joined")
    func message() throws {
        let lines = SignedMessage(status: 200, fields: [("Content-Digest", sha256), ("content-digest", sha512)])
        #expect(try ContentDigest(lines).digests.count == 2)
        let none = SignedMessage(status: 200, fields: [])
        #expect(refusal { _ = try ContentDigest(none) }?.reason == .missingField("Content-Digest"))
    }

    private func digest(_ value: String) throws -> ContentDigest {
        try ContentDigest(fieldValue: value)
    }
}
