import StrictJSON
import Testing

@Suite("JSON encoding")
struct EncodingTests {
    @Test("A sequence of up to three bytes is accepted if and only if it is well-formed UTF-8")
    func shortSequences() {
        // The standard library decides what is well-formed.
        for first in UInt8(0x80)...0xFF {
            expectSame([first])
            for second in stride(from: UInt8(0x00), through: 0xFF, by: 1) where second >= 0x20 {
                expectSame([first, second])
                for third in [0x20, 0x7F, 0x80, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF] as [UInt8] {
                    expectSame([first, second, third])
                }
            }
        }
    }

    @Test("A sequence of four bytes is accepted if and only if it is well-formed UTF-8")
    func fourBytes() {
        let edges: [UInt8] = [0x20, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0]
        for first in UInt8(0xEF)...0xFF {
            for second in edges {
                for third in edges {
                    for fourth in edges { expectSame([first, second, third, fourth]) }
                }
            }
        }
    }

    private func expectSame(_ content: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) {
        // A quotation mark or backslash in the content would end or escape the string.
        guard !content.contains(0x22), !content.contains(0x5C) else { return }
        let isUTF8 = String(validating: content, as: UTF8.self) != nil
        let isTaken = (try? JSONValue(parsing: [0x22] + content + [0x22])) != nil
        #expect(isTaken == isUTF8, "\(content)", sourceLocation: sourceLocation)
    }

    @Test("Other encodings and byte order marks are refused")
    func otherEncodings() {
        let text = #"{"a":"b"}"#
        let utf16 = text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        #expect(refusal(utf16) != nil)
        #expect(refusal([0xFF, 0xFE] + utf16) != nil)
        #expect(refusal([0xEF, 0xBB, 0xBF] + text.bytes) != nil)
    }

    @Test("A character that is cut off is refused, with and without a quotation mark after it")
    func cutCharacter() {
        for content in ["é", "€", "😀"] {
            let bytes = content.bytes
            for length in 1..<bytes.count {
                #expect(refusal([0x22] + bytes.prefix(length)) != nil)
                #expect(refusal([0x22] + bytes.prefix(length) + [0x22])?.reason == .invalidUTF8)
            }
        }
    }
}
