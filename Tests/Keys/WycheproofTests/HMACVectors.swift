/// Vectors of hmac_sha256_test.json.
struct HMACGroup: VectorGroup {
    struct Vector: WycheproofVector {
        let tcId: Int
        let comment: String
        let result: ExpectedResult
        let key: Octets
        let msg: Octets
        let tag: Octets
    }

    /// In bits.
    let tagSize: Int
    let tests: [Vector]
}
