/// Why a PIN block cannot be made or opened. It contains nothing of PIN and PAN.
package enum PINBlockError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The key's algorithm does not fit the format.
    case otherKey(PINBlockFormat)
    /// The block's length does not fit the format.
    case length(PINBlockFormat)
    /// There is no PAN, or one that the format does not allow.
    case pan(PINBlockFormat)
    /// The PIN does not have 4 to 12 digits.
    case pin
    /// The content is not a PIN of this format: another format, key or PAN. The error does not say which, on purpose.
    case content
    /// OpenSSL's configuration lacks the algorithm.
    case unavailable(PINBlockFormat)

    package var description: String {
        switch self {
        case .otherKey(let format): "format \(format.rawValue) needs a key of \(format.cipher.name)"
        case .length(let format): "a block of format \(format.rawValue) has \(format.byteCount) bytes"
        case .pan(.iso1): "format iso-1 has no PAN"
        case .pan(let format):
            "format \(format.rawValue) needs a PAN of \(format.panLengths.lowerBound) to \(format.panLengths.upperBound) "
                + "digits"
        case .pin: "a PIN has \(PINBlock.pinLengths.lowerBound) to \(PINBlock.pinLengths.upperBound) digits"
        case .content: "the block is not of this format, key and PAN"
        case .unavailable(let format):
            "OpenSSL does not provide \(format.cipher.name) here, which format \(format.rawValue) needs"
        }
    }
}
