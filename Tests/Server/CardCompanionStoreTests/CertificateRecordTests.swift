import CardCompanionModel
import Testing

@testable import CardCompanionStore

@Suite("Certificates of a bank")
struct CertificateRecordTests {
    @Test("A certificate that becomes the default keeps everything else", arguments: [true, false])
    func becomesDefault(isDefault: Bool) {
        let record = CertificateRecord(
            alias: "alias", purpose: .signature, der: [1], fingerprint: [2], subject: "CN=subject", issuer: "CN=issuer",
            serial: [3], notBefore: Timestamp(seconds: 4), notAfter: Timestamp(seconds: 5), isDefault: !isDefault,
            status: .active, createdAt: Timestamp(seconds: 6), revocation: .revoked)
        let changed = record.with(isDefault: isDefault)
        #expect(changed.isDefault == isDefault)
        #expect(changed.revocation == .revoked)
        #expect(changed.with(isDefault: !isDefault) == record)
    }
}
