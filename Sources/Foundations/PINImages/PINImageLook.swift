/// How an image of a PIN looks.
package struct PINImageLook: Hashable, Sendable {
    /// What is done against programs that read images. It slows them down, and does not stop them (docs/captcha.md).
    package enum Style: String, CaseIterable, Sendable {
        /// Digits that are turned and warped a little, with bands in which ink and paper change places.
        case standard
        /// More and narrower bands: harder for programs, and a little harder for people.
        case strong
        /// Large digits without any distortion, for people who cannot read the others. Programs can read them.
        case calm
    }

    /// Dark digits on a light ground, or light ones on a dark ground.
    package enum Theme: String, CaseIterable, Sendable {
        case light, dark
    }

    /// How many pixels are along each side of a pixel of scale 1, for screens with small pixels.
    package enum Scale: Int, CaseIterable, Sendable {
        case one = 1
        case two, three
    }

    package var style: Style
    package var theme: Theme
    package var scale: Scale

    package static let standard = PINImageLook()

    /// How long drawing takes, in images of the usual style and scale 1 (docs/performance.md#images).
    package var cost: Int {
        switch (style == .calm, scale) {
        case (false, .one): 1
        case (true, .one): 2
        case (false, .two): 3
        case (true, .two), (false, .three): 7
        case (true, .three): 14
        }
    }

    package init(style: Style = .standard, theme: Theme = .light, scale: Scale = .one) {
        self.style = style
        self.theme = theme
        self.scale = scale
    }
}
