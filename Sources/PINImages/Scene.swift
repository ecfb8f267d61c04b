/// Everything in an image except the digits. It contains all randomness and no secrets.
struct Scene: Equatable, Sendable {
    let size: PixelSize
    let layout: CaptchaLayout
    let warp: WarpField
    let clutter: Clutter
    let palette: InkPalette

    init(
        digitCount: Int, size: PixelSize, cellWidths: [Double], style: CaptchaStyle,
        using random: inout some RandomNumberGenerator
    ) {
        self.size = size
        layout = CaptchaLayout(
            digitCount: digitCount, in: size, cellWidths: cellWidths, style: style, using: &random)
        warp = WarpField(style: style, using: &random)
        clutter = Clutter(in: size, style: style, using: &random)
        palette = InkPalette(style: style, using: &random)
    }
}
