/// The server's result codes for PIN distribution (SDK document, table 1).
public enum DistributionCode: Int, CaseIterable, Sendable {
    /// Success.
    case success = 0
    /// Missing bankId parameter.
    case missingBankId = 100
    /// Missing uniqueId parameter.
    case missingUniqueId = 101
    /// Missing Authentication Code parameter.
    case missingAuthenticationCode = 102
    /// Missing Timestamp parameter.
    case missingTimestamp = 103
    /// Missing Hash parameter.
    case missingHash = 104
    /// Missing status parameter.
    case missingStatus = 105
    /// Missing RSA Public Key.
    case missingRSAPublicKey = 106
    /// Missing ECDH Public Key.
    case missingECDHPublicKey = 107
    /// Missing Hashmac parameter.
    case missingHashMac = 108
    /// Missing Transaction ID.
    case missingTransactionId = 109
    /// Missing Signature.
    case missingSignature = 110
    /// Missing ID Fournisseur.
    case missingFournisseurId = 111
    /// Missing Type.
    case missingType = 112
    /// Missing Token.
    case missingToken = 113
    /// Invalid Timestamp.
    case invalidTimestamp = 200
    /// Bad Hash value.
    case badHash = 201
    /// Invalid RSA Public Key.
    case invalidRSAPublicKey = 202
    /// Wrong Authentication Code.
    case wrongAuthenticationCode = 203
    /// Bad Authentication Code format.
    case badAuthenticationCodeFormat = 204
    /// Bad Hashmac value.
    case badHashMac = 205
    /// Invalid Signature.
    case invalidSignature = 206
    /// Invalid ECDH Public Key.
    case invalidECDHPublicKey = 207
    /// Invalid Token JSON Format.
    case invalidTokenFormat = 208
    /// Invalid Token Type.
    case invalidTokenType = 209
    /// Given transaction ID has already been treated.
    case transactionAlreadyTreated = 210
    /// Bank not found.
    case bankNotFound = 300
    /// Cardholder not found.
    case cardholderNotFound = 301
    /// Cardholder Status not satisfied for PIN delivery.
    case cardholderStatusNotSatisfied = 302
    /// PIN not available.
    case pinNotAvailable = 303
    /// Internal Key not found.
    case internalKeyNotFound = 304
    /// Unexpected crypto error.
    case unexpectedCryptoError = 305
    /// Unknown Status code.
    case unknownStatus = 306
    /// Retry Limit Reached.
    case retryLimitReached = 307
    /// Incompatible bankId and uniqueId.
    case incompatibleBankAndCardholder = 308
    /// Incompatible Channel for Cardholder.
    case incompatibleChannel = 309
    /// Given parameter has bad value.
    case badParameter = 312
    /// Unexpected error.
    case unexpectedError = 500

    /// The message, as in the SDK document's table.
    public var message: String {
        switch self {
        case .success: "Success"
        case .missingBankId: "Missing bankId parameter"
        case .missingUniqueId: "Missing uniqueId parameter"
        case .missingAuthenticationCode: "Missing Authentication Code parameter"
        case .missingTimestamp: "Missing Timestamp parameter"
        case .missingHash: "Missing Hash parameter"
        case .missingStatus: "Missing status parameter"
        case .missingRSAPublicKey: "Missing RSA Public Key"
        case .missingECDHPublicKey: "Missing ECDH Public Key"
        case .missingHashMac: "Missing Hashmac parameter"
        case .missingTransactionId: "Missing Transaction ID"
        case .missingSignature: "Missing Signature"
        case .missingFournisseurId: "Missing ID Fournisseur"
        case .missingType: "Missing Type"
        case .missingToken: "Missing Token"
        case .invalidTimestamp: "Invalid Timestamp"
        case .badHash: "Bad Hash value"
        case .invalidRSAPublicKey: "Invalid RSA Public Key"
        case .wrongAuthenticationCode: "Wrong Authentication Code"
        case .badAuthenticationCodeFormat: "Bad Authentication Code format"
        case .badHashMac: "Bad Hashmac value"
        case .invalidSignature: "Invalid Signature"
        case .invalidECDHPublicKey: "Invalid ECDH Public Key"
        case .invalidTokenFormat: "Invalid Token JSON Format"
        case .invalidTokenType: "Invalid Token Type"
        case .transactionAlreadyTreated: "Given transaction ID has already been treated"
        case .bankNotFound: "Bank not found"
        case .cardholderNotFound: "Cardholder not found"
        case .cardholderStatusNotSatisfied: "Cardholder Status not satisfied for PIN delivery"
        case .pinNotAvailable: "PIN not available"
        case .internalKeyNotFound: "Internal Key not found"
        case .unexpectedCryptoError: "Unexpected crypto error"
        case .unknownStatus: "Unknown Status code"
        case .retryLimitReached: "Retry Limit Reached"
        case .incompatibleBankAndCardholder: "Incompatible bankId and uniqueId"
        case .incompatibleChannel: "Incompatible Channel for Cardholder"
        case .badParameter: "Given parameter has bad value"
        case .unexpectedError: "Unexpected error"
        }
    }
}
