internal import Foundation

/// Finds duplicate member names in JSON. RFC 7516 section 4 requires refusing them, but Foundation's decoder accepts
/// them and picks one.
enum MemberNames {
    /// Whether the member names in each object are unique. `text` must be well-formed JSON.
    static func areUnique(in text: Data) -> Bool {
        var objects: [Set<String>] = []
        var index = text.startIndex
        while index < text.endIndex {
            switch text[index] {
            case UInt8(ascii: "{"): objects.append([])
            case UInt8(ascii: "}"): _ = objects.popLast()
            case UInt8(ascii: "\""):
                let end = endOfString(in: text, from: index)
                if isName(endingBefore: end, in: text), let last = objects.indices.last {
                    guard let name = try? JSONDecoder().decode(String.self, from: text[index..<end]),
                        objects[last].insert(name).inserted
                    else { return false }
                }
                index = end
                continue
            default: break
            }
            index += 1
        }
        return true
    }

    /// The index after the closing quotation mark of the string that starts at `start`.
    private static func endOfString(in text: Data, from start: Int) -> Int {
        var index = start + 1
        while index < text.endIndex, text[index] != UInt8(ascii: "\"") {
            index += text[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(index + 1, text.endIndex)
    }

    private static func isName(endingBefore end: Int, in text: Data) -> Bool {
        text[end...].first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: ":")
    }
}
