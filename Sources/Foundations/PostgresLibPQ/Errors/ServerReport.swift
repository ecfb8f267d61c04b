/// The fields of the server's ErrorResponse (PostgreSQL documentation, section 55.8).
final class ServerReport: Sendable {
    let sqlState: SQLState
    /// Whether the server ends the session after this error (severity FATAL or PANIC).
    let endsSession: Bool
    let message: String
    let detail: String?
    let hint: String?
    let table: String?
    let column: String?
    let constraint: String?
    let position: Int?
    /// The function in the server's source that reported the error. Unlike the message, it is not translated.
    let routine: String?

    init(
        sqlState: SQLState, endsSession: Bool = false, message: String = "", detail: String? = nil,
        hint: String? = nil, table: String? = nil, column: String? = nil, constraint: String? = nil,
        position: Int? = nil, routine: String? = nil
    ) {
        self.sqlState = sqlState
        self.endsSession = endsSession
        self.message = message
        self.detail = detail
        self.hint = hint
        self.table = table
        self.column = column
        self.constraint = constraint
        self.position = position
        self.routine = routine
    }

    /// The message, if messages of its error class never quote a value (they can name tables, roles and states).
    var loggableMessage: String? {
        Self.classesWithoutValues.contains(String(sqlState.class)) ? message : nil
    }

    /// Whether the statement failed only because its prepared statement on the server is missing or out of date.
    var isStalePreparation: Bool {
        sqlState == .invalidSQLStatementName
            || sqlState == .featureNotSupported && routine == "RevalidateCachedQuery"
    }

    private static let classesWithoutValues: Set<String> = [
        "08", "0A", "25", "26", "28", "3D", "3F", "40", "42", "53", "54", "55", "57", "58",
    ]
}
