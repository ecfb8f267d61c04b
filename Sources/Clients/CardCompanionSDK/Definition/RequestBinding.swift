internal import CardCompanionAPI
internal import Foundation

/// The request that a value is sealed for. The value's header names it, so that no one who sees the value on its way can use
/// it for another cardholder, or a second time.
struct RequestBinding {
    enum Content: String {
        case pin, indexes
    }

    let content: Content
    let bankId: String?
    let uniqueId: String?
    /// The IdTransaction; the timestamp of a request with an HMAC.
    let requestId: String?
    /// The keypad that indexes refer to.
    var keypadId: String?

    var names: TokenNames { TokenNames(bankId: bankId, uniqueId: uniqueId, transactionId: requestId) }

    /// - Throws: 90000 if a name is empty.
    func requireNames() throws(SDKError) {
        try require(
            (MemberName.bankId, bankId ?? ""), (MemberName.uniqueId, uniqueId ?? ""),
            ("timestamp or idTransaction", requestId ?? ""))
    }
}

/// The members of a token that name its request. The server says what is missing.
struct TokenNames: Decodable, Equatable {
    let bankId: String?
    let uniqueId: String?
    let transactionId: String?

    private enum CodingKeys: String, CodingKey {
        case bankId = "IdBEL"
        case uniqueId = "IdPorteur"
        case transactionId = "IdTransaction"
    }

    init(bankId: String?, uniqueId: String?, transactionId: String?) {
        (self.bankId, self.uniqueId, self.transactionId) = (bankId, uniqueId, transactionId)
    }

    /// - Throws: 90000 if the token is not a JSON object, or if one of these members is not a string.
    init(in token: String) throws(SDKError) {
        guard let names = try? JSONDecoder().decode(TokenNames.self, from: Data(token.utf8)) else {
            throw SDKError(.invalidInput, "the token must be a JSON object, and its names must be strings")
        }
        self = names
    }
}
