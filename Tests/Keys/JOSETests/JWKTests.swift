import Cryptography
import JOSE
import PythonOracle
import StrictJSON
import Testing

@Suite("JSON Web Keys")
struct JWKTests {
    @Test("The thumbprint has the value of RFC 7638 section 3.1")
    func rfc7638() throws {
        let modulus = try #require(
            Base64URL.decode(
                """
                0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n\
                3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zg\
                dAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFC\
                ur-kEgU8awapJzKnqDKgw
                """))
        let key = try JWK(.rsa(RSAPublicKey(modulus: modulus, exponent: [1, 0, 1])))
        #expect(key.thumbprint == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")
        #expect(key.keyID == key.thumbprint)
    }

    @Test("An RSA encryption key has the members of RFC 7517 and 7518")
    func rsa() throws {
        let key = Keys.rsa.publicKey
        let members = try JSONValue(parsing: JWK(.rsa(key), keyID: "a \"key\"").json.bytes)
        #expect(
            members
                == .object([
                    "kty": .string("RSA"), "use": .string("enc"), "alg": .string("RSA-OAEP-256"),
                    "kid": .string("a \"key\""), "n": .string(Base64URL.encode(key.modulus)), "e": .string("AQAB"),
                ]))
    }

    @Test("A P-256 key has the members of an EC key, and a signature key has the use sig")
    func p256() throws {
        let key = Keys.p256.publicKey
        let jwk = JWK(.ec(key), use: .signature, algorithm: "ES256")
        #expect(
            try JSONValue(parsing: jwk.json.bytes)
                == .object([
                    "kty": .string("EC"), "crv": .string("P-256"), "use": .string("sig"), "alg": .string("ES256"),
                    "kid": .string(jwk.thumbprint), "x": .string(Base64URL.encode(key.x)),
                    "y": .string(Base64URL.encode(key.y)),
                ]))
        #expect(JWK(.ec(key)).algorithm == "ECDH-ES+A256KW")
        #expect(JWK(.ec(key)).use == .encryption)
    }

    @Test("A set keeps the order of its keys, and can be empty")
    func set() throws {
        let keys = [JWK(.rsa(Keys.rsa.publicKey)), JWK(.ec(Keys.p256.publicKey))]
        let expected = try keys.map { try JSONValue(parsing: $0.json.bytes) }
        #expect(try JSONValue(parsing: JWKSet(keys: keys).json.bytes) == .object(["keys": .array(expected)]))
        #expect(JWKSet(keys: []).json == #"{"keys":[]}"#)
    }

    @Test(
        "jwcrypto reads the set and computes the same thumbprints",
        .enabled(if: PythonOracle.isAvailable, Comment(rawValue: PythonOracle.absence)))
    func jwcrypto() async throws {
        let keys = [JWK(.rsa(Keys.rsa.publicKey)), JWK(.ec(Keys.p256.publicKey), keyID: "named")]
        let read = try await PythonOracle(script: "Oracles/jose_oracle.py").ask(
            "read_key_set", ["json": JWKSet(keys: keys).json])
        #expect(read == [keys[0].thumbprint: keys[0].thumbprint, "named": keys[1].thumbprint])
    }
}
