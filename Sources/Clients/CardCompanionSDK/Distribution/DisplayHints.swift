internal import CardCompanionAPI

/// How the app would like to get the PIN. The server grants what the bank allows, and ignores the rest.
public struct DisplayHints: Sendable, Equatable {
    /// How images are protected against programs that read them.
    public enum Style: String, Sendable {
        /// The usual images.
        case standard
        /// Harder for programs, and a little harder for people.
        case strong
        /// Large digits without distortion.
        case calm
    }

    /// The colors of images.
    public enum Theme: String, Sendable {
        /// Dark digits on a light ground.
        case light
        /// Light digits on a dark ground.
        case dark
    }

    /// Nil for the bank's own style.
    public var style: Style?
    /// Nil for light.
    public var theme: Theme?
    /// How many pixels of the image are along each side of one point of the screen: 1, 2 or 3. Nil for 1.
    public var scale: Int?
    /// Whether the app can show the digits themselves, large, and let the phone speak them. A cardholder whom the bank has
    /// marked for it then gets ``ProvisioningResponse/text`` in place of images.
    public var acceptsText: Bool

    /// Creates hints. By default, the app gets the bank's usual images.
    public init(style: Style? = nil, theme: Theme? = nil, scale: Int? = nil, acceptsText: Bool = false) {
        self.style = style
        self.theme = theme
        self.scale = scale
        self.acceptsText = acceptsText
    }

    var formats: [String]? { acceptsText ? [DeliveredPIN.Format.text.rawValue] : nil }
}
