import Testing

/// A sealed value from delivered-pins.json or defined-pins.json, with every step.
struct SealedValueVector: NamedVector {
    struct Delivered: Decodable, Sendable {
        let format: String
        let length: Int
        let imagesInOrder: [String]
        let notifyKey: Octets
        let freeField: String?
    }

    let name: String
    let operation: String
    let member: String
    let alg: String
    let recipient: String
    let plaintext: String
    let contentKey: Octets
    let encryptedKey: Octets
    let header: String
    let protectedHeader: String
    let additionalData: Octets
    let iv: Octets
    let ciphertext: Octets
    let tag: Octets
    let compact: String

    // ECDH-ES+A256KW
    let ephemeral: [String: String]?
    let apu: Octets?
    let apv: Octets?
    let sharedSecret: Octets?
    let wrappingKey: Octets?

    /// What the header of a value that is sealed to the server says: cty, iss, sub, jti and keypadId.
    let binding: [String: String]?

    // The content.
    let delivered: Delivered?
    let pin: String?
    let authenticationCode: String?
    let indexes: [Int]?
    let keypad: [String?]?

    var isECDH: Bool { alg == "ECDH-ES+A256KW" }
}

/// A sealed value and its recipient's key.
struct SealedValueCase: Sendable, CustomTestStringConvertible {
    let vector: SealedValueVector
    let key: KeyVector

    var testDescription: String { vector.name }

    private struct File: Decodable, Sendable {
        let keys: KeyVectors
        let vectors: [SealedValueVector]

        func cases() throws -> [SealedValueCase] {
            try vectors.map { SealedValueCase(vector: $0, key: try keys.named($0.recipient)) }
        }
    }

    private static let deliveredFile = VectorFile.read("delivered-pins", as: File.self)
    private static let definedFile = VectorFile.read("defined-pins", as: File.self)

    static func delivered() throws -> [SealedValueCase] { try deliveredFile.get().cases() }
    static func defined() throws -> [SealedValueCase] { try definedFile.get().cases() }
}
