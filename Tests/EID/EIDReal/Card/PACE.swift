internal import Cryptography
package import EMRTD
internal import SecureMemory

/// PACE on the card's side (Doc 9303-11 section 4.4): ECDH with generic mapping on brainpoolP256r1, AES-128.
package struct PACE: Sendable {
    /// `id-PACE-ECDH-GM-AES-CBC-CMAC-128`.
    package static let identifier = ObjectIdentifier("0.4.0.127.0.7.2.2.4.2.2")
    /// brainpoolP256r1 among the standardised parameters (Doc 9303-11 section 9.5.1).
    package static let parameterIdentifier = 13

    /// What the card draws for one run.
    package struct Draws: Sendable {
        package let nonce: [UInt8]
        package let mappingNumber: [UInt8]
        package let agreementNumber: [UInt8]

        package init(nonce: [UInt8], mappingNumber: [UInt8], agreementNumber: [UInt8]) {
            self.nonce = nonce
            self.mappingNumber = mappingNumber
            self.agreementNumber = agreementNumber
        }

        /// Numbers of 31 bytes are below the order.
        package static func random() -> Draws {
            Draws(
                nonce: SecureRandom.bytes(count: 16), mappingNumber: SecureRandom.bytes(count: 31),
                agreementNumber: SecureRandom.bytes(count: 31))
        }
    }

    /// What the card answers to a step.
    package enum Answer {
        case data([UInt8])
        /// The terminal knows the password: the answer, and the keys of the channel.
        case done([UInt8], SessionKeys)
        /// It does not.
        case wrongPassword
    }

    /// A step of another form, or at another time.
    package struct Fault: Error {}

    private enum Step {
        case nonce
        case mapping
        case agreement(generator: CurvePoint)
        case confirmation(SessionKeys, terminal: CurvePoint, card: CurvePoint)
        case ended
    }

    private let password: [UInt8]
    private let draws: Draws
    private var step = Step.nonce

    package init(password: [UInt8], draws: Draws = .random()) {
        self.password = password
        self.draws = draws
    }

    /// The next step of GENERAL AUTHENTICATE.
    ///
    /// - Throws: ``Fault``; then the run has ended.
    package mutating func follow(_ data: [UInt8]) throws(Fault) -> Answer {
        let current = step
        step = .ended
        do {
            let element = try Self.element(data)
            let (tag, value) = (element?.tag, element?.content.bytes ?? [])
            switch (current, tag) {
            case (.nonce, nil): return try encryptedNonce()
            case (.mapping, 0x81): return try map(CurvePoint(value))
            case (.agreement(let generator), 0x83): return try agree(CurvePoint(value), generator)
            case (.confirmation(let keys, let terminal, let card), 0x85):
                return try confirm(value, keys, terminal: terminal, card: card)
            default: throw Fault()
            }
        } catch {
            throw Fault()
        }
    }

    /// The element in the dynamic authentication data (tag 7C); nil if it is empty.
    private static func element(_ data: [UInt8]) throws -> TLVElement? {
        let outer = try TLVElement.all(in: Octets(copying: data))
        guard outer.count == 1, outer[0].tag == 0x7C else { throw Fault() }
        let inner = try TLVElement.all(in: outer[0].content)
        guard inner.count <= 1 else { throw Fault() }
        return inner.first
    }

    private static func answer(_ tag: TLVTag, _ value: [UInt8]) -> [UInt8] {
        DERWriter.element(0x7C, DERWriter.element(tag, value))
    }

    private mutating func encryptedNonce() throws -> Answer {
        let key = KeyDerivation.key(of: password, counter: 3, .aes128)
        let encrypted = try BlockCipher(.aes, key: key).encryptBlocks(draws.nonce).withBytes { Array($0) }
        step = .mapping
        return .data(Self.answer(0x80, encrypted))
    }

    private mutating func map(_ terminal: CurvePoint) throws -> Answer {
        let generator = try CurvePoint.generator(times: draws.nonce) + terminal.times(draws.mappingNumber)
        step = .agreement(generator: generator)
        return .data(Self.answer(0x82, try CurvePoint.generator(times: draws.mappingNumber).encoded))
    }

    private mutating func agree(_ terminal: CurvePoint, _ generator: CurvePoint) throws -> Answer {
        let card = try generator.times(draws.agreementNumber)
        guard terminal != card else { throw Fault() }
        let keys = try SessionKeys(.aes128, secret: terminal.times(draws.agreementNumber).x)
        step = .confirmation(keys, terminal: terminal, card: card)
        return .data(Self.answer(0x84, card.encoded))
    }

    private func confirm(
        _ token: [UInt8], _ keys: SessionKeys, terminal: CurvePoint, card: CurvePoint
    ) throws -> Answer {
        guard try ConstantTime.areEqual(token, Self.token(keys, over: card)) else { return .wrongPassword }
        return .done(Self.answer(0x86, try Self.token(keys, over: terminal)), keys)
    }

    /// An authentication token, about the other's point (Doc 9303-11 section 4.4.3.4).
    private static func token(_ keys: SessionKeys, over point: CurvePoint) throws -> [UInt8] {
        let identifier = DERWriter.objectIdentifier(Self.identifier)
        return try keys.authenticationCode(
            of: DERWriter.element(0x7F49, identifier + DERWriter.element(0x86, point.encoded)))
    }
}
