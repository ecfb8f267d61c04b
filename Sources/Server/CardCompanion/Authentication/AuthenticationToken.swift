internal import CardCompanionAPI
internal import CardCompanionModel
internal import SecureMemory
internal import StrictJSON

/// The signed JSON text of a token flow (SDK document, section 5.4), before its signature is verified. The members are read
/// from the same bytes that the signature covers.
final class AuthenticationToken: Sendable {
    /// The members, and the bytes that contain them.
    let members: JSONText

    /// - Throws: if the text is not one strict JSON object.
    init(_ text: consuming SecretBytes) throws(JSONError) {
        members = try JSONText(text)
    }

    var bankId: Identifier? { members.identifier(MemberName.idBEL) }
    var uniqueId: Identifier? { members.identifier(MemberName.idPorteur) }
    var providerId: Identifier? { members.identifier(MemberName.idFournisseur) }
    var transactionId: Identifier? { members.identifier(MemberName.idTransaction) }
    var timestamp: RequestTimestamp? { RequestTimestamp(members.text(of: MemberName.tokenTimestamp)) }
    var type: TokenType? { members.text(of: MemberName.tokenType).flatMap(TokenType.init(text:)) }

    /// Which certificate verifies the signature.
    enum CertificateChoice: Equatable {
        case byDefault
        case alias(Identifier)
    }

    /// Nil if the alias is not an identifier.
    var certificate: CertificateChoice? {
        guard !members.isMissing(MemberName.signatureCertAlias) else { return .byDefault }
        return members.identifier(MemberName.signatureCertAlias).map { .alias($0) }
    }
}
