/// Everything in an image except the digits. It contains all randomness and no secrets.
struct Scene: Equatable, Sendable {
    /// In units: the pixels of scale 1.
    let size: PixelSize
    let scale: PINImageLook.Scale
    let layout: CaptchaLayout
    let warp: WarpField
    /// How far the warp can move a point.
    let warpAmplitude: Double
    let bands: [Band]
    let palette: InkPalette

    /// - Parameter cellWidth: the width of the typeface's cell.
    init(
        digitCount: Int, size: PixelSize, cellWidth: Double, style: CaptchaStyle, look: PINImageLook,
        using random: inout some RandomNumberGenerator
    ) {
        self.size = size
        scale = look.scale
        layout = CaptchaLayout(digitCount: digitCount, in: size, cellWidth: cellWidth, style: style, using: &random)
        warp = WarpField(style: style, using: &random)
        warpAmplitude = style.warpAmplitude
        bands = Band.make(in: size, style: style, using: &random)
        palette = InkPalette(theme: look.theme, using: &random)
    }

    /// In pixels.
    var pixelSize: PixelSize { size * scale.rawValue }
}
