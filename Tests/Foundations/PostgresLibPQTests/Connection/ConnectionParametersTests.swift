import Testing

@testable import PostgresLibPQ

@Suite struct ConnectionParametersTests {
    private func parameters(_ url: String) throws -> ConnectionParameters {
        try ConnectionParameters(PostgresConfiguration(url: url))
    }

    @Test func `parameters in the URL override the defaults`() throws {
        let values = try parameters("postgresql://a@h1,h2:6000/d?connect_timeout=9&target_session_attrs=read-write")
            .values
        #expect(values["host"] == "h1,h2")
        #expect(values["port"] == ",6000")
        #expect(values["user"] == "a")
        #expect(values["dbname"] == "d")
        #expect(values["connect_timeout"] == "9")
        #expect(values["target_session_attrs"] == "read-write")
        #expect(values["keepalives_idle"] == "30")
    }

    @Test func `the URL's options come after the client's, so they take precedence`() throws {
        let options = try parameters("options='-c statement_timeout=1'").values["options"]
        #expect(
            options == """
                -c statement_timeout=10000 -c idle_in_transaction_session_timeout=60000 \
                -c client_connection_check_interval=2000 -c client_min_messages=warning -c statement_timeout=1
                """)
    }

    @Test func `client_encoding is always UTF8`() throws {
        #expect(try parameters("client_encoding=LATIN1").values["client_encoding"] == "UTF8")
    }

    @Test(arguments: ["postgresql://u:geheim@[h/d", "password=geheim nonsense", "geheim"])
    func `the error for an invalid connection string does not quote it`(url: String) throws {
        let error = #expect(throws: PostgresError.self) { try parameters(url) }
        #expect(error?.code == .invalidConfiguration)
        #expect(!"\(error.map { "\($0) \($0.message)" } ?? "")".contains("geheim"))
    }

    @Test func `passwords are redacted in messages`() throws {
        let parameters = try parameters("password=geheim sslpassword=leise user=u")
        #expect(parameters.redact("u: geheim, leise") == "u: …, …")
    }
}
