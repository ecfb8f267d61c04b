internal import SecureMemory

/// The part of a PIN block that has the number of the card.
enum PANField {
    private static let digitsOfFormats0And3 = 12

    /// - Returns: zeros for format 1.
    static func encode(_ pan: SharedSecret?, _ format: PINBlockFormat) throws(PINBlockError) -> SecretBytes {
        guard format.hasPAN == (pan != nil) else { throw .pan(format) }
        guard let pan else { return SecretBytes(count: format.byteCount) { _ in } }
        return try pan.bytes.withBytes { (pan) throws(PINBlockError) in
            guard format.panLengths ~= pan.count, pan.allSatisfy({ 0x30...0x39 ~= $0 }) else { throw .pan(format) }
            return SecretBytes(count: format.byteCount) { field in
                if format == .iso4 {
                    // The length above 12, and all digits from the left.
                    field.setDigit(0, UInt8(pan.count - format.panLengths.lowerBound))
                    for (index, digit) in pan.enumerated() { field.setDigit(1 + index, digit - 0x30) }
                } else {
                    // The last digits without the check digit, to the right.
                    let digits = pan.dropLast().suffix(digitsOfFormats0And3)
                    for (index, digit) in digits.enumerated() { field.setDigit(4 + index, digit - 0x30) }
                }
            }
        }
    }
}
