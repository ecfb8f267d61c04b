internal import CardCompanionAPI
internal import CardCompanionStore
internal import PINImages
internal import SecureMemory
internal import StrictJSON

/// What is sealed to the client: the PIN as images, and the key that proves its notify.
struct DeliveryPlaintext {
    /// More than a free field of 1,000 bytes has when each is escaped, with everything else that is no image.
    private static let textByteCount = 8192
    /// A third more than the largest image of a digit had in base64, of 60,000. A captcha has less than its digits would.
    private static let digitByteCount = 2048

    let format: DeliveryFormat
    let renderer: PINImageRenderer
    /// The length of all the bank's plaintexts, whatever the PIN, the format and the free field: so the length of an answer
    /// says nothing about the PIN or the cardholder (protocol, section 2.5).
    let paddedByteCount: Int

    init(_ settings: BankSettings, renderer: PINImageRenderer) {
        format = settings.deliveryFormat
        self.renderer = renderer
        paddedByteCount = Self.textByteCount + Self.digitByteCount * settings.pinMaximumLength
    }

    func draw(
        _ pin: borrowing SecretBytes, notifyKey: borrowing SecretBytes, freeField: borrowing SecretBytes?,
        using random: inout some RandomNumberGenerator
    ) throws(PINImageError) -> SecretBytes {
        try JSONWriter.object(capacity: paddedByteCount) { (json) throws(PINImageError) in
            json.add("format", format.rawValue)
            json.add("length", Int64(pin.count))
            switch format {
            case .captcha:
                let image = try renderer.captcha(of: pin, using: &random)
                json.add("images", array: { $0.add(base64: image) })
            case .digits: try addDigits(pin, to: &json, using: &random)
            }
            json.add("notifyKey", base64URL: notifyKey)
            switch freeField {
            case .some(let text): json.add("freeField", utf8: text)
            case .none: break
            }
            let end = #","padding":""}"#
            let padding = padding(after: json.count + end.utf8.count)
            json.add("padding", spaces: padding)
        }
    }

    /// How many bytes are missing to ``paddedByteCount``, or to a multiple if the images are larger than expected.
    func padding(after count: Int) -> Int {
        (paddedByteCount - count % paddedByteCount) % paddedByteCount
    }

    /// One image per digit, in random order. `order[i]` is the index in `images` of the PIN's digit i.
    private func addDigits(
        _ pin: borrowing SecretBytes, to json: inout JSONWriter, using random: inout some RandomNumberGenerator
    ) throws(PINImageError) {
        let digitAt = Array(0..<pin.count).shuffled(using: &random)
        try json.add(
            "images",
            array: { (images) throws(PINImageError) in
                for digit in digitAt { images.add(base64: try renderer.digitImage(of: pin, at: digit, using: &random)) }
            })
        let order = digitAt.indices.sorted { digitAt[$0] < digitAt[$1] }
        json.add("order", array: { array in for place in order { array.add(Int64(place)) } })
    }
}
