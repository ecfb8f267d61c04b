internal import RawStructuredFieldValues

/// The covered components and the parameters of a signature (RFC 9421 section 2.3).
package struct SignatureParameters: Equatable, Sendable {
    /// The greatest number of components that a signature can cover.
    package static let componentCountLimit = 32

    /// The covered components in the order of the signature base, without duplicates.
    package let components: [Component]
    /// When the signature was created, in Unix seconds.
    package let created: Int64?
    /// When the signature expires, in Unix seconds.
    package let expires: Int64?
    /// A value that the signer uses only once.
    package let nonce: String?
    /// The id of the key (`keyid`).
    package let keyID: String?
    /// The algorithm (`alg`).
    package let algorithm: SignatureAlgorithm?
    /// The purpose of the signature, as the application defines it.
    package let tag: String?

    /// The parameters as in the Signature-Input field and in the last line of the signature base.
    package let text: String

    /// The parameters of a new signature.
    ///
    /// - Throws: `duplicateComponent`, `limitExceeded`, `invalidParameter` if a text is not printable ASCII or a number
    ///   has more than 15 digits.
    package init(
        components: [Component], created: Int64?, expires: Int64? = nil, nonce: String? = nil, keyID: String?,
        algorithm: SignatureAlgorithm? = nil, tag: String? = nil
    ) throws(SignatureError) {
        var list = BareInnerList()
        for component in components { list.append(component.item) }
        var values: OrderedMap<String, RFC9651BareItem> = [:]
        values["created"] = created.map { .integer($0) }
        values["expires"] = expires.map { .integer($0) }
        values["nonce"] = nonce.map { .string($0) }
        values["keyid"] = keyID.map { .string($0) }
        values["alg"] = algorithm.map { .string($0.rawValue) }
        values["tag"] = tag.map { .string($0) }
        try self.init(InnerList(bareInnerList: list, parameters: values))
    }

    /// The parameters of a received signature, in their order.
    init(_ list: InnerList) throws(SignatureError) {
        components = try Self.components(list.bareInnerList)
        let values = try Values(list.rfc9651Parameters)
        (created, expires) = (try values.integer("created"), try values.integer("expires"))
        (nonce, keyID, tag) = (try values.string("nonce"), try values.string("keyid"), try values.string("tag"))
        algorithm = try values.algorithm()
        text = try Self.text(of: list)
    }

    private static func components(_ list: BareInnerList) throws(SignatureError) -> [Component] {
        guard list.count <= componentCountLimit else {
            throw SignatureError(.limitExceeded("components in a signature", limit: componentCountLimit))
        }
        var components: [Component] = []
        for item in list {
            let component = try Component(item)
            guard !components.contains(component) else {
                throw SignatureError(.duplicateComponent(component.description))
            }
            components.append(component)
        }
        return components
    }

    private static func text(of list: InnerList) throws(SignatureError) -> String {
        var serializer = StructuredFieldValueSerializer()
        guard let bytes = try? serializer.writeListFieldValue([.innerList(list)]) else {
            throw SignatureError(
                .invalidParameter(
                    "text or number", problem: "a text must be printable ASCII, a number must have at most 15 digits"))
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The parameters of a signature by name.
private struct Values {
    private static let known: Set<String> = ["created", "expires", "nonce", "keyid", "alg", "tag"]

    private let values: OrderedMap<String, RFC9651BareItem>

    init(_ values: OrderedMap<String, RFC9651BareItem>) throws(SignatureError) {
        if let unknown = values.first(where: { !Self.known.contains($0.0) }) {
            throw SignatureError(.invalidParameter(unknown.0, problem: "it is not supported"))
        }
        self.values = values
    }

    func integer(_ name: String) throws(SignatureError) -> Int64? {
        guard let value = values[name] else { return nil }
        guard case .integer(let integer) = value else {
            throw SignatureError(.invalidParameter(name, problem: "it must be an integer"))
        }
        return integer
    }

    func string(_ name: String) throws(SignatureError) -> String? {
        guard let value = values[name] else { return nil }
        guard case .string(let string) = value else {
            throw SignatureError(.invalidParameter(name, problem: "it must be a string"))
        }
        return string
    }

    func algorithm() throws(SignatureError) -> SignatureAlgorithm? {
        guard let name = try string("alg") else { return nil }
        guard let algorithm = SignatureAlgorithm(rawValue: name) else {
            let supported = SignatureAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
            throw SignatureError(.invalidParameter("alg", problem: "\(name) is not supported (use \(supported))"))
        }
        return algorithm
    }
}
