import ServerHarness

/// Builds fetches by token with given faults.
struct TokenCaptchaOrder {
    let banks: OrderBanks
    let otherSigner: TestAuthority.Signer

    func plan(_ faults: [TokenCaptchaFault]) throws -> CaptchaOrder.Plan {
        let state = state(faults)
        let asked = faults.contains(.disabledBank) ? banks.disabled : banks.sound
        let home = faults.contains(.otherBanksCardholder) ? banks.neighbour : asked
        let cardholder = state.cardholder(of: "TOKEN")
        let token = token(faults, asked, cardholder.with(code: state.code.rawValue))

        var body = try TestApp().tokenCaptcha(
            asked, token, signer: faults.contains(.wrongSignature) ? otherSigner : nil)
        if faults.contains(.badToken) { body["token"] = .string(token.text + "x") }
        if faults.contains(.badECDHPublicKey) { body["ecdhPublicKey"] = "AAAA" }
        for member in faults.compactMap(\.missingMember) { body[member] = nil }

        var statements = state.statements(home, cardholder)
        if faults.contains(.spentTransaction), let id = token.members["IdTransaction"]?.string {
            statements.append(
                "INSERT INTO spent_transaction VALUES ('\(asked.id)', \(SQLText.spentDigest(id)));")
        }
        return CaptchaOrder.Plan(
            body: body, bank: home, cardholder: state.isUnknown ? nil : cardholder, statements: statements)
    }

    private func state(_ faults: [TokenCaptchaFault]) -> CardholderState {
        var state = CardholderState()
        state.isUnknown = faults.contains(.unknownCardholder)
        state.hasChannel = !faults.contains(.otherChannel)
        state.isActive = !faults.contains(.suspended)
        state.isLocked = faults.contains(.locked)
        state.hasPIN = !faults.contains(.noPIN)
        state.isPINDamaged = faults.contains(.damagedPIN)
        if faults.contains(.wrongCode) { state.code = .wrong }
        if faults.contains(.codeWithoutForm) { state.code = .withoutForm }
        return state
    }

    private func token(
        _ faults: [TokenCaptchaFault], _ bank: TestBank, _ cardholder: TestCardholder
    ) -> TestToken {
        var token = bank.token(for: cardholder)
        if faults.contains(.outsideWindow) { token.members["Timestamp"] = .string("\(TestBank.timestamp(1000))") }
        if faults.contains(.unknownAlias) { token.members["SignatureCertAlias"] = "unknown" }
        if faults.contains(.unknownBank) { token.members["IdBEL"] = "nobody" }
        if faults.contains(.timestampWithoutForm) { token.members["Timestamp"] = "tomorrow" }
        if faults.contains(.otherType) { token.members["Type"] = "02" }
        for member in faults.compactMap(\.missingTokenMember) { token.members[member] = nil }
        return token
    }
}
