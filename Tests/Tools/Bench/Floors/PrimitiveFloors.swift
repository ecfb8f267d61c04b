import Cryptography
import Foundation
import PINImages
import SecureMemory

/// What an operation cannot avoid, apart from HTTP and the database.
enum Primitive: String, CaseIterable, Sendable {
    case verifyRSA2048 = "RSA-2048 verify"
    case verifyEd25519 = "Ed25519 verify"
    case hmac = "HMAC-SHA-256"
    case openP256 = "P-256 agree, KDF, unwrap, GCM"
    case sealP256 = "P-256 key, agree, KDF, wrap, GCM 12 KiB"
    case openRSA3072 = "RSA-3072 decrypt, GCM"
    case sealRSA2048 = "RSA-2048 OAEP encrypt, GCM 12 KiB"
    case sealToBank = "RSA-2048 OAEP encrypt, GCM"
    case gcm = "AES-GCM, 16 bytes"
    case image = "image, 4 digits"
    case emptyImage = "image without digits"
    case verifyBrainpool256 = "ECDSA brainpoolP256r1 verify"
    case verifyBrainpool384 = "ECDSA brainpoolP384r1 verify"
    case verifyP256 = "ECDSA P-256 verify"
    case agreeP256 = "P-256 key, agree"
    case hashDocument = "SHA-256, 2 KiB"
}

extension Operation {
    /// The primitives of one request.
    var primitives: [Primitive] {
        switch self {
        case .health: []
        case .keypad: [.gcm]
        case .definePINByToken: [.verifyRSA2048, .openP256, .gcm, .sealToBank]
        case .definePINByIndexes: [.verifyRSA2048, .openP256, .gcm, .gcm, .sealToBank]
        case .definePINByHMAC: [.hmac, .openRSA3072, .gcm, .sealToBank]
        case .fetchByToken: [.verifyRSA2048, .gcm, .image, .sealP256]
        case .notifyByToken: [.verifyRSA2048, .hmac]
        case .notifyByCode: []
        case .fetchByCode: [.hmac, .hmac, .gcm, .image, .sealRSA2048]
        case .getCardholder: [.verifyEd25519]
        case .putCardholder: [.verifyEd25519, .openP256, .openP256, .gcm, .hmac]
        case .mix: []
        }
    }

    /// What a request costs by a rule for the operations; for the mix the mean.
    func mean(_ cost: (Operation) -> Double) -> Double {
        guard self == .mix else { return cost(self) }
        let costs = Self.shares.map { Double($0.count) * cost($0.operation) }
        return costs.reduce(0, +) / Double(Self.shares.map(\.count).reduce(0, +))
    }
}

/// Runs primitives in a loop, through the project's own modules.
struct PrimitiveFloors {
    private let rsa2048: RSAPrivateKey
    private let rsa3072: RSAPrivateKey
    private let p256: P256PrivateKey
    private let peer: P256PrivateKey
    private let ed25519: Ed25519PrivateKey
    private let key = SecureRandom.bytes(count: 32)
    private let nonce = SecureRandom.bytes(count: 12)
    private let message = SecureRandom.bytes(count: 300)
    private let delivery = SecureRandom.bytes(count: 12 << 10)
    private let document = SecureRandom.bytes(count: 2 << 10)
    private let renderer: PINImageRenderer
    private let seconds: Double

    /// - Parameter seconds: how long each primitive runs.
    init(seconds: Double) throws {
        rsa2048 = try .generate(bits: 2048)
        rsa3072 = try .generate(bits: 3072)
        p256 = try .generate()
        peer = try .generate()
        ed25519 = try .generate()
        renderer = try PINImageRenderer()
        self.seconds = seconds
    }

    /// The CPU time of one call, in microseconds.
    func microseconds(_ primitive: Primitive) throws -> Double {
        let call = try body(primitive)
        try call()
        let start = ProcessTimes.ownThreadSeconds()
        var count = 0
        repeat {
            for _ in 0..<10 { try call() }
            count += 10
        } while ProcessTimes.ownThreadSeconds() - start < seconds
        return (ProcessTimes.ownThreadSeconds() - start) * 1e6 / Double(count)
    }

