/// The object identifiers (OIDs) of PostgreSQL's built-in types (pg_type.dat in its source).
struct PostgresType: RawRepresentable, Hashable, Sendable {
    let rawValue: UInt32

    static let bool = PostgresType(rawValue: 16)
    static let bytea = PostgresType(rawValue: 17)
    static let name = PostgresType(rawValue: 19)
    static let int8 = PostgresType(rawValue: 20)
    static let int2 = PostgresType(rawValue: 21)
    static let int4 = PostgresType(rawValue: 23)
    static let text = PostgresType(rawValue: 25)
    static let json = PostgresType(rawValue: 114)
    static let float4 = PostgresType(rawValue: 700)
    static let float8 = PostgresType(rawValue: 701)
    static let unknown = PostgresType(rawValue: 705)
    static let byteaArray = PostgresType(rawValue: 1001)
    static let int4Array = PostgresType(rawValue: 1007)
    static let int8Array = PostgresType(rawValue: 1016)
    static let textArray = PostgresType(rawValue: 1009)
    static let bpchar = PostgresType(rawValue: 1042)
    static let varchar = PostgresType(rawValue: 1043)
    static let timestamptz = PostgresType(rawValue: 1184)
    static let jsonb = PostgresType(rawValue: 3802)

    /// Whether a value's binary form is its text. This includes types that a database adds, which we assume to be enums
    /// or text types such as citext.
    var isTextual: Bool {
        switch self {
        case .text, .varchar, .bpchar, .name, .json, .unknown: true
        default: rawValue >= Self.firstOfDatabase
        }
    }

    private static let firstOfDatabase: UInt32 = 16384
}
