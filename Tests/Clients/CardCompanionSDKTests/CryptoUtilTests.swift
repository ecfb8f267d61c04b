import CardCompanionSDK
import Foundation
import Testing

@Suite struct CryptoUtilTests {
    // RFC 4231, test cases 1 and 2.
    @Test(arguments: [
        (
            "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            "4A656665", "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
    ])
    func `Both HMAC functions match the test vectors of RFC 4231`(key: String, data: String, hmac: String) {
        #expect(CryptoUtil.computeHMAC(key: key, data: data) == hmac)
        let hex = CardCompanionUtil.stringToHex(data)
        #expect(CardCompanionUtil.calculHashMacValue(key, str: hex) == hmac)
    }

    @Test(arguments: ["", "0", "0g", "0x00", "é", "0b 0b"])
    func `A key that is empty or not hex gives an empty HMAC`(key: String) {
        #expect(CryptoUtil.computeHMAC(key: key, data: "data") == "")
    }

    @Test func `Data that is not hex gives an empty HMAC`() {
        #expect(CardCompanionUtil.calculHashMacValue("00", str: "data") == "")
    }

    @Test func `A text is converted to hex as UTF-8`() {
        #expect(CardCompanionUtil.stringToHex("Aé\n") == "41c3a90a")
    }

    @Test func `A timestamp is in seconds`() {
        let before = Date().timeIntervalSince1970.rounded(.down)
        let timestamp = CardCompanionUtil.getTimestamp().doubleValue
        #expect(before <= timestamp && timestamp <= Date().timeIntervalSince1970)
    }
}
