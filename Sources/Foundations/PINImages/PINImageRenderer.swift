package import SecureMemory

/// Draws PINs as images for people. Each image is different.
///
/// An image slows down programs that see the screen. It does not stop them: a network that is trained on such images reads
/// nearly all of them. What keeps the PIN secret on its way is the envelope to the app, not the image.
///
/// The length of an image, and the work of drawing it, depend on its look and on how many digits it shows, not on the digits.
///
/// `init` reads the fonts; afterwards the renderer needs only their shapes. It can be used by many threads at once. All
/// memory of the pixels is wiped.
package struct PINImageRenderer: Sendable {
    private let typeface: Typeface

    /// Reads the digits of the installed fonts.
    ///
    /// - Throws: `.noFont` if no font has the ten digits.
    package init() throws(PINImageError) {
        typeface = try Typeface.installed()
    }

    /// One captcha image of all digits: a PNG. At scale 1 it has 240 × 90 pixels for up to six digits, and 40 more for each
    /// further digit; in the calm style twice as many.
    ///
    /// - Parameter digits: 4 to 12 ASCII digits.
    /// - Throws: `.wrongLength` or `.notDigits`.
    package func captcha(
        of digits: borrowing SecretBytes, look: PINImageLook, using random: inout some RandomNumberGenerator
    ) throws(PINImageError) -> SecretBytes {
        try Self.check(digits)
        let scene = scene(ofDigits: digits.count, look: look, using: &random)
        return draw(digits, 0..<digits.count, of: scene)
    }

    /// One image of the digit at `position`: a PNG of 60 × 90 pixels at scale 1, and of 96 × 140 in the calm style.
    ///
    /// - Parameters:
    ///   - digits: 4 to 12 ASCII digits.
    ///   - position: 0 for the first.
    /// - Throws: `.wrongLength`, `.notDigits` or `.noSuchPosition`.
    package func digitImage(
        of digits: borrowing SecretBytes, at position: Int, look: PINImageLook,
        using random: inout some RandomNumberGenerator
    ) throws(PINImageError) -> SecretBytes {
        try Self.check(digits)
        guard 0..<digits.count ~= position else { throw .noSuchPosition }
        let style = CaptchaStyle(look)
        let scene = Scene(
            digitCount: 1, size: style.digitImageSize, cellWidth: typeface.cellWidth, style: style, look: look,
            using: &random)
        return draw(digits, position..<position + 1, of: scene)
    }

    /// An image as large as a captcha, without digits: what the file alone costs. Measurements compare captchas with it.
    package static func emptyCaptcha(
        digitCount: Int, look: PINImageLook, using random: inout some RandomNumberGenerator
    ) -> SecretBytes {
        let size = CaptchaStyle(look).captchaSize(digitCount: digitCount) * look.scale.rawValue
        let pixels = SecretBytes(count: InkPixels.byteCount(size), in: .ordinary) { _ in }
        return StoredPNG.encode(pixels, size: size, palette: InkPalette(theme: look.theme, using: &random))
    }

    /// The length of each captcha image with this many digits.
    package static func captchaByteCount(digitCount: Int, look: PINImageLook) -> Int {
        let size = CaptchaStyle(look).captchaSize(digitCount: digitCount)
        return StoredPNG.byteCount(size * look.scale.rawValue)
    }

    /// The length of each image of one digit.
    package static func digitImageByteCount(look: PINImageLook) -> Int {
        StoredPNG.byteCount(CaptchaStyle(look).digitImageSize * look.scale.rawValue)
    }

    private static let lengths = 4...12
    private static let asciiDigits = UInt8(ascii: "0")...UInt8(ascii: "9")

    private static func check(_ digits: borrowing SecretBytes) throws(PINImageError) {
        guard lengths ~= digits.count else { throw .wrongLength }
        guard digits.withBytes({ $0.allSatisfy { asciiDigits ~= $0 } }) else { throw .notDigits }
    }

    func scene(
        ofDigits count: Int, look: PINImageLook, using random: inout some RandomNumberGenerator
    ) -> Scene {
        let style = CaptchaStyle(look)
        return Scene(
            digitCount: count, size: style.captchaSize(digitCount: count), cellWidth: typeface.cellWidth, style: style,
            look: look, using: &random)
    }

    private func draw(_ digits: borrowing SecretBytes, _ shown: Range<Int>, of scene: Scene) -> SecretBytes {
        let pixels = digits.withBytes { digits in
            SecretBytes(count: InkPixels.byteCount(scene.pixelSize), in: .ordinary) { bytes in
                paint(digits[shown], of: scene, onto: InkPixels(of: scene, bytes: bytes))
                for index in bytes.indices { bytes[index] = InkPalette.index(ofInk: bytes[index]) }
            }
        }
        return StoredPNG.encode(pixels, size: scene.pixelSize, palette: scene.palette)
    }

    /// - Returns: for how many pixels the shape of a digit was read.
    @discardableResult
    func paint(_ digits: Slice<UnsafeRawBufferPointer>, of scene: Scene, onto pixels: InkPixels) -> Int {
        var count = 0
        for (digit, placement) in zip(digits, scene.layout.placements) {
            typeface.withShape(of: Int(digit - Self.asciiDigits.lowerBound)) { shape in
                count += pixels.draw(shape, at: placement, of: scene)
            }
        }
        for band in scene.bands { pixels.invert(band) }
        return count
    }
}
