internal import CPKCS11

/// An attribute of an object: its type and its value.
struct Attribute {
    let type: UInt
    let value: [UInt8]

    private var paddedCount: Int { (value.count + 7) / 8 * 8 }

    static func flag(_ type: UInt, _ isSet: Bool) -> Attribute {
        Attribute(type: type, value: [isSet ? 1 : 0])
    }

    static func number(_ type: UInt, _ number: UInt) -> Attribute {
        Attribute(type: type, value: withUnsafeBytes(of: CK_ULONG(number), Array.init))
    }

    static func bytes(_ type: UInt, _ bytes: [UInt8]) -> Attribute {
        Attribute(type: type, value: bytes)
    }

    /// Calls `body` with the attributes as a module reads them.
    static func withTemplate<Result>(
        _ attributes: [Attribute], _ body: (UnsafeMutablePointer<CK_ATTRIBUTE>?, CK_ULONG) -> Result
    ) -> Result {
        // Each value begins at a multiple of 8: modules read numbers in place.
        var values = attributes.flatMap { $0.value + Array(repeating: 0, count: $0.paddedCount - $0.value.count) }
        return values.withUnsafeMutableBytes { values in
            var offset = 0
            var template = attributes.map { attribute in
                defer { offset += attribute.paddedCount }
                return CK_ATTRIBUTE(
                    type: CK_ATTRIBUTE_TYPE(attribute.type), pValue: values.baseAddress?.advanced(by: offset),
                    ulValueLen: CK_ULONG(attribute.value.count))
            }
            return body(&template, CK_ULONG(template.count))
        }
    }
}
