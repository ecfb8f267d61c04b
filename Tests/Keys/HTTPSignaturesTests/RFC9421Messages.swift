import Cryptography
import HTTPSignatures
import SecureMemory
import Testing

/// The keys of RFC 9421 appendix B.1. The private keys are in PKCS#8.
enum RFC9421Keys {
    static func rsaPSS() throws -> VerificationKey {
        try VerificationKey(
            .rsaPSSSHA512,
            pem: """
                -----BEGIN PUBLIC KEY-----
                MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAr4tmm3r20Wd/PbqvP1s2
                +QEtvpuRaV8Yq40gjUR8y2Rjxa6dpG2GXHbPfvMs8ct+Lh1GH45x28Rw3Ry53mm+
                oAXjyQ86OnDkZ5N8lYbggD4O3w6M6pAvLkhk95AndTrifbIFPNU8PPMO7OyrFAHq
                gDsznjPFmTOtCEcN2Z1FpWgchwuYLPL+Wokqltd11nqqzi+bJ9cvSKADYdUAAN5W
                Utzdpiy6LbTgSxP7ociU4Tn0g5I6aDZJ7A8Lzo0KSyZYoA485mqcO0GVAdVw9lq4
                aOT9v6d+nb4bnNkQVklLQ3fVAvJm+xdDOp9LCNCN48V2pnDOkFV6+U9nV5oyc6XI
                2wIDAQAB
                -----END PUBLIC KEY-----
                """.bytes)
    }

    static func p256() throws -> VerificationKey {
        try VerificationKey(
            .ecdsaP256SHA256,
            pem: """
                -----BEGIN PUBLIC KEY-----
                MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEqIVYZVLCrPZHGHjP17CTW0/+D9Lf
                w0EkjqF7xB4FivAxzic30tMM4GF+hR6Dxh71Z50VGGdldkkDXZCnTNnoXQ==
                -----END PUBLIC KEY-----
                """.bytes)
    }

    static func ed25519() throws -> SigningKey {
        .ed25519(
            try Ed25519PrivateKey(
                pem: """
                    -----BEGIN PRIVATE KEY-----
                    MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF
                    -----END PRIVATE KEY-----
                    """.bytes))
    }

