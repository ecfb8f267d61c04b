import ServerHarness

extension Scene {
    /// The database's connection string for the superuser.
    var superuserURL: String { "\(installation.databaseURL) user=postgres" }

    /// Runs a statement as the superuser; returns one line per row.
    func sql(_ statement: String) async throws -> [String] {
        let result = try await TestCommand.run("psql", ["-XAtqc", statement, superuserURL]).succeeded()
        return result.stdout.split(separator: "\n").map(String.init)
    }

    /// Unkeyed digests of all secrets that are short enough to guess, alone and combined with the bank's and cardholder's
    /// ids.
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
