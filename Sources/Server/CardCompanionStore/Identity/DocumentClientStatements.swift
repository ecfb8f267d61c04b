package import CardCompanionModel
internal import PostgresLibPQ

extension Store {
    /// Adds a client.
    ///
    /// - Returns: false if any bank has a client with that id.
    package func insertDocumentClient(_ client: DocumentClientRecord) async throws(StoreError) -> Bool {
        try await statements.execute(
            """
            INSERT INTO document_client (\(sql: DocumentClientRecord.columns))
            VALUES (\(client.clientId, client.bankId, client.isUnbound, client.resultURL, client.resultIsPrivate),
                \(client.status, client.createdAt))
            ON CONFLICT DO NOTHING
            """) == 1
    }

    /// The client with that id, of any bank, as it is now.
    package func currentDocumentClient(id: String) async throws(StoreError) -> CurrentDocumentClient? {
        try await statements.execute(SelectCurrentDocumentClient(clientId: id)).first
    }

    /// A bank's clients, by id.
    package func documentClients(bankId: Identifier) async throws(StoreError) -> [DocumentClientRecord] {
        try await statements.rows(
            """
            SELECT \(sql: DocumentClientRecord.columns) FROM document_client WHERE bank_id = \(bankId)
            ORDER BY client_id
            """)
    }

    /// Enables or disables a bank's client.
    ///
    /// - Returns: false if the bank has no client with that id.
    package func setDocumentClient(
        bankId: Identifier, id: String, status: Activity
    ) async throws(StoreError) -> Bool {
        try await statements.execute(
            "UPDATE document_client SET status = \(status) WHERE bank_id = \(bankId) AND client_id = \(id)") == 1
    }
}

private struct SelectCurrentDocumentClient: PostgresStatement {
    typealias Row = CurrentDocumentClient

    let clientId: String

    static let sql = """
        SELECT \(DocumentClientRecord.columns), (SELECT revision FROM bank WHERE bank.bank_id = document_client.bank_id), (
            \(trustRevisionQuery(bankId: "document_client.bank_id")))
        FROM document_client WHERE client_id = $1
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(clientId)
    }
}

extension DocumentClientRecord: PostgresRowDecodable {
    static let columns: SQLText = "client_id, bank_id, is_unbound, result_url, result_is_private, status, created_at"

    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(
            clientId: try row.next(), bankId: try row.next(), isUnbound: try row.next(),
            resultURL: try row.next(), resultIsPrivate: try row.next(), status: try row.next(),
            createdAt: try row.next())
    }
}

extension CurrentDocumentClient: PostgresRowDecodable {
    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(client: try row.next(), bankRevision: try row.next(), trustRevision: try row.next())
    }
}
