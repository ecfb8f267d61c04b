import Foundation

@testable import EIDInterface

/// The text without the white space that means nothing (RFC 8259 section 2).
func withoutWhiteSpace(_ json: String) -> String {
    var result = ""
    var (isInString, isEscaped) = (false, false)
    for character in json.unicodeScalars {
        if isInString {
            result.unicodeScalars.append(character)
            if isEscaped {
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                isInString = false
            }
        } else if !" \n\r\t".unicodeScalars.contains(character) {
            result.unicodeScalars.append(character)
            isInString = character == "\""
        }
    }
    return result
}

extension WipedBytes {
    var string: String { withBytes { String(decoding: $0, as: UTF8.self) } }
}

extension Message {
    init(_ json: String) throws {
        try self.init(parsing: Data(json.utf8))
    }
}
