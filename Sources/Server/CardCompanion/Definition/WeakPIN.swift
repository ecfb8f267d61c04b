internal import CardCompanionModel
internal import SecureMemory

/// PINs that attackers guess first.
struct WeakPIN {
    private let rules: Set<WeakPINRule>
    private let listed: [String]

    init(_ settings: BankSettings) {
        rules = settings.weakPINRules
        listed = settings.listedPINs
    }

    /// Whether a rule of the bank refuses a PIN of ASCII digits. Every rule is checked, so that the time does not depend on
    /// which one refuses.
    func matches(_ pin: borrowing SecretBytes) -> Bool {
        pin.withBytes { digits in
            rules.reduce(false) { isWeak, rule in breaks(rule, digits) || isWeak }
        }
    }

    private func breaks(_ rule: WeakPINRule, _ digits: UnsafeRawBufferPointer) -> Bool {
        switch rule {
        case .same: hasStep(0, digits)
        case .ascending: hasStep(1, digits)
        case .descending: hasStep(9, digits)
        case .pairs: isPairs(digits)
        case .listed: isListed(digits, Self.commonlyChosen) || isListed(digits, listed)
        }
    }

    /// Whether each digit is `step` more than the one before it, modulo ten.
    private func hasStep(_ step: UInt8, _ digits: UnsafeRawBufferPointer) -> Bool {
        zip(digits, digits.dropFirst()).allSatisfy { ($1 + 10 - $0) % 10 == step }
    }

    /// abab… or aabb….
    private func isPairs(_ digits: UnsafeRawBufferPointer) -> Bool {
        guard digits.count.isMultiple(of: 2) else { return false }
        let repeatsPair = digits.indices.dropFirst(2).allSatisfy { digits[$0] == digits[$0 - 2] }
        let doublesDigits = stride(from: 0, to: digits.count, by: 2).allSatisfy { digits[$0] == digits[$0 + 1] }
        return repeatsPair || doublesDigits
    }

    private func isListed(_ digits: UnsafeRawBufferPointer, _ list: [String]) -> Bool {
        list.reduce(false) { isFound, listed in digits.elementsEqual(listed.utf8) || isFound }
    }

    /// PINs that people choose far more often than by chance, and that the other rules do not refuse.
    private static let commonlyChosen = [
        "1004", "1010", "1313", "2000", "2001", "2002", "2580", "0852", "1379", "1397", "1470", "1590", "1984", "1990",
        "1991", "1992", "1999", "2010", "2020", "2024", "2025", "2026", "5683", "6969", "7410", "9510", "0007", "0070",
        "12345", "54321", "13579", "24680", "147258", "159753", "121314", "123321", "112358", "142536", "159357",
        "246810", "789456", "520131", "101010", "131313", "696969",
    ]
}
