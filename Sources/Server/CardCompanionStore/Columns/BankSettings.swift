package import CardCompanionModel
package import PostgresLibPQ

extension BankSettings: PostgresDecodable {
    /// Reads a `text`. Settings that this program does not understand are an error: their bank is not served.
    package static func decode(_ field: PostgresField) throws(PostgresError) -> BankSettings {
        let text = try String.decode(field)
        do {
            return try BankSettings(text: text)
        } catch {
            throw PostgresError(.decoding, "\(error)")
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
