internal import CardCompanionAPI
internal import SecureMemory
internal import StrictJSON

/// The signed JSON text of a token flow (SDK document, section 5.4), still to be verified.
///
/// Its members are read from the very bytes that the signature is over.
final class AuthenticationToken: Sendable {
    /// The members, and the bytes that they were read from.
    let members: JSONText

    /// Throws where the text is not one strict JSON object.
    init(_ text: consuming SecretBytes) throws(JSONError) {
        members = try JSONText(text)
    }

    var bankId: String? { members.identifier(MemberName.idBEL) }
    var uniqueId: String? { members.identifier(MemberName.idPorteur) }
    var providerId: String? { members.identifier(MemberName.idFournisseur) }
    var transactionId: String? { members.identifier(MemberName.idTransaction) }
    var timestamp: RequestTimestamp? { RequestTimestamp(members.text(of: MemberName.tokenTimestamp)) }
    var type: TokenType? { members.text(of: MemberName.tokenType).flatMap(TokenType.init(text:)) }

    /// Which certificate verifies the signature.
    enum CertificateChoice: Equatable {
        case byDefault
        case alias(String)
    }

    /// Nil where the alias is not an identifier.
    var certificate: CertificateChoice? {
        guard !members.isMissing(MemberName.signatureCertAlias) else { return .byDefault }
        return members.identifier(MemberName.signatureCertAlias).map { .alias($0) }
    }
}
