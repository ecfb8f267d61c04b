import CardCompanionModel
import Foundation
import PINImages
import SecureMemory
import Testing

@testable import CardCompanion

@Suite("Delivery plaintext")
struct DeliveryPlaintextTests {
    private let renderer: PINImageRenderer
    private let notifyKey = [UInt8](repeating: 0xFB, count: 32)

    init() throws {
        renderer = try PINImageRenderer()
    }

    @Test("The captcha format is one image, and the text does not contain the PIN", arguments: [4, 6, 12])
    func captcha(length: Int) throws {
        let pin = String("918273645091".prefix(length))
        let bytes = try plaintext(pin, .captcha)
        let members = try members(bytes)
        #expect(members["format"] as? String == "captcha")
        #expect(members["length"] as? Int == length)
        #expect(try images(members).count == 1)
        #expect(members["order"] == nil)
        #expect(members["freeField"] == nil)
        // Four digits are in the text of an image by chance.
        let images = try #require(members["images"] as? [String])
        let text = String(decoding: bytes, as: UTF8.self)
        let withoutImages = images.reduce(text) { $0.replacing($1, with: "") }
        #expect(withoutImages.count < text.count)
        #expect(!(length < 12 ? withoutImages : text).contains(pin))
    }

    @Test("The digits format is one image per digit, with a random display order")
    func digits() throws {
        var orders: Set<[Int]> = []
        for _ in 0..<20 {
            let members = try members(plaintext("123456", .digits))
            let order = try #require(members["order"] as? [Int])
            #expect(try images(members).count == 6)
            #expect(order.sorted() == Array(0..<6))
            orders.insert(order)
        }
        #expect(orders.count > 10, "the order does not look random")
    }

    @Test("Images of the same digit are all different")
    func imagesDiffer() throws {
        let images = try images(members(plaintext("111111", .digits)))
        #expect(Set(images).count == 6)
    }

    @Test("The notify key is base64url without padding")
    func notifyKeyText() throws {
        let text = try #require(members(plaintext("1234", .captcha))["notifyKey"] as? String)
        #expect(text == "-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_s")
    }

    @Test(
        "A free field with any characters arrives unchanged",
        arguments: ["", "Bonjour", "a\"b\\c/", "\u{0}\u{1}\u{1f}\u{7f}\n\r\t", "é€😀\u{2028}", "\\u0041", "}{][\","])
    func freeField(_ text: String) throws {
        let members = try members(plaintext("1234", .captcha, freeField: text))
        #expect(members["freeField"] as? String == text)
    }

    @Test("The text format is the digits themselves, without an image")
    func text() throws {
        let members = try members(plaintext("4391", .captcha, form: DeliveryForm(isText: true, look: .standard)))
        #expect(members["format"] as? String == "text")
        #expect(members["text"] as? String == "4391")
        #expect(members["length"] as? Int == 4)
        #expect(members["images"] == nil)
    }

    @Test(
        "All plaintexts of a bank have one length, whatever the PIN, the format, the style and the free field",
        arguments: PINImageLook.Scale.allCases)
    func oneLength(scale: PINImageLook.Scale) throws {
        let freeFields = [
            nil, "x", String(repeating: "é", count: 500), String(repeating: "\"", count: 1000),
            String(repeating: "\u{1}", count: 1000),
        ]
        let forms =
            PINImageLook.Style.allCases.map { style in
                DeliveryForm(isText: false, look: PINImageLook(style: style, theme: .dark, scale: scale))
            } + [DeliveryForm(isText: true, look: PINImageLook(scale: scale))]
        var counts: Set<Int> = []
        for format in DeliveryFormat.allCases {
            for (index, length) in [4, 6, 7, 12].enumerated() {
                for digit in ["1", "8"] {
                    let pin = String(repeating: digit, count: length)
                    for freeField in scale == .one ? freeFields : [nil, freeFields[4]] {
                        counts.insert(
                            try plaintext(pin, format, freeField: freeField, maximumLength: 12, form: forms[index])
                                .count)
                    }
                }
            }
        }
        #expect(counts.count == 1)
    }

    @Test("What does not fit into the bank's length is not sent")
    func tooLong() {
        let calm = DeliveryForm(isText: false, look: PINImageLook(style: .calm))
        #expect(throws: DeliveryPlaintext.TooLong.self) {
            for format in DeliveryFormat.allCases {
                _ = try plaintext(
                    "123456", format, freeField: String(repeating: "\u{1}", count: 1100), form: calm)
            }
        }
    }

    private func plaintext(
        _ pin: String, _ format: DeliveryFormat, freeField: String? = nil, maximumLength: Int = 6,
        form: DeliveryForm = DeliveryForm(isText: false, look: .standard)
    ) throws -> [UInt8] {
        var settings = BankSettings(name: "Bank", programme: "bank", scheme: .cb)
        settings.deliveryFormat = format
        settings.pinMaximumLength = maximumLength
        var random = SystemRandomNumberGenerator()
        let text = freeField.map { SecretBytes($0) }
        let plaintext = DeliveryPlaintext(settings, form: form, renderer: renderer)
        return try plaintext.draw(
            SecretBytes(pin), notifyKey: SecretBytes(copying: notifyKey), freeField: text, using: &random
        ).revealed
    }

    private func members(_ bytes: [UInt8]) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    }

    /// The decoded images. Checks that each starts with the PNG signature.
    private func images(_ members: [String: Any]) throws -> [Data] {
        let texts = try #require(members["images"] as? [String])
        return try texts.map { text in
            let image = try #require(Data(base64Encoded: text))
            #expect(image.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]))
            return image
        }
    }
}
