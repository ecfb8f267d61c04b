package import CardCompanionModel
package import PostgresLibPQ

extension BankSettings {
    /// Reads the next column, a `text`.
    ///
    /// - Throws: an error that names the bank, if this program does not understand its settings.
    init(_ row: inout PostgresRow, of bankId: Identifier) throws(PostgresError) {
        let text: String = try row.next()
        do {
            try self.init(text: text)
        } catch {
            throw PostgresError(.decoding, "bank '\(bankId)': \(error)")
        }
    }
}

extension BankSettings: PostgresEncodable {
    /// Appends a `text`.
    package func append(to parameters: inout PostgresParameters) {
        parameters.append(text)
    }

    /// Appends a null `text`.
    package static func appendNull(to parameters: inout PostgresParameters) {
        String.appendNull(to: &parameters)
    }
}