    private func body(_ primitive: Primitive) throws -> () throws -> Void {
        switch primitive {
        case .verifyRSA2048:
            let signature = try rsa2048.signPKCS1SHA256(message)
            return { _ = rsa2048.publicKey.isValidPKCS1SHA256(signature: signature, for: message) }
        case .verifyEd25519:
            let signature = try ed25519.sign(message)
            return { _ = ed25519.publicKey.isValid(signature: signature, for: message) }
        case .hmac: return { _ = HMACSHA256.authenticationCode(for: message, key: key) }
        case .openP256:
            let wrapped = try AESKeyWrap.wrap(key, with: try agreedKey(p256, peer))
            let box = try AESGCM.seal(message, key: key, nonce: nonce, authenticating: message)
            return {
                let content = try AESKeyWrap.unwrap(wrapped, with: try agreedKey(p256, peer))
                _ = try AESGCM.open(
                    ciphertext: box.ciphertext, tag: box.tag, key: content, nonce: nonce, authenticating: message)
            }
        case .sealP256:
            return {
                _ = try AESKeyWrap.wrap(key, with: try agreedKey(try P256PrivateKey.generate(), peer))
                _ = try AESGCM.seal(delivery, key: key, nonce: nonce, authenticating: message)
            }
        case .openRSA3072:
            let encrypted = try rsa3072.publicKey.encryptOAEPSHA256(key)
            let box = try AESGCM.seal(message, key: key, nonce: nonce, authenticating: message)
            return {
                let content = try rsa3072.decryptOAEPSHA256(encrypted)
                _ = try AESGCM.open(
                    ciphertext: box.ciphertext, tag: box.tag, key: content, nonce: nonce, authenticating: message)
            }
        case .sealRSA2048: return { try sealToRSA(delivery) }
        case .sealToBank: return { try sealToRSA(Array(message.prefix(16))) }
        case .gcm:
            return {
                _ = try AESGCM.seal(Array(message.prefix(16)), key: key, nonce: nonce, authenticating: message)
            }
        case .image:
            let pin = SharedSecret(SecretBytes(copying: Array("4917".utf8)))
            return {
                var random = SystemRandomNumberGenerator()
                _ = try renderer.captcha(of: pin.bytes, look: .standard, using: &random)
            }
        case .emptyImage:
            return {
                var random = SystemRandomNumberGenerator()
                _ = PINImageRenderer.emptyCaptcha(digitCount: 4, look: .standard, using: &random)
            }
        case .verifyBrainpool256: return try verify(on: .brainpoolP256r1)
        case .verifyBrainpool384: return try verify(on: .brainpoolP384r1)
        case .verifyP256: return try verify(on: .p256)
        case .agreeP256:
            let peer = try ECPrivateKey.generate(on: .p256).publicKey
            return { _ = try ECPrivateKey.generate(on: .p256).sharedSecret(with: peer) }
        case .hashDocument: return { _ = SHA256.hash(document) }
        }
    }

    private func verify(on curve: NamedCurve) throws -> () throws -> Void {
        let key = try ECPrivateKey.generate(on: curve)
        let (r, s) = try key.signECDSA(digest: self.key)
        let point = key.publicKey.point
        return { _ = try ECPublicKey(curve: curve, point: point).isValidECDSA(r: r, s: s, digest: self.key) }
    }

    private func agreedKey(_ own: P256PrivateKey, _ peer: P256PrivateKey) throws -> SecretBytes {
        ConcatKDF.derive(
            sharedSecret: try own.sharedSecret(with: peer.publicKey), algorithmID: "ECDH-ES+A256KW",
            partyUInfo: [UInt8](), partyVInfo: [UInt8](), keyByteCount: 32)
    }

    private func sealToRSA(_ plaintext: [UInt8]) throws {
        _ = try rsa2048.publicKey.encryptOAEPSHA256(key)
        _ = try AESGCM.seal(plaintext, key: key, nonce: nonce, authenticating: message)
    }
}
