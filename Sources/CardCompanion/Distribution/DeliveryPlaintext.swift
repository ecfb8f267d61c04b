internal import CardCompanionAPI
internal import CardCompanionStore
internal import PINImages
internal import SecureMemory

/// What is sealed to the client: the PIN as images, and the key that its notify is proved with.
struct DeliveryPlaintext {
    /// The length of the plaintext is a multiple of this, so that it says nothing about the PIN.
    static let paddedByteCount = 4096

    let format: DeliveryFormat
    let renderer: PINImageRenderer

    /// Draws a PIN.
    func draw(
        _ pin: borrowing SecretBytes, notifyKey: borrowing SecretBytes, freeField: borrowing SecretBytes?,
        using random: inout some RandomNumberGenerator
    ) throws(PINImageError) -> SecretBytes {
        var json = SecretBuffer(capacity: 4 * Self.paddedByteCount)
        json.append(#"{"format":"\#(format.rawValue)","length":\#(pin.count),"images":["#)
        switch format {
        case .captcha: json.appendImage(try renderer.captcha(of: pin, using: &random))
        case .digits: try drawDigits(pin, into: &json, using: &random)
        }
        json.append(#"],"notifyKey":""#)
        json.appendBase64URL(notifyKey)
        json.append(#"""#)
        switch freeField {
        case .some(let text):
            json.append(#","freeField":"#)
            json.appendJSONString(text)
        case .none: break
        }
        json.append(#","padding":""#)
        let end = #""}"#
        json.append(byte: UInt8(ascii: " "), repeating: Self.padding(after: json.count + end.utf8.count))
        json.append(end)
        return json.finish()
    }

    /// How many bytes bring a text of `count` to a multiple of ``paddedByteCount``.
    static func padding(after count: Int) -> Int {
        (paddedByteCount - count % paddedByteCount) % paddedByteCount
    }

    /// One image a digit, in random order; `order[i]` is where in `images` digit i of the PIN stands.
    private func drawDigits(
        _ pin: borrowing SecretBytes, into json: inout SecretBuffer, using random: inout some RandomNumberGenerator
    ) throws(PINImageError) {
        let digitAt = Array(0..<pin.count).shuffled(using: &random)
        for (place, digit) in digitAt.enumerated() {
            if place > 0 { json.append(",") }
            json.appendImage(try renderer.digitImage(of: pin, at: digit, using: &random))
        }
        let order = digitAt.indices.sorted { digitAt[$0] < digitAt[$1] }
        json.append(#"],"order":[\#(order.map(String.init).joined(separator: ","))"#)
    }
}

extension SecretBuffer {
    fileprivate mutating func appendImage(_ png: borrowing SecretBytes) {
        append(byte: UInt8(ascii: "\""))
        appendBase64(png)
        append(byte: UInt8(ascii: "\""))
    }

    /// Text as a JSON string (RFC 8259 section 7); it is UTF-8.
    fileprivate mutating func appendJSONString(_ text: borrowing SecretBytes) {
        append(byte: UInt8(ascii: "\""))
        for index in 0..<text.count {
            let byte = text.withBytes { $0[index] }
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                append(byte: UInt8(ascii: "\\"))
                append(byte: byte)
            case 0..<0x20:
                append(#"\u00"#)
                appendHex([byte])
            default: append(byte: byte)
            }
        }
        append(byte: UInt8(ascii: "\""))
    }
}
