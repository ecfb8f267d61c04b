internal import SecureMemory

/// The part of a PIN block that has the PIN: control digit, length, PIN, fill.
enum PINField {
    /// The digits that PIN and fill share, after control digit and length.
    private static let room = 2..<16
    /// A random byte for each of the first 16 digits; format 4 has 16 more random digits.
    private static let noiseByteCount = 16

    static func encode(
        _ pin: borrowing SecretBytes, _ format: PINBlockFormat, random: (Int) -> SecretBytes
    ) throws(PINBlockError) -> SecretBytes {
        guard PINBlock.pinLengths ~= pin.count, pin.withBytes({ $0.allSatisfy { 0x30...0x39 ~= $0 } }) else {
            throw .pin
        }
        let noise = random(noiseByteCount)
        return SecretBytes(count: format.byteCount) { field in
            pin.withBytes { pin in
                noise.withBytes { noise in
                    field.setDigit(0, format.control)
                    field.setDigit(1, UInt8(pin.count))
                    for index in room {
                        let place = index - room.lowerBound
                        field.setDigit(index, place < pin.count ? pin[place] - 0x30 : fill(format, noise[index]))
                    }
                    for index in room.upperBound..<format.byteCount * 2 { field.setDigit(index, noise.digit(index)) }
                }
            }
        }
    }

    /// - Throws: `content`.
    static func decode(_ field: borrowing SecretBytes, _ format: PINBlockFormat) throws(PINBlockError) -> SecretBytes {
        try field.withBytes { (field) throws(PINBlockError) in
            let count = Int(field.digit(1))
            guard field.digit(0) == format.control, PINBlock.pinLengths ~= count else { throw .content }
            let (digits, fill) = (room.prefix(count), room.dropFirst(count))
            guard digits.allSatisfy({ field.digit($0) <= 9 }),
                fill.allSatisfy({ isFill(field.digit($0), format) })
            else { throw .content }
            return SecretBytes(count: count) { pin in
                for (index, digit) in digits.enumerated() { pin[index] = 0x30 + field.digit(digit) }
            }
        }
    }

    /// A digit after the PIN.
    private static func fill(_ format: PINBlockFormat, _ random: UInt8) -> UInt8 {
        switch format {
        case .iso0: 0xF
        case .iso1: random & 0xF
        case .iso3: 0xA + random % 6
        case .iso4: 0xA
        }
    }

    private static func isFill(_ digit: UInt8, _ format: PINBlockFormat) -> Bool {
        switch format {
        case .iso0: digit == 0xF
        case .iso1: true
        case .iso3: digit >= 0xA
        case .iso4: digit == 0xA
        }
    }
}

extension UnsafeRawBufferPointer {
    /// A digit of four bits.
    func digit(_ index: Int) -> UInt8 {
        index.isMultiple(of: 2) ? self[index / 2] >> 4 : self[index / 2] & 0xF
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Writes a digit of four bits where zero was.
    func setDigit(_ index: Int, _ digit: UInt8) {
        self[index / 2] |= index.isMultiple(of: 2) ? digit << 4 : digit
    }
}
