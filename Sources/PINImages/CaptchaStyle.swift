/// What a captcha looks like. Lengths are in pixels, angles in radians.
struct CaptchaStyle: Sendable {
    // The image.
    var height = 90
    var smallestCaptchaWidth = 240
    var widthPerDigit = 40
    var digitImageWidth = 60
    var edge = 3.0

    // The digits, each on its own.
    var glyphHeight = 50.0...62.0
    var rotation = -0.35...0.35
    var shear = -0.25...0.25
    var stretch = 0.9...1.1
    /// The distance of two neighbours' centres, as a share of the distance at which their cells touch.
    var spacing = 0.74...0.9

    // The warp of all outlines.
    var warpAmplitude = 3.5
    var warpWaveCount = 3
    var warpWavelength = 45.0...110.0

    // Strokes across the digits, some of ink and some that cut.
    var inkStrokesPerImage = 2
    var cutStrokesPerImage = 2
    var inkStrokeWidth = 3.0...4.5
    var cutStrokeWidth = 1.5...2.5

    // Speckles, half of ink and half that cut.
    var pixelsPerSpeckle = 180
    var speckleRadius = 0.6...1.5

    // The darkest and the lightest of the colours: each component is in the range.
    var inkComponent = 0...80
    var paperComponent = 226...255

    /// How a PIN is drawn.
    static let standard = CaptchaStyle()

    /// The size of the image of all digits.
    func captchaSize(digitCount: Int) -> PixelSize {
        PixelSize(width: max(smallestCaptchaWidth, widthPerDigit * digitCount), height: height)
    }

    /// The size of the image of one digit, the same for each.
    var digitImageSize: PixelSize {
        PixelSize(width: digitImageWidth, height: height)
    }
}
