/// A statement that is written where it is used: `"DELETE FROM seal_key WHERE key_id = \(id)"`.
///
/// Each value in the text becomes a parameter of its type, and several ones a list of parameters: `VALUES (\(id, name))`.
/// A nil is a null of its type. The text itself comes from literals only: no value can get into it.
///
/// By itself it is a command, whose answer is the number of changed rows. ``PostgresRows`` reads rows.
package struct PostgresQuery: PostgresChange, ExpressibleByStringInterpolation {
    package let sql: String
    package let parameters: PostgresParameters

    package init(stringLiteral text: StaticString) {
        sql = text.description
        parameters = PostgresParameters()
    }

    package init(stringInterpolation: StringInterpolation) {
        sql = stringInterpolation.sql
        parameters = stringInterpolation.parameters
    }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var sql = ""
        fileprivate var parameters = PostgresParameters()

        package init(literalCapacity: Int, interpolationCount: Int) {
            sql.reserveCapacity(literalCapacity)
        }

        package mutating func appendLiteral(_ literal: StaticString) {
            sql += literal.description
        }

        // The first one is an optional, because the compiler warns of optionals in text unless they are expected.
        package mutating func appendInterpolation<First: PostgresEncodable, each Other: PostgresEncodable>(
            _ first: First?, _ others: repeat each Other
        ) {
            append(first)
            for other in repeat each others {
                sql += ", "
                append(other)
            }
        }

        private mutating func append(_ value: some PostgresEncodable) {
            value.append(to: &parameters)
            sql += "$\(parameters.count)"
        }

        package mutating func appendInterpolation(sql text: SQLText) {
            sql += text.text
        }
    }
}

/// A part of statements, such as the list of a table's columns. It is made of literals only.
package struct SQLText: ExpressibleByStringInterpolation, CustomStringConvertible, Sendable {
    fileprivate let text: String

    package init(stringLiteral text: StaticString) {
        self.text = text.description
    }

    package init(stringInterpolation: StringInterpolation) {
        text = stringInterpolation.text
    }

    package var description: String { text }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ literal: StaticString) {
            text += literal.description
        }

        package mutating func appendInterpolation(sql other: SQLText) {
            text += other.text
        }
    }
}

/// A query that returns rows. Each row is read into the values and records of these types, from its first column to its
/// last.
package struct PostgresRows<each Part: PostgresRowDecodable & Sendable>: PostgresExecutable {
    private let query: PostgresQuery

    package init(_ query: PostgresQuery) {
        self.query = query
    }

    package var sql: String { query.sql }
    package var parameters: PostgresParameters { query.parameters }

    package func read(_ result: PostgresResult) throws(PostgresError) -> [(repeat each Part)] {
        var rows: [(repeat each Part)] = []
        for index in 0..<result.rowCount {
            var row = PostgresRow(result, index)
            rows.append((repeat try (each Part)(&row)))
        }
        return rows
    }
}
