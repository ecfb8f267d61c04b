package import SecureMemory

/// Draws PINs as images that people can read and programs cannot. Each image is different.
///
/// `init` reads the fonts; afterwards the renderer needs only their outlines. It can be used by many threads at once.
///
/// All memory of the pixels, of libpng and of zlib is wiped.
///
/// The length of an image in bytes depends on its content. The sender must hide the length, as the padding of a
/// delivered PIN does.
package struct PINImageRenderer: Sendable {
    private let typefaces: [Typeface]
    private let style: CaptchaStyle

    /// Reads the digits of the installed fonts.
    ///
    /// - Throws: `.noFont` if no font has the ten digits.
    package init() throws(PINImageError) {
        self.init(typefaces: try Typeface.installed(), style: .standard)
    }

    init(typefaces: [Typeface], style: CaptchaStyle) {
        self.typefaces = typefaces
        self.style = style
    }

    /// One captcha image of all digits: a PNG, 90 pixels high, 240 pixels wide for up to six digits, and 40 pixels wider
    /// for each further digit.
    ///
    /// - Parameter digits: 4 to 12 ASCII digits.
    /// - Throws: `.wrongLength`, `.notDigits` or `.drawingFailed`.
    package func captcha(
        of digits: borrowing SecretBytes, using random: inout some RandomNumberGenerator
    ) throws(PINImageError) -> SecretBytes {
        try Self.check(digits)
        let size = style.captchaSize(digitCount: digits.count)
        return try draw(digits, 0..<digits.count, size: size, using: &random)
    }

    /// One image of the digit at `position`: a PNG of 60 × 90 pixels in the style of the captcha.
    ///
    /// - Parameters:
    ///   - digits: 4 to 12 ASCII digits.
    ///   - position: 0 for the first.
    /// - Throws: `.wrongLength`, `.notDigits`, `.noSuchPosition` or `.drawingFailed`.
    package func digitImage(
        of digits: borrowing SecretBytes, at position: Int, using random: inout some RandomNumberGenerator
    ) throws(PINImageError) -> SecretBytes {
        try Self.check(digits)
        guard 0..<digits.count ~= position else { throw .noSuchPosition }
        return try draw(digits, position..<position + 1, size: style.digitImageSize, using: &random)
    }

    private static let lengths = 4...12
    private static let asciiDigits = UInt8(ascii: "0")...UInt8(ascii: "9")

    private static func check(_ digits: borrowing SecretBytes) throws(PINImageError) {
        guard lengths ~= digits.count else { throw .wrongLength }
        guard digits.withBytes({ $0.allSatisfy { asciiDigits ~= $0 } }) else { throw .notDigits }
    }

    private func draw(
        _ digits: borrowing SecretBytes, _ shown: Range<Int>, size: PixelSize,
        using random: inout some RandomNumberGenerator
    ) throws(PINImageError) -> SecretBytes {
        let scene = Scene(
            digitCount: shown.count, size: size, cellWidths: typefaces.map(\.cellWidth), style: style, using: &random)
        let pixels = digits.withBytes { digits in
            SecretBytes(count: InkPixels.byteCount(size), in: .ordinary) { bytes in
                paint(digits[shown], of: scene, onto: InkPixels(size: size, bytes: bytes))
                for index in bytes.indices { bytes[index] = InkPalette.index(ofInk: bytes[index]) }
            }
        }
        return try PNGEncoder.encode(pixels, size: size, palette: scene.palette)
    }

    private func paint(_ digits: Slice<UnsafeRawBufferPointer>, of scene: Scene, onto pixels: InkPixels) {
        OutlineFill.paint(onto: pixels) { fill in
            for (digit, placement) in zip(digits, scene.layout.placements) {
                let outline = typefaces[placement.typeface].outline(of: Int(digit - Self.asciiDigits.lowerBound))
                fill.add(outline) { scene.warp.warp(placement.place($0)) }
            }
        }
        for stroke in scene.clutter.strokes { pixels.draw(stroke) }
        for speckle in scene.clutter.speckles { pixels.draw(speckle) }
    }
}
