internal import SecureMemory

/// A scrambled keypad: the digit at each of its places. Some places are empty.
struct KeypadLayout {
    /// How many places a keypad can have.
    static let sizes = 10...60

    static let empty = UInt8(ascii: "-")

    /// An ASCII digit or ``empty`` for each place.
    let places: SharedSecret

    /// Puts each digit once at a uniformly random place.
    init(size: Int, using random: inout some RandomNumberGenerator) {
        let digits = (0..<10).map { UInt8(ascii: "0") + $0 }
        let scrambled = (digits + Array(repeating: Self.empty, count: size - digits.count)).shuffled(using: &random)
        places = SharedSecret(SecretBytes(copying: scrambled))
    }

    /// As the client gets it: null at an empty place.
    var entries: [String?] {
        places.bytes.withBytes { places in
            places.map { $0 == Self.empty ? nil : String(UnicodeScalar($0)) }
        }
    }
}
