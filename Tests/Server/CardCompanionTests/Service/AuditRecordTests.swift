import CardCompanionModel
import Logging
import SecureMemory
import StrictJSON
import Synchronization
import Testing

@testable import CardCompanion

@Suite("Audit trail")
struct AuditRecordTests {
    private let lines = RecordingLog.Lines()
    private var logger: Logger { Logger(label: "audit") { [lines] _ in RecordingLog(lines: lines) } }
    private var written: [Logger.Metadata] { lines.all.withLock { $0 } }

    @Test("A record contains the operation, the cardholder and the code")
    func record() {
        var record = AuditRecord(operation: "/v1/x", requestId: "r")
        record.name(bankId: "BANK", uniqueId: "4711")
        record.write(answered: 0, truly: 0, to: logger)
        #expect(
            written == [
                ["operation": "/v1/x", "request_id": "r", "code": "0", "bank_id": "\"BANK\"", "unique_id": "\"4711\""]
            ])
    }

    @Test("For a request without a code, the record contains the HTTP status and the claimed bank and cardholder")
    func status() throws {
        var record = AuditRecord(operation: "/v1/x", requestId: "r")
        record.name(claimedIn: try JSONText(SecretBytes(copying: Array(#"{"bankId":"B","uniqueId":7}"#.utf8))))
        record.write(status: 429, to: logger)
        #expect(written == [["operation": "/v1/x", "request_id": "r", "status": "429", "bank_id": "\"B\""]])
    }

    @Test(
        "A client's text is quoted and escaped, cut at 65 characters, and replaced if it contains a card number",
        arguments: [
            ("4711", "\"4711\""), ("a\" code=0", "\"a\\u{22} code=0\""), ("é\n", "\"\\u{e9}\\u{a}\""),
            (String(repeating: "x", count: 1000), "\"\(String(repeating: "x", count: 65))\""),
            ("4111111111111111", "\"(a card number)\""), ("id 4111111111111111", "\"(a card number)\""),
            ("4111111111111112", "\"4111111111111112\""),
        ])
    func quoting(text: String, expected: String) {
        #expect(ClientText.quoted(text) == expected)
    }

    @Test("If the client got another code than the true one, the record contains both")
    func trueCode() {
        AuditRecord(operation: "/v1/x", requestId: "r").write(answered: 203, truly: 301, to: logger)
        #expect(written == [["operation": "/v1/x", "request_id": "r", "code": "203", "true_code": "301"]])
    }
}
