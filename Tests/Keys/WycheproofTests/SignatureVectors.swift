/// Vectors of one public key that verifies signatures.
struct SignatureGroup: VectorGroup {
    struct Vector: WycheproofVector {
        let tcId: Int
        let comment: String
        let result: ExpectedResult
        let msg: Octets
        let sig: Octets
    }

    /// A DER SubjectPublicKeyInfo.
    let publicKeyDer: Octets
    /// The same in PEM.
    let publicKeyPem: String
    let tests: [Vector]
}
