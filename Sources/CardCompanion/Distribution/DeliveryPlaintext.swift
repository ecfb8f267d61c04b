internal import CardCompanionAPI
internal import CardCompanionStore
internal import PINImages
internal import SecureMemory
internal import StrictJSON

/// What is sealed to the client: the PIN as images, and the key that proves its notify.
struct DeliveryPlaintext {
    /// The length of the plaintext is a multiple of this, so that it reveals nothing about the PIN.
    static let paddedByteCount = 4096

    let format: DeliveryFormat
    let renderer: PINImageRenderer

    func draw(
        _ pin: borrowing SecretBytes, notifyKey: borrowing SecretBytes, freeField: borrowing SecretBytes?,
        using random: inout some RandomNumberGenerator
    ) throws(PINImageError) -> SecretBytes {
        try JSONWriter.object(capacity: 4 * Self.paddedByteCount) { (json) throws(PINImageError) in
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
            let padding = Self.padding(after: json.count + end.utf8.count)
            json.add("padding", String(repeating: " ", count: padding))
        }
    }

    /// How many bytes are missing to a multiple of ``paddedByteCount``.
    static func padding(after count: Int) -> Int {
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
