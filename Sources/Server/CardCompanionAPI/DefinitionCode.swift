/// The server's result codes for PIN definition (SDK document, table 3, which does not list 0 for success).
public enum DefinitionCode: Int, CaseIterable, Sendable {
    /// Success.
    case success = 0
    /// Missing bankId parameter.
    case missingBankId = 100
    /// Invalid bankId (Bank not found in the system).
    case bankNotFound = 101
    /// Missing ECDH public key parameter.
    case missingECDHPublicKey = 107
    /// Missing uniqueId parameter.
    case missingUniqueId = 110
    /// Cardholder doesn't exist in the system.
    case cardholderNotFound = 111
    /// Cardholder Status not satisfied for PIN definition.
    case cardholderStatusNotSatisfied = 114
    /// Missing IdFournisseur in token.
    case missingFournisseurId = 115
    /// Missing IdTransaction in token.
    case missingTransactionId = 116
    /// Missing IdType in token.
    case missingType = 117
    /// Missing Token parameter.
    case missingToken = 118
    /// Missing TimeStamp.
    case missingTimestamp = 120
    /// Invalid Timestamp.
    case invalidTimestamp = 121
    /// Missing PIN.
    case missingPIN = 130
    /// PIN format is invalid.
    case invalidPINFormat = 131
    /// Missing HashMac.
    case missingHashMac = 140
    /// Invalid HashMac.
    case badHashMac = 141
    /// Crypto error.
    case cryptoError = 200
    /// AES key is not present in request.
    case missingAESKey = 201
    /// Signature is invalid.
    case invalidSignature = 206
    /// ECDH client public key is invalid.
    case invalidECDHPublicKey = 207
    /// Token format is invalid.
    case invalidTokenFormat = 208
    /// Field type in token is invalid (must be equals to 2 or 02).
    case invalidTokenType = 209
    /// Missing signature parameter.
    case missingSignature = 210
    /// TransactionId in token has been already used during the last 5 minutes.
    case transactionAlreadyTreated = 211
    /// Keypad size parameter is invalid.
    case invalidKeypadSize = 212
    /// Missing keypad size parameter.
    case missingKeypadSize = 213
    /// Keypad coordinates are not in DB.
    /// Make sure getKeypad coordinates called has been made before calling define pin function.
    case keypadNotFound = 214
    /// Internal error.
    case unexpectedError = 300

    /// The message, as in the SDK document's table.
    public var message: String {
        switch self {
        case .success: "Success"
        case .missingBankId: "Missing bankId parameter"
        case .bankNotFound: "Invalid bankId (Bank not found in the system)"
        case .missingECDHPublicKey: "Missing ECDH public key parameter"
        case .missingUniqueId: "Missing uniqueId parameter"
        case .cardholderNotFound: "Cardholder doesn't exist in the system"
        case .cardholderStatusNotSatisfied: "Cardholder Status not satisfied for PIN definition"
        case .missingFournisseurId: "Missing IdFournisseur in token"
        case .missingTransactionId: "Missing IdTransaction in token"
        case .missingType: "Missing IdType in token"
        case .missingToken: "Missing Token parameter"
        case .missingTimestamp: "Missing TimeStamp"
        case .invalidTimestamp: "Invalid Timestamp"
        case .missingPIN: "Missing PIN"
        case .invalidPINFormat: "PIN format is invalid"
        case .missingHashMac: "Missing HashMac"
        case .badHashMac: "Invalid HashMac"
        case .cryptoError: "Crypto error"
        case .missingAESKey: "AES key is not present in request"
        case .invalidSignature: "Signature is invalid"
        case .invalidECDHPublicKey: "ECDH client public key is invalid"
        case .invalidTokenFormat: "Token format is invalid"
        case .invalidTokenType: "Field type in token is invalid (must be equals to 2 or 02)"
        case .missingSignature: "Missing signature parameter"
        case .transactionAlreadyTreated: "TransactionId in token has been already used during the last 5 minutes"
        case .invalidKeypadSize: "Keypad size parameter is invalid"
        case .missingKeypadSize: "Missing keypad size parameter"
        case .keypadNotFound:
            "Keypad coordinates are not in DB. "
                + "Make sure getKeypad coordinates called has been made before calling define pin function."
        case .unexpectedError: "Internal error"
        }
    }
}
