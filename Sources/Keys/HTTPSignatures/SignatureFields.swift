internal import HTTPTypes
internal import RawStructuredFieldValues

/// The signatures of a message (RFC 9421 section 4), not verified yet.
package struct SignatureFields: Sendable {
    /// The greatest number of signatures in a message.
    package static let countLimit = 8

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

    /// Reads the Signature-Input and the Signature field, which must have the same labels. The covered components are not
    /// checked here: a proxy's signature can cover components that only its own verifier supports.
    ///
    /// - Throws: `missingField`, `malformedField`, `limitExceeded`.
    package init(_ message: SignedMessage) throws(SignatureError) {
        let inputs = try Self.members(of: .signatureInput, message)
        let signatures = try Self.members(of: .signature, message)
        guard inputs.count <= Self.countLimit else {
            throw SignatureError(.limitExceeded("signatures in a message", limit: Self.countLimit))
        }
        guard inputs.count == signatures.count else { throw Self.labelsDiffer }
        var entries: [Entry] = []
        for (label, input) in inputs { entries.append(try Self.entry(label, input, signatures[label])) }
        self.entries = entries
    }

    /// The key ids in the signatures, without duplicates.
    package var keyIDs: [String] {
        entries.compactMap(\.keyID).reduce(into: []) { keyIDs, keyID in
            if !keyIDs.contains(keyID) { keyIDs.append(keyID) }
        }
    }

    /// The signature that names one of these keys.
    ///
    /// - Throws: `unknownKey` if there is none, `ambiguousSignatures` if there is more than one, and the errors of its
    ///   parameters: `malformedField`, `unsupportedComponent`, `duplicateComponent`, `limitExceeded`,
    ///   `invalidParameter`.
    package func only(ofKeys known: some Collection<String>) throws(SignatureError) -> MessageSignature {
        let entries = entries.filter { entry in entry.keyID.map(known.contains) ?? false }
        guard let entry = entries.first else { throw SignatureError(.unknownKey(keyIDs)) }
        guard entries.count == 1 else { throw SignatureError(.ambiguousSignatures(entries.map(\.label))) }
        return MessageSignature(
            label: entry.label, parameters: try SignatureParameters(entry.input), bytes: entry.signature)
    }

    private static let labelsDiffer = SignatureError.malformed(
        .signature, "it must have the same labels as Signature-Input")

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
            throw SignatureError.malformed(.signatureInput, "\(label) must be a list of components in parentheses")
        }
        guard let signature else { throw labelsDiffer }
        guard let bytes = signature.byteSequence else {
            throw SignatureError.malformed(.signature, "\(label) must be a byte sequence (base64 between colons)")
        }
        return Entry(label: label, input: input, signature: bytes)
    }
}

/// One signature of a message, not verified yet.
package struct MessageSignature: Equatable, Sendable {
    /// Its label in the message.
    package let label: String
    /// The covered components and the parameters.
    package let parameters: SignatureParameters
    package let bytes: [UInt8]
}
