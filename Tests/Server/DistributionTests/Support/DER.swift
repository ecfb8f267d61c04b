import Foundation

/// Builds valid and invalid public keys as DER SubjectPublicKeyInfo (RFC 5280 section 4.1).
enum DER {
    /// An RSA key with a random odd modulus. The server can seal to it, but no private key exists.
    static func rsa(bits: Int, exponent: [UInt8] = [1, 0, 1]) -> [UInt8] {
        var modulus = (0..<(bits + 7) / 8).map { _ in UInt8.random(in: 0...255) }
        let unused = modulus.count * 8 - bits
        modulus[0] = modulus[0] >> unused | 0x80 >> unused
        modulus[modulus.count - 1] |= 1
        return rsa(modulus: modulus, exponent: exponent)
    }

    static func rsa(
        modulus: [UInt8], exponent: [UInt8], algorithm: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 1]
    ) -> [UInt8] {
        let key = sequence(integer(modulus) + integer(exponent))
        return sequence(sequence(element(0x06, algorithm) + [0x05, 0x00]) + element(0x03, [0] + key))
    }

    /// A key on a named curve, P-256 by default.
    static func ec(point: [UInt8], curve: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 3, 1, 7]) -> [UInt8] {
        let ecPublicKey = element(0x06, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1])
        return sequence(sequence(ecPublicKey + element(0x06, curve)) + element(0x03, [0] + point))
    }

    static func base64(_ der: [UInt8]) -> String { Data(der).base64EncodedString() }

    private static func sequence(_ content: [UInt8]) -> [UInt8] { element(0x30, content) }

    private static func integer(_ magnitude: [UInt8]) -> [UInt8] {
        element(0x02, (magnitude[0] & 0x80 == 0 ? [] : [0]) + magnitude)
    }

    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        [tag] + length(content.count) + content
    }

    private static func length(_ count: Int) -> [UInt8] {
        if count < 128 { return [UInt8(count)] }
        if count < 256 { return [0x81, UInt8(count)] }
        return [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
    }
}
