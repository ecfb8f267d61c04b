internal import StrictJSON

extension JSONText {
    /// Whether a member is absent, null or empty, which the protocol calls missing.
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
    borrowing func string(_ name: String) -> String? {
        kind(of: name) == .string ? text(of: name) : nil
    }

    /// The text of an identifier: a string of 1 to 64 characters, none of them a control character.
    borrowing func identifier(_ name: String) -> String? {
        string(name).flatMap { Identifier.isValid($0) ? $0 : nil }
    }

    /// An integer, or a string of digits that stands for one; nil for everything else.
    borrowing func smallInteger(_ name: String) -> Int? {
        guard let kind = kind(of: name), kind == .number || kind == .string, let text = text(of: name),
            (1...9).contains(text.utf8.count), text.utf8.allSatisfy({ 0x30...0x39 ~= $0 })
        else { return nil }
        return Int(text)
    }
}

/// What names a bank, a cardholder, a transaction or a key.
public enum Identifier {
    /// The longest one, in Unicode scalars. The schema has the same limit.
    public static let maximumLength = 64

    /// Whether a text may serve as one.
    public static func isValid(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        return (1...maximumLength).contains(scalars.count)
            && scalars.allSatisfy { !unprintable.contains($0.properties.generalCategory) }
    }

    /// What would break a line of a log, or is a control character to a database of some locale.
    private static let unprintable: Set<Unicode.GeneralCategory> = [.control, .lineSeparator, .paragraphSeparator]
}
