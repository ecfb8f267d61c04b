internal import SecureMemory

/// The cards that a key for the issuer's host serves.
package struct ServedCards: Sendable, Equatable {
    package static let panLengths = 13...19
    package static let prefixLengths = 6...11
    package static let prefixLimit = 64

    /// How many digits a PAN has.
    package let panLength: Int
    /// How a PAN begins, in order.
    package let prefixes: [String]

    /// - Returns: nil if a length or a prefix is not allowed, if there is none or too many, or if they are not in order.
    init?(panLength: Int, prefixes: [String]) {
        guard Self.panLengths ~= panLength, 1...Self.prefixLimit ~= prefixes.count,
            prefixes == Set(prefixes).sorted(),
            prefixes.allSatisfy({ prefix in
                Self.prefixLengths ~= prefix.utf8.count && prefix.utf8.allSatisfy { 0x30...0x39 ~= $0 }
            })
        else { return nil }
        self.panLength = panLength
        self.prefixes = prefixes
    }

    /// Why two cards of the key could have the same digits in a value; nil if they cannot.
    ///
    /// A value has only some digits of the PAN. If two PANs shared these, each value of one were a value of the other, and the
    /// pairing of a PAN with a cardholder would protect neither. The check digit follows from the others.
    ///
    /// - Parameter covered: the digits of the PAN that the value has, from 0.
    func ambiguity(within covered: Range<Int>) -> String? {
        let open = (0..<panLength - 1).filter { !covered.contains($0) }
        if let last = open.last, let short = prefixes.first(where: { $0.utf8.count <= last }) {
            return
                "the value of a PAN of \(panLength) digits does not have its digit \(last + 1): the prefix \(short) must have at "
                + "least \(last + 1) digits"
        }
        for (index, prefix) in prefixes.enumerated() {
            let like = prefixes[..<index].first { other in
                let pairs = zip(prefix.utf8, other.utf8).enumerated()
                return pairs.allSatisfy { place, digits in !covered.contains(place) || digits.0 == digits.1 }
            }
            if let like { return "cards with \(like) and with \(prefix) can have the same values: they need two keys" }
        }
        return nil
    }

    /// What is wrong with a PAN, for the bank; nil if the key serves it. The text has nothing of the PAN.
    func refusal(of pan: borrowing SecretBytes) -> String? {
        guard pan.count == panLength else { return "must have the \(panLength) digits that the key's rules say" }
        guard PrimaryAccountNumber.isWhole(pan) else { return "must be digits with the right check digit" }
        let isServed = pan.withBytes { pan in prefixes.contains { pan.starts(with: $0.utf8) } }
        return isServed ? nil : "must begin as the key's rules say: the key does not serve this card"
    }
}
