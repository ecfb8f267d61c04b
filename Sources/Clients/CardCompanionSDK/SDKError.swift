internal import CardCompanionAPI

/// An error that the SDK detected. Apps never see it: it becomes `errorCode` and `errorMessage` of the response.
struct SDKError: Error {
    let code: LibraryCode
    let message: String
    /// For how many seconds the server asks the app to wait; nil if it does not.
    let retryAfterSeconds: Int?

    init(_ code: LibraryCode, _ detail: String, retryAfterSeconds: Int? = nil) {
        self.code = code
        self.retryAfterSeconds = retryAfterSeconds
        message = "\(code.message) (\(detail))"
    }
}

/// The response of an operation.
protocol Response {
    var errorCode: Int { get }
    var errorMessage: String { get }
    var retryAfterSeconds: Int? { get set }

    init(errorCode: Int, errorMessage: String)
}

extension Response {
    init(_ error: SDKError) {
        self.init(errorCode: error.code.rawValue, errorMessage: error.message)
        retryAfterSeconds = error.retryAfterSeconds
    }

    /// Runs `operation` and returns its response, or a response with the code and message of its error.
    static func of(_ operation: () async throws(SDKError) -> Self) async -> Self {
        do throws(SDKError) {
            return try await operation()
        } catch {
            return Self(error)
        }
    }
}

/// Checks that no parameter is empty.
///
/// - Throws: 90000 if one is (the SDK document calls it null).
func require(_ parameters: (name: String, value: String)...) throws(SDKError) {
    for parameter in parameters where parameter.value.isEmpty {
        throw SDKError(.invalidInput, "\(parameter.name) is empty")
    }
}
