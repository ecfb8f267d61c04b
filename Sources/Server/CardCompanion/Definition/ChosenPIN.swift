internal import CardCompanionModel
internal import SecureMemory

/// Reads the cardholder's choice from the sealed value (protocol, section 2.5).
enum ChosenPIN {
    /// The longest plaintext of a PIN, and of indexes, with padding.
    static let pinByteLimit = 16
    static let indexesByteLimit = 64

    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

    /// A value without the spaces that can pad it at the end.
    static func unpadded(_ plaintext: borrowing SecretBytes) -> SecretBytes {
        plaintext.withBytes { bytes in
            let count = bytes.lastIndex { $0 != UInt8(ascii: " ") }.map { $0 + 1 } ?? 0
            return SecretBytes(copying: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        }
    }

    /// A PIN with spaces, so that its length reveals nothing.
    static func padded(_ pin: borrowing SecretBytes) -> SecretBytes {
        var text = SecretBuffer(capacity: pinByteLimit)
        text.append(pin)
        text.append(byte: UInt8(ascii: " "), repeating: max(0, pinByteLimit - pin.count))
        return text.finish()
    }

    /// Whether a text is a PIN that the bank allows.
    static func isAllowed(_ pin: borrowing SecretBytes, by settings: BankSettings) -> Bool {
        PINForm(settings).matches(pin) && !WeakPIN(settings).matches(pin)
    }

    /// What a PIN must be, for the app. It says the same whatever is wrong with a PIN. Of the SDK document's example PINs it names
    /// those that the bank refuses.
    static func rule(of settings: BankSettings) -> String {
        let digits = "it must have \(PINForm(settings).rule)"
        guard !settings.weakPINRules.isEmpty else { return digits }
        let refused = ["1234", "4343", "5959"].filter {
            WeakPIN(settings).matches(SecretBytes(copying: Array($0.utf8)))
        }
        let examples = refused.isEmpty ? "" : ", as \(refused.joined(separator: ", ")) are"
        return digits + " and must not be easy to guess" + examples
    }

    /// The PIN that indexes stand for: `3,7,3,7`, `[3, 7, 3, 7]`, or on a keypad of ten places `3737`.
    ///
    /// - Returns: nil if the text is not a list of indexes, or if one of them is outside the keypad or at an empty place.
    static func pin(at indexes: borrowing SecretBytes, on layout: borrowing SecretBytes) -> SecretBytes? {
        guard let places = places(indexes, isPlain: layout.count == 10) else { return nil }
        var pin = SecretBuffer(capacity: pinByteLimit)
        for position in 0..<places.count {
            let place = Int(places.withBytes { $0[position] })
            guard place < layout.count else { return nil }
            let digit = layout.withBytes { $0[place] }
            guard digits ~= digit else { return nil }
            pin.append(byte: digit)
        }
        return pin.finish()
    }

    /// One byte per index. No keypad has an index above 255.
    private static func places(_ text: borrowing SecretBytes, isPlain: Bool) -> SecretBytes? {
        text.withBytes { bytes -> SecretBytes? in
            guard let list = withoutBrackets(bytes) else { return nil }
            var places = SecretBuffer(capacity: indexesByteLimit)
            if isPlain, !list.isEmpty, list.allSatisfy({ digits ~= $0 }) {
                for byte in list { places.append(byte: byte - digits.lowerBound) }
                return places.finish()
            }
            for part in list.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
                guard let place = number(part) else { return nil }
                places.append(byte: place)
            }
            return places.finish()
        }
    }

    private static func withoutBrackets(_ bytes: UnsafeRawBufferPointer) -> Slice<UnsafeRawBufferPointer>? {
        let (opens, closes) = (bytes.first == UInt8(ascii: "["), bytes.last == UInt8(ascii: "]"))
        guard opens || closes else { return bytes[...] }
        guard opens, closes, bytes.count >= 2 else { return nil }
        return bytes.dropFirst().dropLast()
    }

    /// A decimal number of at most two digits, with spaces around it.
    private static func number(_ text: Slice<UnsafeRawBufferPointer>) -> UInt8? {
        let trimmed = text.drop { $0 == UInt8(ascii: " ") }
        let end = trimmed.lastIndex { $0 != UInt8(ascii: " ") }.map { $0 + 1 } ?? trimmed.startIndex
        let number = trimmed[..<end]
        guard 1...2 ~= number.count, number.allSatisfy({ digits ~= $0 }) else { return nil }
        return number.reduce(0) { $0 * 10 + ($1 - digits.lowerBound) }
    }
}
