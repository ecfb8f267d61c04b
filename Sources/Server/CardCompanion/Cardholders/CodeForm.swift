internal import CardCompanionModel
internal import SecureMemory

/// The form of a bank's authentication codes.
struct CodeForm: Sendable, Equatable {
    let alphabet: CodeAlphabet
    let lengths: ClosedRange<Int>

    init(_ settings: BankSettings) {
        alphabet = settings.codeAlphabet
        lengths = settings.codeMinimumLength...settings.codeMaximumLength
    }

    /// What a code must be, for error messages.
    var rule: String { "\(lengths.lowerBound) to \(lengths.upperBound) characters (\(alphabet.rawValue))" }

    func matches(_ code: borrowing SecretBytes) -> Bool {
        lengths ~= code.count && code.withBytes { $0.allSatisfy(isAllowed) }
    }

    private func isAllowed(_ byte: UInt8) -> Bool {
        switch alphabet {
        case .digits: 0x30...0x39 ~= byte
        case .alphanumeric: 0x30...0x39 ~= byte || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte
        case .printable: 0x20...0x7E ~= byte
        }
    }
}
