package import Cryptography
internal import SecureMemory

/// Makes the terminal's key pairs, one for each chip authentication. Tests give known ones.
package struct TerminalKeyPairs: Sendable {
    let ellipticCurve: @Sendable (NamedCurve) throws(CryptographyError) -> ECPrivateKey
    let diffieHellman: @Sendable (DHGroup) throws(CryptographyError) -> DHPrivateKey

    package init(
        ellipticCurve: @escaping @Sendable (NamedCurve) throws(CryptographyError) -> ECPrivateKey,
        diffieHellman: @escaping @Sendable (DHGroup) throws(CryptographyError) -> DHPrivateKey
    ) {
        self.ellipticCurve = ellipticCurve
        self.diffieHellman = diffieHellman
    }

    /// Makes new random keys.
    package static let random = TerminalKeyPairs(
        ellipticCurve: { (curve) throws(CryptographyError) in try ECPrivateKey.generate(on: curve) },
        diffieHellman: { (group) throws(CryptographyError) in try DHPrivateKey.generate(in: group) })

    /// The public key to send, and the secret with the chip's key. The private key is gone afterwards.
    func agree(with chipKey: AgreementKey) throws(CryptographyError) -> (publicKey: [UInt8], secret: SharedSecret) {
        switch chipKey {
        case .ellipticCurve(let chipKey):
            let pair = try ellipticCurve(chipKey.curve)
            return (pair.publicKey.point, SharedSecret(try pair.sharedSecret(with: chipKey)))
        case .diffieHellman(let chipKey):
            let pair = try diffieHellman(chipKey.group)
            return (pair.publicKey.number, SharedSecret(try pair.sharedSecret(with: chipKey)))
        }
    }
}
