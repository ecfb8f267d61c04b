internal import CLibPQ

extension BoundStatement {
    /// - Returns: whether libpq accepted it.
    func prepare(on connection: OpaquePointer, name: String) -> Bool {
        let types = key.types.map(\.rawValue)
        return PQsendPrepare(connection, name, key.sql, CInt(types.count), types) == 1
    }

    /// - Returns: whether libpq accepted it.
    func execute(on connection: OpaquePointer, name: String) -> Bool {
        let values = parameters.values
        let lengths = values.map { CInt($0.range?.count ?? 0) }
        let formats = [CInt](repeating: Self.binary, count: values.count)
        return parameters.bytes.withUnsafeBytes { bytes in
            let base = bytes.assumingMemoryBound(to: CChar.self).baseAddress
            let addresses = values.map { value in value.range.flatMap { range in base.map { $0 + range.lowerBound } } }
            return PQsendQueryPrepared(
                connection, name, CInt(values.count), addresses, lengths, formats, Self.binary) == 1
        }
    }

    private static let binary: CInt = 1
}

extension WireConnection.Request {
    var kind: ConnectionStateMachine<PostgresResult>.Request {
        switch self {
        case .batch(let statements): .batch(statements.map { .init(key: $0.key, label: $0.label) })
        case .script: .script
        }
    }
}
