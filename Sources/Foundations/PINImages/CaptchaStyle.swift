/// How the images of a style are drawn. Lengths are in units: the pixels of scale 1. Angles are in radians.
///
/// The values are a trade between people and programs, and were measured (docs/captcha.md). What hardly hindered programs
/// but hindered people is gone: thin lines, speckles, much rotation, and digits that touch.
struct CaptchaStyle: Equatable, Sendable {
    // The image.
    var height = 90
    var smallestCaptchaWidth = 240
    var widthPerDigit = 40
    var digitImageSize = PixelSize(width: 60, height: 90)
    var edge = 3.0

    // Each digit.
    var glyphHeight = 56.0...66.0
    var rotation = -0.12...0.12
    var shear = -0.05...0.05
    var stretch = 0.85...0.95
    /// The distance between the centers of two neighbors, as a fraction of the distance at which their boxes touch.
    var spacing = 0.95...1.05
    /// How far a digit can be above or below the middle.
    var verticalShift = 5.0

    // The warp of all digits.
    var warpAmplitude = 2.5
    var warpWaveCount = 3
    var warpWavelength = 45.0...110.0

    // Bands in which ink and paper change places.
    var bandCount = 2
    var bandWidth = 10.0...14.0
    var bandMargin = 9.0
    /// The most that a band can rise or fall, as a fraction of the image's width.
    var bandRise = 0.2

    init(_ look: PINImageLook) {
        switch look.style {
        case .standard:
            // On a dark ground, bands are light, and programs read dark digits on them better than the reverse.
            guard look.theme == .dark else { break }
            bandCount = 3
            bandWidth = 12...15
        case .strong:
            bandCount = 3
            bandWidth = 9...12
        case .calm:
            height = 180
            smallestCaptchaWidth = 480
            widthPerDigit = 80
            // Of as many pixels as each digit has in the captcha, so that neither format makes plaintexts longer.
            digitImageSize = PixelSize(width: 96, height: 140)
            edge = 8
            glyphHeight = 110...110
            rotation = 0...0
            shear = 0...0
            stretch = 1...1
            spacing = 1.1...1.1
            verticalShift = 0
            warpAmplitude = 0
            bandCount = 0
        }
    }

    /// The size of the image of all digits, at scale 1.
    func captchaSize(digitCount: Int) -> PixelSize {
        PixelSize(width: max(smallestCaptchaWidth, widthPerDigit * digitCount), height: height)
    }
}
