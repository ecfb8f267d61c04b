import ServerHarness

extension Scene {
    /// The database as its superuser sees it.
    var superuserURL: String { "\(installation.databaseURL) user=postgres" }

    /// The rows that a statement of the superuser gives.
    func sql(_ statement: String) async throws -> [String] {
        let result = try await TestCommand.run("psql", ["-XAtqc", statement, superuserURL]).succeeded()
        return result.stdout.split(separator: "\n").map(String.init)
    }

    /// Bare digests of all that is short enough to be guessed, alone and together with what is known of a cardholder.
    var digests: [Needle] {
        let people = holders.map { ($0.rawValue, $1) } + [("definition", definer)]
        return people.flatMap { name, holder in
            [holder.pin ?? "", holder.code ?? ""].flatMap { secret in
                Self.combinations(secret, bank.id, holder.uniqueId).flatMap { Forms.digests("\(name): \($0)", $0) }
            }
        } + Forms.digests("the defined PIN", definedPIN) + tokens.flatMap { Forms.digests("a token", $0) }
    }

    private static func combinations(_ secret: String, _ bank: String, _ holder: String) -> [String] {
        [secret, holder + secret, bank + holder + secret, bank + secret, secret + holder, secret + bank]
    }
}
