internal import HTTPTypes
internal import RawStructuredFieldValues

/// The signatures that a message claims to have (RFC 9421 section 4). None of them is checked yet.
public struct SignatureFields: Sendable {
    /// The most signatures that a message may have.
    public static let countLimit = 8

    private struct Entry: Sendable {
        let label: String
        let input: InnerList
        let signature: [UInt8]

        var keyID: String? {
            guard case .string(let keyID) = input.rfc9651Parameters["keyid"] else { return nil }
            return keyID
        }
    }

    private let entries: [Entry]

    /// Reads the Signature-Input and the Signature field, which must hold the same labels. What the signatures cover is
    /// not looked at: a proxy's may cover what only its own reader knows. Throws `missingField`, `malformedField` or
    /// `limitExceeded`.
    public init(_ message: SignedMessage) throws(SignatureError) {
        let inputs = try Self.members(of: .signatureInput, message)
        let signatures = try Self.members(of: .signature, message)
        guard inputs.count <= Self.countLimit else {
            throw SignatureError(.limitExceeded("signatures of a message", limit: Self.countLimit))
        }
        guard inputs.count == signatures.count else { throw Self.labelsDiffer }
        var entries: [Entry] = []
        for (label, input) in inputs { entries.append(try Self.entry(label, input, signatures[label])) }
        self.entries = entries
    }

    /// The key ids that the signatures name, each once.
    public var keyIDs: [String] {
        entries.compactMap(\.keyID).reduce(into: []) { keyIDs, keyID in
            if !keyIDs.contains(keyID) { keyIDs.append(keyID) }
        }
    }

    /// The one signature that names one of these keys. Throws `unknownKey` where there is none, `ambiguousSignatures`
    /// where there are several, and what reading its parameters throws.
    public func only(ofKeys known: some Collection<String>) throws(SignatureError) -> MessageSignature {
        let entries = entries.filter { entry in entry.keyID.map(known.contains) ?? false }
        guard let entry = entries.first else { throw SignatureError(.unknownKey(keyIDs)) }
        guard entries.count == 1 else { throw SignatureError(.ambiguousSignatures(entries.map(\.label))) }
        return MessageSignature(
            label: entry.label, parameters: try SignatureParameters(entry.input), bytes: entry.signature)
    }

    private static let labelsDiffer = SignatureError.malformed(
        .signature, "its labels are not those of Signature-Input")

    private static func members(
        of field: HTTPField.Name, _ message: SignedMessage
    ) throws(SignatureError) -> OrderedMap<String, ItemOrInnerList> {
        guard let value = message.value(of: field) else { throw SignatureError.missing(field) }
        return try StructuredDictionary(value, field: field).members
    }

    private static func entry(
        _ label: String, _ input: ItemOrInnerList, _ signature: ItemOrInnerList?
    ) throws(SignatureError) -> Entry {
        guard case .innerList(let input) = input else {
            throw SignatureError.malformed(.signatureInput, "\(label) is not a list of components")
        }
        guard let signature else { throw labelsDiffer }
        guard let bytes = signature.byteSequence else {
            throw SignatureError.malformed(.signature, "\(label) is not a byte sequence in base64")
        }
        return Entry(label: label, input: input, signature: bytes)
    }
}

/// One signature as a message brought it, not checked yet.
public struct MessageSignature: Equatable, Sendable {
    /// Its label in the message.
    public let label: String
    /// What it covers, and what it says of itself.
    public let parameters: SignatureParameters
    /// The signature.
    public let bytes: [UInt8]
}
