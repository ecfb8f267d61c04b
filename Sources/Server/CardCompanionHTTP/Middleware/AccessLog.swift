internal import CardCompanion
internal import Hummingbird
internal import Logging

/// One line per request, at debug level. From the client, it contains only method and path.
enum AccessLog {
    /// How much of a path is logged, in characters.
    private static let pathLimit = 200

    static func write(_ request: Request, _ response: Response, _ duration: Duration, to logger: Logger) {
        logger.debug(
            "Request",
            metadata: [
                "method": "\(request.method.rawValue)",
                "path": "\(ClientText.quoted(request.uri.path, limit: pathLimit))",
                "status": "\(response.status.code)",
                "milliseconds": "\(Int((duration / .milliseconds(1)).rounded()))",
            ])
    }
}
