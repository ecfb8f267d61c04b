/// The result codes of errors that the SDK detects, not the server (SDK document, end of tables 1 and 3).
///
/// The messages are the document's. Some of them name the algorithms of an older SDK.
public enum LibraryCode: Int, CaseIterable, Sendable {
    /// Null/Invalid input parameters.
    case invalidInput = 90000
    /// No Network.
    case noNetwork = 90001
    /// Null received data.
    case emptyAnswer = 90002
    /// Received data has bad format.
    case badAnswerFormat = 90003
    /// Generating/recovering RSA Keys problem.
    case rsaKeyGenerationFailed = 90004
    /// Data decryption or data decoding problem.
    case decryptionFailed = 90005
    /// Request failed.
    case requestFailed = 90006
    /// PIN bad length (4 to 6 digits) or bad format.
    case badPINFormat = 90007
    /// Generating/recovering ECDH Keys problem.
    case ecKeyGenerationFailed = 90008
    /// ECDH key doesn't belong to the elliptic curve – maybe an imposter.
    case untrustedServerKey = 90009
    /// Shared secret computation failed.
    case keyAgreementFailed = 90010
    /// PIN parsing failed.
    case plaintextNotParsed = 90011
    /// Failed to xor the AES key and get it back.
    case contentKeyNotUnwrapped = 90012
    /// The received PIN seems to be incomplete.
    case incompletePIN = 90013
    /// Failed to convert ECDH key into public key.
    case unreadableECKey = 90014
    /// Server's response not OK, request is not successful.
    case serverNotOK = 90015

    /// The message, as in the SDK document's table.
    public var message: String {
        switch self {
        case .invalidInput: "Null/Invalid input parameters"
        case .noNetwork: "No Network"
        case .emptyAnswer: "Null received data"
        case .badAnswerFormat: "Received data has bad format"
        case .rsaKeyGenerationFailed: "Generating/recovering RSA Keys problem"
        case .decryptionFailed: "Data decryption or data decoding problem"
        case .requestFailed: "Request failed"
        case .badPINFormat: "PIN bad length (4 to 6 digits) or bad format"
        case .ecKeyGenerationFailed: "Generating/recovering ECDH Keys problem"
        case .untrustedServerKey: "ECDH key doesn't belong to the elliptic curve – maybe an imposter"
        case .keyAgreementFailed: "Shared secret computation failed"
        case .plaintextNotParsed: "PIN parsing failed"
        case .contentKeyNotUnwrapped: "Failed to xor the AES key and get it back"
        case .incompletePIN: "The received PIN seems to be incomplete"
        case .unreadableECKey: "Failed to convert ECDH key into public key"
        case .serverNotOK: "Server's response not OK, request is not successful"
        }
    }
}
