package import CardCompanionModel
internal import PostgresLibPQ

extension Store {
    /// Adds a client.
    ///
    /// - Returns: false if any bank has a client with that id.
    package func insertDocumentClient(_ client: DocumentClientRecord) async throws(StoreError) -> Bool {
        try await statements.execute(InsertDocumentClient(client: client)) == 1
    }

    /// The client with that id, of any bank, as it is now.
    package func currentDocumentClient(id: String) async throws(StoreError) -> CurrentDocumentClient? {
        try await statements.execute(SelectCurrentDocumentClient(clientId: id)).first
    }

    /// A bank's clients, by id.
    package func documentClients(bankId: Identifier) async throws(StoreError) -> [DocumentClientRecord] {
        try await statements.execute(SelectDocumentClients(bankId: bankId))
    }

    /// Enables or disables a bank's client.
    ///
    /// - Returns: false if the bank has no client with that id.
    package func setDocumentClient(
        bankId: Identifier, id: String, status: Activity
    ) async throws(StoreError) -> Bool {
        try await statements.execute(UpdateDocumentClient(bankId: bankId, clientId: id, status: status)) == 1
    }
}

private let clientColumns = "client_id, bank_id, is_unbound, result_url, result_is_private, status, created_at"

private struct InsertDocumentClient: PostgresCommand {
    let client: DocumentClientRecord

    static let sql = """
        INSERT INTO document_client (\(clientColumns)) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(
            client.clientId, client.bankId, client.isUnbound, client.resultURL, client.resultIsPrivate, client.status,
            client.createdAt)
    }
}

private struct SelectCurrentDocumentClient: PostgresStatement {
    typealias Row = CurrentDocumentClient

    let clientId: String

    static let sql = """
        SELECT \(clientColumns), (SELECT revision FROM bank WHERE bank.bank_id = document_client.bank_id), (
            \(trustRevisionQuery(bankId: "document_client.bank_id")))
        FROM document_client WHERE client_id = $1
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(clientId)
    }
}

private struct SelectDocumentClients: PostgresStatement {
    typealias Row = DocumentClientRecord

    let bankId: Identifier

    static let sql = "SELECT \(clientColumns) FROM document_client WHERE bank_id = $1 ORDER BY client_id"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId)
    }
}

private struct UpdateDocumentClient: PostgresCommand {
    let bankId: Identifier
    let clientId: String
    let status: Activity

    static let sql = "UPDATE document_client SET status = $3 WHERE bank_id = $1 AND client_id = $2"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId, clientId, status)
    }
}

extension DocumentClientRecord: PostgresRowDecodable {
    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(
            clientId: try row.decode(0), bankId: try row.decode(1), isUnbound: try row.decode(2),
            resultURL: try row.decode(3), resultIsPrivate: try row.decode(4), status: try row.decode(5),
            createdAt: try row.decode(6))
    }
}

extension CurrentDocumentClient: PostgresRowDecodable {
    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(
            client: try DocumentClientRecord(&row), bankRevision: try row.decode(7), trustRevision: try row.decode(8))
    }
}
