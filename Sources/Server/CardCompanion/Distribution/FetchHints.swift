internal import CardCompanionAPI
internal import CardCompanionModel
internal import PINImages
internal import StrictJSON

/// Wishes of an app about how it gets a PIN (protocol, section 2.1). A wish of another type or value is ignored.
struct FetchHints {
    let style: PINImageLook.Style?
    let theme: PINImageLook.Theme?
    let scale: PINImageLook.Scale?
    /// Whether the app can show or speak the digits themselves.
    let acceptsText: Bool

    init(_ body: borrowing JSONText) {
        style = body.string(MemberName.style).flatMap(PINImageLook.Style.init(rawValue:))
        theme = body.string(MemberName.theme).flatMap(PINImageLook.Theme.init(rawValue:))
        scale = body.smallInteger(MemberName.scale).flatMap(PINImageLook.Scale.init(rawValue:))
        acceptsText = body.strings(MemberName.formats)?.contains(DeliveryForm.text) ?? false
    }
}

/// How a cardholder's PIN is sent.
struct DeliveryForm {
    /// The format that has the digits themselves.
    static let text = "text"

    /// Whether the digits themselves are sent, and no image.
    let isText: Bool
    /// How images look. The length of what is sent depends on its scale, also without images.
    let look: PINImageLook

    /// How long the drawing takes. The images of all digits take about as long as one of the whole PIN.
    var cost: Int { isText ? 1 : look.cost }
}

extension DeliveryForm {
    init(_ settings: BankSettings, hints: FetchHints, accessibility: Accessibility?) {
        isText = accessibility == .text && settings.textPINs && hints.acceptsText
        let allowed = settings.hints
        let style = allowed.contains(.style) ? hints.style : nil
        look = PINImageLook(
            style: accessibility == nil ? style ?? PINImageLook.Style(settings.imageStyle) : .calm,
            theme: (allowed.contains(.theme) ? hints.theme : nil) ?? .light,
            scale: (allowed.contains(.scale) ? hints.scale : nil) ?? .one)
    }

    /// All styles that a bank's cardholders can get. A cardholder whom the bank has marked can always get the calm one.
    static func styles(_ settings: BankSettings) -> Set<PINImageLook.Style> {
        settings.hints.contains(.style) ? Set(PINImageLook.Style.allCases) : [.init(settings.imageStyle), .calm]
    }
}

extension PINImageLook.Style {
    fileprivate init(_ style: ImageStyle) {
        self =
            switch style {
            case .standard: .standard
            case .strong: .strong
            case .calm: .calm
            }
    }
}
