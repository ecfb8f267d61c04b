/// The look of a captcha. Lengths are in pixels, angles in radians.
struct CaptchaStyle: Sendable {
    // The image.
    var height = 90
    var smallestCaptchaWidth = 240
    var widthPerDigit = 40
    var digitImageWidth = 60
    var edge = 3.0

    // Each digit.
    var glyphHeight = 50.0...62.0
    var rotation = -0.35...0.35
    var shear = -0.25...0.25
    var stretch = 0.9...1.1
    /// The distance between the centers of two neighbors, as a fraction of the distance at which their cells touch.
    var spacing = 0.74...0.9

    // The warp of all outlines.
    var warpAmplitude = 3.5
    var warpWaveCount = 3
    var warpWavelength = 45.0...110.0

    // Strokes across the digits. Some add ink, some cut it away.
    var inkStrokesPerImage = 2
    var cutStrokesPerImage = 2
    var inkStrokeWidth = 3.0...4.5
    var cutStrokeWidth = 1.5...2.5

    // Speckles. Half of them add ink, half cut it away.
    var pixelsPerSpeckle = 180
    var speckleRadius = 0.6...1.5

    // The ranges of the color components of the darkest (ink) and the lightest (paper) color.
    var inkComponent = 0...80
    var paperComponent = 226...255

    /// The style for PINs.
    static let standard = CaptchaStyle()

    /// The size of the image of all digits.
    func captchaSize(digitCount: Int) -> PixelSize {
        PixelSize(width: max(smallestCaptchaWidth, widthPerDigit * digitCount), height: height)
    }

    /// The size of the image of one digit.
    var digitImageSize: PixelSize {
        PixelSize(width: digitImageWidth, height: height)
    }
}
