package import CardCompanionModel
internal import Cryptography

/// Which values are spent, and how their digests are made.
extension SpentDigest {
    private init(of value: [UInt8]) {
        self.init(bytes: Array(SHA256.hash(value).prefix(Self.byteCount)))
    }

    /// Of a token's IdTransaction.
    package static func transaction(_ id: Identifier) -> SpentDigest {
        SpentDigest(of: Array(id.text.utf8))
    }

    /// Of the bytes of a hashMac.
    package static func hmac(_ code: [UInt8]) -> SpentDigest {
        SpentDigest(of: code)
    }

    /// Of the bytes of a keypadId.
    package static func keypad(_ sealed: [UInt8]) -> SpentDigest {
        SpentDigest(of: sealed)
    }

    /// Of a provisioned PIN as it was sent: a compact JWE.
    package static func pin(_ compact: String) -> SpentDigest {
        SpentDigest(of: Array(compact.utf8))
    }

    /// Of a signature's nonce. Two keys can use the same nonce.
    package static func nonce(_ nonce: String, ofKey keyId: String) -> SpentDigest {
        SpentDigest(of: Array("\(keyId)\n\(nonce)".utf8))
    }

    /// Of a validationId.
    package static func validation(_ id: String) -> SpentDigest {
        SpentDigest(of: Array(id.utf8))
    }
}
