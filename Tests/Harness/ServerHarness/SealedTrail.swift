extension TestInstallation {
    /// Waits until a server has sealed the whole audit trail. Servers seal each ten seconds.
    package func untilSealed() async throws {
        try await eventually("the audit trail is sealed", within: 180) {
            try await sql(Self.unsealedChains) == ["0"]
        }
    }

    /// The number of chains whose last entry is in no seal. A seal has 4 bytes of chain and 8 of sequence for each end.
    private static let unsealedChains = """
        SELECT count(*) FROM (SELECT chain_id, max(sequence) AS sequence FROM audit_entry GROUP BY chain_id) AS last
        WHERE NOT EXISTS (
            SELECT 1 FROM audit_seal
            WHERE position(int4send(last.chain_id) || int8send(last.sequence) IN audit_seal.heads) > 0)
        """
}
