/// The statements that a connection has prepared, and their names.
struct PreparedStatements {
    private var names: [PreparedKey: String] = [:]
    private var namesGiven = 0
    private let limit: Int

    /// - Parameter limit: how many names are given out. After that, the unnamed statement is used.
    init(limit: Int) {
        self.limit = limit
    }

    /// The name of the prepared statement; nil if it is not prepared.
    func name(of key: PreparedKey) -> String? {
        names[key]
    }

    /// Returns a name for preparing the statement. The empty name is the unnamed statement, which each use prepares
    /// again.
    ///
    /// - Parameter label: the caller's function.
    mutating func register(_ key: PreparedKey, label: String) -> String {
        guard namesGiven < limit else { return "" }
        namesGiven += 1
        let function = label.prefix { $0 != "(" }
        let name = "\(namesGiven)_\(function.filter(\.isASCII).prefix(Self.maximumLabelLength))"
        names[key] = name
        return name
    }

    /// The statement was not prepared, or is out of date. The next use gets a new name, because the server may still know
    /// the old one.
    mutating func forget(_ key: PreparedKey, name: String) {
        if names[key] == name { names[key] = nil }
    }

    // With its number, a name stays below 63 bytes. The server truncates longer names.
    private static let maximumLabelLength = 40
}
