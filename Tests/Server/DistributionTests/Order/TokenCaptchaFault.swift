/// Faults of a fetch by token, in the order of the protocol's table.
enum TokenCaptchaFault: RequestFault {
    case noToken, noSignature, noECDHPublicKey
    case badToken
    case noIdBEL, noIdPorteur, noIdFournisseur, noIdTransaction, noTimestamp, noType
    case otherType
    case timestampWithoutForm, badECDHPublicKey
    case unknownBank, disabledBank
    case noAuthenticationCode
    case unknownAlias
    case wrongSignature
    case outsideWindow
    case spentTransaction
    case unknownCardholder, otherBanksCardholder
    case otherChannel
    case suspended
    case locked
    case codeWithoutForm, wrongCode
    case noPIN
    case damagedPIN

    var code: Int {
        switch self {
        case .noToken: 113
        case .noSignature: 110
        case .noECDHPublicKey: 107
        case .badToken: 208
        case .noIdBEL: 100
        case .noIdPorteur: 101
        case .noIdFournisseur: 111
        case .noIdTransaction: 109
        case .noTimestamp: 103
        case .noType: 112
        case .otherType: 209
        case .timestampWithoutForm, .outsideWindow: 200
        case .badECDHPublicKey: 207
        case .unknownBank, .disabledBank: 300
        case .noAuthenticationCode: 102
        case .unknownAlias: 304
        case .wrongSignature: 206
        case .spentTransaction: 210
        case .unknownCardholder: 301
        case .otherBanksCardholder: 308
        case .otherChannel: 309
        case .suspended: 302
        case .locked: 307
        case .codeWithoutForm: 204
        case .wrongCode: 203
        case .noPIN: 303
        case .damagedPIN: 305
        }
    }

    /// The missing member of the request.
    var missingMember: String? {
        switch self {
        case .noToken: "token"
        case .noSignature: "signature"
        case .noECDHPublicKey: "ecdhPublicKey"
        default: nil
        }
    }

    /// The missing member of the token.
    var missingTokenMember: String? {
        switch self {
        case .noIdBEL: "IdBEL"
        case .noIdPorteur: "IdPorteur"
        case .noIdFournisseur: "IdFournisseur"
        case .noIdTransaction: "IdTransaction"
        case .noTimestamp: "Timestamp"
        case .noType: "Type"
        case .noAuthenticationCode: "AuthenticationCode"
        default: nil
        }
    }

    func excludes(_ other: TokenCaptchaFault) -> Bool {
        [self, other] == [.unknownCardholder, .otherBanksCardholder]
    }
}