    static func hmac() throws -> SigningKey {
        let secret = "uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ=="
        return .hmacSHA256(try HMACKey(SecretBytes(copying: #require(Base64.decode(secret)))))
    }

    static func rsaPKCS1() throws -> SigningKey {
        let der = try #require(Base64.decode(rsaPKCS8.split(separator: "\n").joined()))
        return .rsaPKCS1SHA256(try RSAPrivateKey(pkcs8: der))
    }

    private static let rsaPKCS8 = """
        MIIEwgIBADANBgkqhkiG9w0BAQEFAASCBKwwggSoAgEAAoIBAQCEAph22h6jLzNwBxHzvgvxydnErMAbB3u/foA+ns+/pDaN2w8F
        GvBYQGd7Pp3RQMoPAZtzqfF8RcDLmZuGBqPOvDcw4S3y4Dm3FIqhsGkoN4Es6x0koWowaZcJC8Qbth6ZzENNE/ECV4gCBhhGNNJ3
        9AHBVb07A0WF6SujdG2WKdXRrvmN9mCSd79iKS1K8sbfiXDbOpcENMLk0dE5SoZOUwvg+U1lLlGLZThoI3HatQ9FwoiUTQ+4rEjh
        P4choWm/z6t1Xp5SA6sHbF4jV1IUWf+ee/k6hkkQgH5Wa4qfcMJRwJlIWVA9JdJ8EOJQaHA7Dvpa5JKx/UPhv+8ugnXTAgMBAAEC
        ggEAb8lm5JZ2hUduLnq+OAKCSODeWQ7Uqs7eet2bqeuAD0/2po+PG4qhZoo7VwFCUTWlJan9wqdxiAPlbEQKkCdFRcbakbjN2TMJ
        jMCHWL5zfgvqhmgeyKsrqg1wSce97J1/Mkvn3fh6CbqnwNb6bVFDvTJS3i5FzRhKiv6rUsYm8ZAdF4XRaYkFkeuHPl7rc+ruUTSA
        jC4GovxIxoDJFe0r4kbFmkiZOr40e8RZYK7T1IKrSvzfxx5AjnlK/OZOTCq0L7wBPbMW+IxmQpFCjpI+yuoi3FlZG3LaLNrBMXQF
        /lLZUDHs77q3fAGxDWwum2hKBfdBuUQtjlqwjQlgXPsskQKBiQCyp5QmapcTcs/y1igiMwgAqJOb2jqmw+VzwKssj0IfRRu5oDYk
        I4xwI2rxLJhtOqCdaUH1l9wCb9wWkDy1hyL2bm9grwc3FCv7wVLdCjw31Enx3RTkKzAPMxh9GCEB9QbCaVaPmGnWlDMC6HBs5cW3
        EodWww+HPUgG0X1jyO+CqBgctubKK7WbAnkAvSlgXQbvHzWmuUBFRHAejRh/naQTDV3GnH4lcRHuFBFZCSLn82xQS2/7xFOqfabq
        q17kNcvKfzdvWpGxxJ2cILAq0pZS6DmrZlvBU4IkK2ZHCac/XfWVZFh+PrsH/EnVkDpfcYR/iw1F40C1q5w8R6WBHaew3SApAoGI
        aiodZsrWpi8HFfZfeRs8OS/0L5x6WBl3Y9btoZgsIeruc9uZ8NXTIdxaM6FdnyNEyOYA1VH94tDYR+xEt1br1ud/dkPslLV/Aac7
        d7EaYc7cdkb7oC9t6sphVg0dqE0UTDlOwBxBYMtGmQbJsFzGpmjzVgKqWqJ3B947li2U7t63HXEvKprY2wJ4b0DzpSMb5p42dcQg
        OTU8Mr4S6JOEhRr/YjErMkpaXUEqvZ3jEB9HRmcRi5Gtt4NBiBMiY6V9br8a5gjEpiAQoIUcWokBMAYjEeurU8M6JLBd3YaZVVjI
        SaFmdtynwLFoQxCh6/EC1rSywwrfDpSwO29S9i8XbaapAoGIPkbARLOwU/LcZrQy9mmfcPoQlAuCyeu1Q9nH7PYSnbHTFzmiud4H
        l8bIXU9a0/58blDoOl3PctF+b4rAEJYUpCODu5PFyN6uEFYRg+YQwpjBMkXk8Eb39128ctARB40Lx8caDhRdTyaEedIG3cQDXSpA
        l9EOzXkzfx4bZxjAHU9mkMdJwOcMDQ==
        """
}

/// The messages of RFC 9421 appendix B.2.
enum RFC9421Messages {
    static let digest =
        "sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:"

    static func request(_ signatureFields: [(String, String)] = []) -> SignedMessage {
        SignedMessage(
            method: "POST", scheme: "https", authority: "example.com", target: "/foo?param=Value&Pet=dog",
            fields: [
                ("Host", "example.com"), ("Date", "Tue, 20 Apr 2021 02:07:55 GMT"),
                ("Content-Type", "application/json"), ("Content-Digest", digest), ("Content-Length", "18"),
            ] + signatureFields)
    }

    static func response(_ signatureFields: [(String, String)]) -> SignedMessage {
        let digest =
            "sha-512=:mEWXIS7MaLRuGgxOBdODa3xqM1XdEvxoYhvlCFJ41QJgJc4GTsPp29l5oGX69wWdXymyU0rjJuahq4l5aGgfLQ==:"
        return SignedMessage(
            status: 200,
            fields: [
                ("Date", "Tue, 20 Apr 2021 02:07:56 GMT"), ("Content-Type", "application/json"),
                ("Content-Digest", digest), ("Content-Length", "23"),
            ] + signatureFields)
    }
}
