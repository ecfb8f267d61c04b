import Foundation
import SecureMemory
import StrictJSON
import Testing

@Suite("JSON writer")
struct WriterTests {
    @Test("Foundation reads back every text, with characters to escape at each place")
    func texts() throws {
        let special = (0..<0x80).map { String(UnicodeScalar(UInt8($0))) } + ["é", "😀", "\u{2028}"]
        let texts = special.flatMap { [$0, "\($0)tail", "head\($0)", "a\($0)b\($0)\($0)c"] } + ["", "plain"]
        let json = JSONWriter.object { json in
            for (index, text) in texts.enumerated() { json.add("\(index)", text) }
        }
        let members = try #require(
            JSONSerialization.jsonObject(with: json.withBytes { Data($0) }) as? [String: String])
        for (index, text) in texts.enumerated() { #expect(members["\(index)"] == text) }
    }

    @Test("Arrays of texts can contain null, and padding has the length that was asked for", arguments: [0, 1, 9999])
    func arraysAndPadding(count: Int) throws {
        let json = JSONWriter.object(in: .ordinary) { json in
            json.add("digits", array: { array in for digit in ["1", nil, "\""] { array.add(digit) } })
            json.add("padding", spaces: count)
        }
        let members = try #require(
            JSONSerialization.jsonObject(with: json.withBytes { Data($0) }) as? [String: Any])
        let digits = try #require(members["digits"] as? [Any])
        #expect(digits[0] as? String == "1" && digits[1] is NSNull && digits[2] as? String == "\"")
        #expect(members["padding"] as? String == String(repeating: " ", count: count))
    }
}
