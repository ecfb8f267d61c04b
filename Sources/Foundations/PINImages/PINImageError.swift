/// Why an image could not be made. It never contains digits of the PIN.
package struct PINImageError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The text for the log.
    package let description: String

    package static let noFont = PINImageError(
        description: "no font with the digits 0 to 9 is installed: install one, such as Debian's fonts-dejavu-core")

    package static let notDigits = PINImageError(description: "the PIN must consist of ASCII digits")

    package static let wrongLength = PINImageError(description: "the PIN must have 4 to 12 digits")

    package static let noSuchPosition = PINImageError(description: "there is no digit at this position")
}
