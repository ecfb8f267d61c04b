internal import CardCompanionModel
internal import SecureMemory

/// The form of a bank's PINs: ASCII digits.
struct PINForm: Sendable, Equatable {
    let lengths: ClosedRange<Int>

    init(_ settings: BankSettings) {
        lengths = settings.pinMinimumLength...settings.pinMaximumLength
    }

    /// What a PIN must be, for error messages.
    var rule: String { "\(lengths.lowerBound) to \(lengths.upperBound) digits" }

    func matches(_ pin: borrowing SecretBytes) -> Bool {
        lengths ~= pin.count && pin.withBytes { $0.allSatisfy { 0x30...0x39 ~= $0 } }
    }
}
