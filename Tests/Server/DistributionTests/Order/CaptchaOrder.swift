import Crypto
import ServerHarness

/// Builds fetches by authentication code with given faults.
struct CaptchaOrder {
    let banks: OrderBanks

    /// A request, and the state of its cardholder.
    struct Plan {
        var body: [String: JSON]
        let bank: TestBank
        let cardholder: TestCardholder?
        let statements: [String]
    }

    func plan(_ faults: [CaptchaFault]) throws -> Plan {
        var state = CardholderState()
        state.isUnknown = faults.contains(.unknownCardholder)
        state.hasChannel = !faults.contains(.otherChannel)
        state.isActive = !faults.contains(.suspended)
        state.isLocked = faults.contains(.locked)
        state.hasPIN = !faults.contains(.noPIN)
        state.isPINDamaged = faults.contains(.damagedPIN)
        if faults.contains(.wrongCode) { state.code = .wrong }
        if faults.contains(.codeWithoutForm) { state.code = .withoutForm }

        let asked = banks.bank(
            isDisabled: faults.contains(.disabledBank), hasKey: !faults.contains(.bankWithoutKey))
        let home = faults.contains(.otherBanksCardholder) ? banks.neighbour : asked
        let cardholder = state.cardholder(of: "AC")
        let timestamp = TestBank.timestamp(faults.contains(.outsideWindow) ? -1000 : 0)
        let hashMac = asked.hashMac(uniqueId: cardholder.uniqueId, timestamp: "\(timestamp)")

        var body = try TestApp().captcha(asked, cardholder.with(code: state.code.rawValue), timestamp: timestamp)
        if faults.contains(.wrongHashMac) { body["hashMac"] = .string(String(hashMac.reversed())) }
        if faults.contains(.unknownBank) { body["bankId"] = "nobody" }
        if faults.contains(.badRSAPublicKey) { body["rsaPublicKey"] = "AAAA" }
        if faults.contains(.timestampWithoutForm) { body["timestamp"] = "yesterday" }
        for member in faults.compactMap(\.missingMember) { body[member] = nil }

        var statements = state.statements(home, cardholder)
        if faults.contains(.spentHashMac) {
            statements.append(
                """
                INSERT INTO spent_proof VALUES
                    ('\(asked.id)', 'hmac', substr(sha256('\\x\(hashMac)'), 1, 16), now() + interval '1 hour');
                """)
        }
        return Plan(
            body: body, bank: home, cardholder: state.isUnknown ? nil : cardholder, statements: statements)
    }
}
