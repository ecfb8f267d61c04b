package import Cryptography

extension NamedCurve {
    /// The object identifier (RFC 5480 section 2.1.1.1, RFC 5639 section 4.1).
    package var identifier: ObjectIdentifier {
        switch self {
        case .p192: ObjectIdentifier("1.2.840.10045.3.1.1")
        case .p224: ObjectIdentifier("1.3.132.0.33")
        case .p256: ObjectIdentifier("1.2.840.10045.3.1.7")
        case .p384: ObjectIdentifier("1.3.132.0.34")
        case .p521: ObjectIdentifier("1.3.132.0.35")
        case .brainpoolP192r1: ObjectIdentifier("1.3.36.3.3.2.8.1.1.3")
        case .brainpoolP224r1: ObjectIdentifier("1.3.36.3.3.2.8.1.1.5")
        case .brainpoolP256r1: ObjectIdentifier("1.3.36.3.3.2.8.1.1.7")
        case .brainpoolP320r1: ObjectIdentifier("1.3.36.3.3.2.8.1.1.9")
        case .brainpoolP384r1: ObjectIdentifier("1.3.36.3.3.2.8.1.1.11")
        case .brainpoolP512r1: ObjectIdentifier("1.3.36.3.3.2.8.1.1.13")
        }
    }

    /// Reads which curve a key is on: by name, or by parameters that are exactly those of a known curve (RFC 3279 section
    /// 2.3.5). Other parameters are never used: someone who chooses them can make signatures and secrets weak.
    init(parameters element: TLVElement) throws(FormatError) {
        if element.tag == .objectIdentifier {
            let identifier = try ObjectIdentifier(element)
            guard let curve = NamedCurve.allCases.first(where: { $0.identifier == identifier }) else {
                throw FormatError("the curve \(identifier) is unknown")
            }
            self = curve
            return
        }
        guard element.tag == .sequence else { throw FormatError("a key names no curve") }
        guard let curve = NamedCurve(parameters: try Parameters(explicit: element)) else {
            throw FormatError("explicit parameters are not those of a known curve")
        }
        self = curve
    }
}

extension NamedCurve.Parameters {
    /// SEQUENCE { version, SEQUENCE { prime-field, p }, SEQUENCE { a, b, seed? }, base, order, cofactor? }.
    init(explicit element: TLVElement) throws(FormatError) {
        var reader = try element.reader()
        guard 1...3 ~= (try reader.readSmallInteger()) else { throw FormatError("the version of a curve is unknown") }
        var field = try reader.read(.sequence).reader()
        guard try field.readObjectIdentifier() == .primeField else { throw FormatError("a field is not a prime field") }
        let prime = try field.readUnsignedInteger()
        var curve = try reader.read(.sequence).reader()
        let a = try curve.read(.octetString).content.bytes.withoutLeadingZeros()
        let b = try curve.read(.octetString).content.bytes.withoutLeadingZeros()
        let base = try reader.read(.octetString).content.bytes
        let order = try reader.readUnsignedInteger()
        let cofactor = reader.isAtEnd ? [1] : try reader.readUnsignedInteger()
        self.init(
            prime: prime, a: a, b: b, generator: Self.uncompressed(base), order: order, cofactor: cofactor)
    }

    /// A compressed base point says only whether y is odd. A known curve with the same x and that y is meant.
    private static func uncompressed(_ base: [UInt8]) -> [UInt8] {
        guard let first = base.first, first == 2 || first == 3 else { return base }
        let known = NamedCurve.allCases.compactMap(\.parameters?.generator)
        return known.first {
            $0.dropFirst().starts(with: base.dropFirst()) && $0.count == base.count * 2 - 1
                && ($0.last ?? 0) & 1 == first & 1
        } ?? base
    }
}
