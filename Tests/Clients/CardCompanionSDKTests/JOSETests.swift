import Crypto
import Foundation
import Testing

@testable import CardCompanionSDK

@Suite struct JOSETests {
    @Test func `The Concat KDF matches the example of RFC 7518 appendix C`() throws {
        let alice = try P256.KeyAgreement.PrivateKey(
            rawRepresentation: #require(Base64URL.decode("0_NxaRPUMQoAJt50Gz8YiTr8gRTwyEaCumd-MToTmIo")))
        let bob = JWK(
            kty: "EC", crv: "P-256", x: "weNJy2HscCSM6AEDTDg04biOvhFhyyWvOHQfeF_PxMQ",
            y: "e8lnCO-AlStT-NJVX-crhB7QRYhiix03illJOVAOyck")
        let key = ConcatKDF.key(
            from: try alice.sharedSecretFromKeyAgreement(with: bob.p256PublicKey()), algorithm: "A128GCM",
            partyU: Data("Alice".utf8), partyV: Data("Bob".utf8), keyBitCount: 128)
        #expect(key.withUnsafeBytes { Base64URL.encode($0) } == "VqqN6vgjbSBcIijNcacQGg")
    }

    @Test func `A thumbprint matches the example of RFC 7638 section 3_1`() {
        let key = JWK(
            kty: "RSA", alg: "RS256", kid: "2011-04-29",
            n: """
                0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCi\
                FV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnY\
                b9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0\
                Ls1jF44-csFCur-kEgU8awapJzKnqDKgw
                """,
            e: "AQAB")
        #expect(key.thumbprint == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")
    }

    // The octets of RFC 7515 appendix C, and the vectors of RFC 4648 section 10 without padding.
    @Test(arguments: [
        ([3, 236, 255, 224, 193], "A-z_4ME"), ([], ""), (Array("f".utf8), "Zg"), (Array("fo".utf8), "Zm8"),
        (Array("foo".utf8), "Zm9v"), (Array("foob".utf8), "Zm9vYg"),
    ])
    func `Base64url is encoded and decoded without padding`(bytes: [UInt8], text: String) {
        #expect(Base64URL.encode(bytes) == text)
        #expect(Base64URL.decode(text) == Data(bytes))
    }

    @Test(arguments: ["Zg==", "Zm8=", "Zh", "Z", "A+z/4ME", "Zm 9v", "Zm9v\n", "Zmé", "="])
    func `Base64url that is not canonical is refused`(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }
}
