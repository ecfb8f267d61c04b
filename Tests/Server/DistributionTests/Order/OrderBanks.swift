import ServerHarness

/// Banks in each state that matters for the order of checks, and a neighbour for cardholders of another bank.
struct OrderBanks {
    let sound: TestBank
    let disabled: TestBank
    let withoutKey: TestBank
    let disabledWithoutKey: TestBank
    /// Another bank of the same programme.
    let neighbour: TestBank

    static let shared = Once { try await OrderBanks(Service.shared.value) }

    private init(_ service: Service) async throws {
        let programme = ["--programme", Unique.name("programme")]
        var banks: [TestBank] = []
        for _ in 0..<5 { banks.append(try await service.makeBank(programme)) }
        (sound, disabled, withoutKey, disabledWithoutKey, neighbour) = (
            banks[0], banks[1], banks[2], banks[3], banks[4]
        )
        try await service.installation.sqlAsCommand(
            """
            UPDATE bank SET status = 'DISABLED' WHERE bank_id IN ('\(disabled.id)', '\(disabledWithoutKey.id)');
            UPDATE hmac_key SET status = 'DISABLED' WHERE bank_id IN ('\(withoutKey.id)', '\(disabledWithoutKey.id)');
            """, of: disabled.id, withoutKey.id, disabledWithoutKey.id)
    }

    var all: [TestBank] { [sound, disabled, withoutKey, disabledWithoutKey, neighbour] }

    func bank(isDisabled: Bool, hasKey: Bool) -> TestBank {
        switch (isDisabled, hasKey) {
        case (false, true): sound
        case (true, true): disabled
        case (false, false): withoutKey
        case (true, false): disabledWithoutKey
        }
    }
}
