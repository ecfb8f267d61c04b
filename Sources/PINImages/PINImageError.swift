/// Why there is no image. It says nothing of the PIN.
public struct PINImageError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What went wrong, for the log.
    public let description: String

    /// No font with ten different digits is installed.
    public static let noFont = PINImageError(
        description: "no font with the ten digits is installed: install one, such as Debian's fonts-dejavu-core")

    /// A byte is not an ASCII digit.
    public static let notDigits = PINImageError(description: "a byte is not an ASCII digit")

    /// There are fewer than 4 or more than 12 digits.
    public static let wrongLength = PINImageError(description: "there are not 4 to 12 digits")

    /// The position is not that of one of the digits.
    public static let noSuchPosition = PINImageError(description: "there is no digit at the position")

    /// cairo or libpng failed.
    public static let drawingFailed = PINImageError(description: "the image could not be drawn")
}
