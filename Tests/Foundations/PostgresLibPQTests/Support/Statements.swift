import PostgresLibPQ

struct Add: PostgresStatement {
    static let sql = "SELECT $1 + $2"
    var left: Int
    var right: Int

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(left)
        parameters.append(right)
    }

    static func decode(_ row: inout PostgresRow) throws(PostgresError) -> Int {
        try row.next()
    }
}

struct DivideByZero: PostgresStatement {
    static let sql = "SELECT 1 / $1"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(0)
    }
}

struct Sleep: PostgresStatement {
    static let sql = "SELECT pg_sleep($1)"
    var seconds: Double

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(seconds)
    }
}

struct Lock: PostgresStatement {
    static let sql = "SELECT pg_advisory_xact_lock($1)"
    var number: Int

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(number)
    }
}

struct BackendProcess: PostgresStatement {
    static let sql = "SELECT pg_backend_pid()"

    static func decode(_ row: inout PostgresRow) throws(PostgresError) -> Int32 {
        try row.next()
    }
}

struct Terminate: PostgresStatement {
    static let sql = "SELECT pg_terminate_backend($1)"
    var process: Int32

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(process)
    }
}

/// Ends the active sessions with this application name.
struct TerminateActive: PostgresStatement {
    static let sql = """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 AND state = 'active'
        """
    var applicationName: String

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(applicationName)
    }
}

/// Counts the other active sessions with this application name.
struct CountActive: PostgresStatement {
    static let sql = """
        SELECT count(*) FROM pg_stat_activity
        WHERE application_name = $1 AND state = 'active' AND pid <> pg_backend_pid()
        """
    var applicationName: String

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(applicationName)
    }

    static func decode(_ row: inout PostgresRow) throws(PostgresError) -> Int {
        try row.next()
    }
}

struct Insert: PostgresStatement {
    static let sql = "INSERT INTO numbers (suite, number) VALUES ($1, $2)"
    var suite: String
    var number: Int

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(suite)
        parameters.append(number)
    }
}

struct Numbers: PostgresStatement {
    static let sql = "SELECT number FROM numbers WHERE suite = $1 ORDER BY number"
    var suite: String

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(suite)
    }

    static func decode(_ row: inout PostgresRow) throws(PostgresError) -> Int {
        try row.next()
    }
}
