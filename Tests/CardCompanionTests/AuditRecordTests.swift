import Logging
import Synchronization
import Testing

@testable import CardCompanion

@Suite("The audit trail")
struct AuditRecordTests {
    private let lines = RecordingLog.Lines()
    private var logger: Logger { Logger(label: "audit") { [lines] _ in RecordingLog(lines: lines) } }
    private var written: [Logger.Metadata] { lines.all.withLock { $0 } }

    @Test("A record says which operation, for whom, and with which code")
    func record() {
        var record = AuditRecord(operation: "/v1/x", requestId: "r")
        record.name(bankId: "BANK", uniqueId: "4711")
        record.write(answered: 0, truly: 0, to: logger)
        #expect(
            written == [
                ["operation": "/v1/x", "request_id": "r", "code": "0", "bank_id": "\"BANK\"", "unique_id": "\"4711\""]
            ])
    }

    @Test("Where the client was answered another code, both are there")
    func trueCode() {
        AuditRecord(operation: "/v1/x", requestId: "r").write(answered: 203, truly: 301, to: logger)
        #expect(written == [["operation": "/v1/x", "request_id": "r", "code": "203", "true_code": "301"]])
    }
}
