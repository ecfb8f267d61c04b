/// A band along a curve from the left edge of an image to the right edge. In it, ink and paper change places.
///
/// People follow the shape of a digit through a band. Programs that were made for other images mostly do not.
struct Band: Equatable, Sendable {
    let curve: HeightCurve
    let width: Double

    /// Bands from top to bottom, each in a lane of its own. So they do not cross, and leave no splinters of digits.
    static func make(
        in size: PixelSize, style: CaptchaStyle, using random: inout some RandomNumberGenerator
    ) -> [Band] {
        let height = Double(size.height)
        let laneHeight = (height - 2 * style.bandMargin) / Double(max(1, style.bandCount))
        // A band that is steep hides more of a digit.
        let rise = min(laneHeight, style.bandRise * Double(size.width))
        return (0..<style.bandCount).map { index in
            let lane = style.bandMargin + Double(index) * laneHeight
            let top = lane + Double.random(in: 0...laneHeight - rise, using: &random)
            let heights = (0...3).map { _ in Double.random(in: top...top + rise, using: &random) }
            return Band(
                curve: HeightCurve(heights[0], heights[1], heights[2], heights[3]),
                width: Double.random(in: style.bandWidth, using: &random))
        }
    }
}
