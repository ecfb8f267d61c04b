import CardCompanionModel
import PINImages
import SecureMemory
import StrictJSON
import Testing

@testable import CardCompanion

@Suite("How a PIN is sent: what the bank allows and what the app wishes")
struct DeliveryFormTests {
    private let all = #"{"style":"strong","theme":"dark","scale":3,"formats":["text"]}"#

    @Test("A bank with the default settings grants theme and scale, and keeps its style")
    func defaults() throws {
        #expect(try form(all).look == PINImageLook(style: .standard, theme: .dark, scale: .three))
    }

    @Test("A bank can allow each wish, or none")
    func allowed() throws {
        #expect(try form(all) { $0.hints = [.style] }.look == PINImageLook(style: .strong))
        #expect(try form(all) { $0.hints = [] }.look == .standard)
        #expect(try form("{}") { $0.imageStyle = .strong }.look == PINImageLook(style: .strong))
    }

    @Test(
        "A wish of another type or value is ignored",
        arguments: [
            #"{"style":"tiny","theme":"blue","scale":4,"formats":"text"}"#,
            #"{"style":3,"theme":["dark"],"scale":"x","formats":[1]}"#,
            #"{"style":null,"theme":"","scale":-1,"formats":{}}"#,
            #"{"scale":1.5}"#, "{}",
        ])
    func ignored(_ body: String) throws {
        let form = try form(body, .text) {
            $0.hints = Set(RequestHint.allCases)
            $0.textPINs = true
        }
        #expect(form.look == PINImageLook(style: .calm))
        #expect(form.isText == false)
    }

    @Test("The scale can be a string of digits")
    func scaleAsText() throws {
        #expect(try form(#"{"scale":"2"}"#).look.scale == .two)
    }

    @Test("A marked cardholder gets calm images, whatever the app and the bank prefer")
    func calm() throws {
        #expect(try form(all, .calm) { $0.hints = [.style] }.look.style == .calm)
    }

    @Test("The digits are sent only if bank, cardholder and app agree")
    func text() throws {
        #expect(try form(all, .text) { $0.textPINs = true }.isText)
        #expect(try form(all, .text).isText == false)
        #expect(try form(all, .text).look.style == .calm)
        #expect(try form("{}", .text) { $0.textPINs = true }.isText == false)
        #expect(try form(all, .calm) { $0.textPINs = true }.isText == false)
        #expect(try form(all, nil) { $0.textPINs = true }.isText == false)
    }

    private func form(
        _ body: String, _ accessibility: Accessibility? = nil, _ set: (inout BankSettings) -> Void = { _ in }
    ) throws -> DeliveryForm {
        var settings = BankSettings(name: "Bank", programme: "bank", scheme: .cb)
        set(&settings)
        let hints = FetchHints(try JSONText(SecretBytes(body)))
        return DeliveryForm(settings, hints: hints, accessibility: accessibility)
    }
}
