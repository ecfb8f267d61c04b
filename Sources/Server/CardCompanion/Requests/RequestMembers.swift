internal import CardCompanionModel
internal import Cryptography
internal import StrictJSON

extension JSONText {
    /// Whether a member is missing, as the protocol means it: absent, null or empty.
    borrowing func isMissing(_ name: String) -> Bool {
        switch kind(of: name) {
        case nil, .null: true
        default: isEmptyString(name)
        }
    }

    /// The code of the first member that is missing.
    borrowing func firstMissing<Code>(_ members: [(name: String, code: Code)]) -> Code? {
        for member in members where isMissing(member.name) { return member.code }
        return nil
    }

    /// The text of a string; nil for every other kind.
    package borrowing func string(_ name: String) -> String? {
        kind(of: name) == .string ? text(of: name) : nil
    }

    /// The text of an identifier; nil for every other value.
    borrowing func identifier(_ name: String) -> Identifier? {
        string(name).flatMap { Identifier($0) }
    }

    /// A number or a string of one to nine digits; nil for everything else.
    borrowing func smallInteger(_ name: String) -> Int? {
        guard let kind = kind(of: name), kind == .number || kind == .string, let text = text(of: name),
            (1...9).contains(text.utf8.count), text.utf8.allSatisfy({ 0x30...0x39 ~= $0 })
        else { return nil }
        return Int(text)
    }

    /// The bytes of an HMAC-SHA-256 in hex; nil for every other value.
    borrowing func hexOf32Bytes(_ name: String) -> [UInt8]? {
        string(name).flatMap(Hex.decode).flatMap { $0.count == HMACSHA256.byteCount ? $0 : nil }
    }
}
