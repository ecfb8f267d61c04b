internal import CLibPQ

/// The result of one statement: a wrapper of libpq's PGresult.
package final class PostgresResult: @unchecked Sendable {
    // Sendable: libpq never changes a result after PQgetResult has returned it, and only `deinit` frees it.
    private let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        PQclear(pointer)
    }

    var status: ExecStatusType { PQresultStatus(pointer) }

    var rowCount: Int { Int(PQntuples(pointer)) }

    var columnCount: Int { Int(PQnfields(pointer)) }

    var affectedRowCount: Int {
        PQcmdTuples(pointer).flatMap { Int(String(cString: $0)) } ?? 0
    }

    func columnName(_ column: Int) -> String {
        PQfname(pointer, CInt(column)).map { String(cString: $0) } ?? ""
    }

    func columnType(_ column: Int) -> PostgresType {
        PostgresType(rawValue: PQftype(pointer, CInt(column)))
    }

    func isNull(row: Int, column: Int) -> Bool {
        PQgetisnull(pointer, CInt(row), CInt(column)) == 1
    }

    /// The value's bytes. They are valid while the result exists.
    func bytes(row: Int, column: Int) -> UnsafeRawBufferPointer {
        let length = PQgetlength(pointer, CInt(row), CInt(column))
        return UnsafeRawBufferPointer(start: PQgetvalue(pointer, CInt(row), CInt(column)), count: Int(length))
    }
}

extension PostgresResult {
    /// The server's error report; nil if the result is not an error from the server.
    var serverReport: ServerReport? {
        guard let state = field("C") else { return nil }
        let severity = field("V") ?? field("S")
        return ServerReport(
            sqlState: SQLState(rawValue: state), endsSession: severity == "FATAL" || severity == "PANIC",
            message: field("M") ?? "", detail: field("D"), hint: field("H"), table: field("t"), column: field("c"),
            constraint: field("n"), position: field("P").flatMap { Int($0) }, routine: field("R"))
    }

    private func field(_ code: Unicode.Scalar) -> String? {
        PQresultErrorField(pointer, CInt(code.value)).map { String(cString: $0) }
    }
}
