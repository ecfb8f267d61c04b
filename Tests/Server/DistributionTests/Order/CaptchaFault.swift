/// Faults of a fetch by authentication code, in the order of the protocol's table.
enum CaptchaFault: RequestFault {
    case noBankId, noUniqueId, noAuthCode, noTimestamp, noHashMac, noRSAPublicKey
    case timestampWithoutForm, badRSAPublicKey
    case unknownBank, disabledBank
    case bankWithoutKey
    case wrongHashMac
    case outsideWindow
    case spentHashMac
    case unknownCardholder, otherBanksCardholder
    case otherChannel
    case suspended
    case locked
    case codeWithoutForm
    case wrongCode
    case noPIN
    case damagedPIN

    var code: Int {
        switch self {
        case .noBankId: 100
        case .noUniqueId: 101
        case .noAuthCode: 102
        case .noTimestamp: 103
        case .noHashMac: 108
        case .noRSAPublicKey: 106
        case .timestampWithoutForm, .outsideWindow: 200
        case .badRSAPublicKey: 202
        case .unknownBank, .disabledBank: 300
        case .bankWithoutKey: 304
        case .wrongHashMac, .spentHashMac: 205
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

    /// The missing member.
    var missingMember: String? {
        switch self {
        case .noBankId: "bankId"
        case .noUniqueId: "uniqueId"
        case .noAuthCode: "authCode"
        case .noTimestamp: "timestamp"
        case .noHashMac: "hashMac"
        case .noRSAPublicKey: "rsaPublicKey"
        default: nil
        }
    }

    func excludes(_ other: CaptchaFault) -> Bool {
        // An unknown cardholder cannot also belong to another bank.
        [self, other] == [.unknownCardholder, .otherBanksCardholder]
    }
}
