internal import CardCompanionAPI

/// A fault that the SDK found. It never leaves the SDK as an error: it becomes `errorCode` and `errorMessage`.
struct SDKError: Error {
    let code: LibraryCode
    let message: String

    init(_ code: LibraryCode, _ detail: String) {
        self.code = code
        message = "\(code.message) (\(detail))"
    }
}

/// What every operation answers.
protocol Response {
    init(errorCode: Int, errorMessage: String)
}

extension Response {
    /// The answer of `operation`, or the code of what it threw.
    static func of(_ operation: () async throws(SDKError) -> Self) async -> Self {
        do throws(SDKError) {
            return try await operation()
        } catch {
            return Self(errorCode: error.code.rawValue, errorMessage: error.message)
        }
    }
}

/// Refuses empty parameters (90000), which the document calls null.
func require(_ parameters: (name: String, value: String)...) throws(SDKError) {
    for parameter in parameters where parameter.value.isEmpty {
        throw SDKError(.invalidInput, "\(parameter.name) is empty")
    }
}
