internal import CardCompanionAPI
internal import CardCompanionModel
internal import PINImages
internal import SecureMemory
internal import StrictJSON

/// What is sealed to the client: the PIN, and the key that proves its notify.
struct DeliveryPlaintext {
    /// The plaintext is longer than the bank's fixed length. It is not sent, because its length would reveal something.
    struct TooLong: Error {}

    let format: DeliveryFormat
    let form: DeliveryForm
    let renderer: PINImageRenderer
    /// The length of all the bank's plaintexts of this scale, whatever the PIN, the format, the style and the free field. So
    /// the length of an answer says nothing about the PIN or the cardholder (protocol, section 2.5).
    let paddedByteCount: Int

    init(_ settings: BankSettings, form: DeliveryForm, renderer: PINImageRenderer) {
        format = settings.deliveryFormat
        self.form = form
        self.renderer = renderer
        let images = DeliveryForm.styles(settings).map { style in
            var look = form.look
            look.style = style
            return Self.largestImages(digitCount: settings.pinMaximumLength, look: look)
        }
        paddedByteCount = Self.otherByteCount + Self.freeFieldByteCount + (images.max() ?? 0)
    }

    /// More than enough for names, numbers, punctuation and the notify key: everything but images and free field.
    private static let otherByteCount = 256
    /// The longest free field, with each byte escaped in the longest form of JSON, such as \u0001.
    private static let freeFieldByteCount = 6 * ProvisionedMembers.freeFieldByteLimit

    /// How many bytes the images of a PIN take in JSON, in the format that needs more.
    private static func largestImages(digitCount: Int, look: PINImageLook) -> Int {
        /// In base64, with quotation marks and a comma.
        func text(_ byteCount: Int) -> Int { (byteCount + 2) / 3 * 4 + 3 }
        return max(
            text(PINImageRenderer.captchaByteCount(digitCount: digitCount, look: look)),
            digitCount * text(PINImageRenderer.digitImageByteCount(look: look)))
    }

    /// - Throws: `PINImageError` or ``TooLong``.
    func draw(
        _ pin: borrowing SecretBytes, notifyKey: borrowing SecretBytes, freeField: borrowing SecretBytes?,
        using random: inout some RandomNumberGenerator
    ) throws -> SecretBytes {
        try JSONWriter.object(capacity: paddedByteCount) { json in
            json.add(MemberName.format, form.isText ? DeliveryForm.text : format.rawValue)
            json.add(MemberName.length, Int64(pin.count))
            try addPIN(pin, to: &json, using: &random)
            json.add(MemberName.notifyKey, base64URL: notifyKey)
            switch freeField {
            case .some(let text): json.add(MemberName.freeField, utf8: text)
            case .none: break
            }
            let end = #","padding":""}"#
            let padding = paddedByteCount - json.count - end.utf8.count
            guard padding >= 0 else { throw TooLong() }
            json.add(MemberName.padding, spaces: padding)
        }
    }

    private func addPIN(
        _ pin: borrowing SecretBytes, to json: inout JSONWriter, using random: inout some RandomNumberGenerator
    ) throws(PINImageError) {
        guard !form.isText else { return json.add(MemberName.text, utf8: pin) }
        switch format {
        case .captcha:
            let image = try renderer.captcha(of: pin, look: form.look, using: &random)
            json.add(MemberName.images, array: { $0.add(base64: image) })
        case .digits: try addDigits(pin, to: &json, using: &random)
        }
    }

    /// One image per digit, in random order. `order[i]` is the index in `images` of the PIN's digit i.
    private func addDigits(
        _ pin: borrowing SecretBytes, to json: inout JSONWriter, using random: inout some RandomNumberGenerator
    ) throws(PINImageError) {
        let digitAt = Array(0..<pin.count).shuffled(using: &random)
        try json.add(
            MemberName.images,
            array: { (images) throws(PINImageError) in
                for digit in digitAt {
                    images.add(base64: try renderer.digitImage(of: pin, at: digit, look: form.look, using: &random))
                }
            })
        let order = digitAt.indices.sorted { digitAt[$0] < digitAt[$1] }
        json.add(MemberName.order, array: { array in for place in order { array.add(Int64(place)) } })
    }
}
