/// Which statements a connection has prepared, and under which names.
struct PreparedStatements {
    private var names: [PreparedKey: String] = [:]
    private var namesGiven = 0
    private let limit: Int

    /// - Parameter limit: how many names are given out; the unnamed statement is used beyond it.
    init(limit: Int) {
        self.limit = limit
    }

    /// The name under which the statement is prepared.
    func name(of key: PreparedKey) -> String? {
        names[key]
    }

    /// A name to prepare the statement under. The empty name is the unnamed statement's: each use prepares it anew.
    mutating func register(_ key: PreparedKey, label: String) -> String {
        guard namesGiven < limit else { return "" }
        namesGiven += 1
        let name = "\(namesGiven)_\(label.filter(\.isASCII).prefix(Self.maximumLabelLength))"
        names[key] = name
        return name
    }

    /// It was not prepared after all, or is out of date. A later use gets another name, as the server may know this one
    /// still.
    mutating func forget(_ key: PreparedKey, name: String) {
        if names[key] == name { names[key] = nil }
    }

    // With its number a name stays under the server's 63 bytes, beyond which names are cut.
    private static let maximumLabelLength = 40
}
