import Administration
import CardCompanion
import CardCompanionModel
import CardCompanionServer
import CardCompanionStore

// The database as a server would meet it.

extension Installation {
    /// PostgreSQL 14 is the oldest that the schema works with.
    private static let oldestPostgres: Int32 = 140_000

    /// The PostgreSQL server, the schema, the role and the clock.
    func databaseFindings(_ settings: ServerSettings) async -> [Finding] {
        do {
            let facts = try await store.databaseFacts()
            return facts.findings(
                oldest: Self.oldestPostgres, connections: settings.databaseConnections,
                isPrivate: settings.databaseURL == nil)
                + [await schemaFinding(settings), await clockFinding(settings)] + (await alterationFindings())
        } catch {
            return [
                .error(
                    "database", error,
                    do:
                        """
                        check database.url: is PostgreSQL running there, does it accept connections from this machine, and \
                        is one free (max_connections)?
                        """
                )
            ]
        }
    }

    private func schemaFinding(_ settings: ServerSettings) async -> Finding {
        do {
            let schema = try await SchemaRunner(store: store, logger: logger).check()
            if schema.isOwned, settings.databaseURL != nil {
                return .warning(
                    "schema", "the role of database.url owns the schema",
                    do: "serve with a role that is a member of \(SchemaRunner.serviceRole) only")
            }
            return .ok("schema", schema.isNewer ? "newer than this program, which can serve it" : "up to date")
        } catch SchemaError.outdated where settings.databaseURL == nil {
            return .ok("schema", "older than this program: the next start brings the private database up to date")
        } catch {
            return .error("schema", error)
        }
    }

    /// What can make entries of the audit trail go missing. Replaced functions are told as a fault of the schema.
    private func alterationFindings() async -> [Finding] {
        do {
            return try await store.alterations().filter { !$0.hasPrefix("function ") }.map {
                .error(
                    "database", "somebody has added to the tables of the audit trail: \($0)",
                    do: "find out who, and drop it: entries can be missing")
            }
        } catch {
            // What is wrong with the schema is told already.
            return []
        }
    }

    private func clockFinding(_ settings: ServerSettings) async -> Finding {
        let watch = ClockWatch(store: store, clock: clock, limitSeconds: settings.clockLimitSeconds, logger: logger)
        do {
            try await watch.compare(warns: false)
            return .ok("clock", "differs from the database's by less than \(settings.clockLimitSeconds) seconds")
        } catch {
            return .error("clock", error, do: "synchronize the clocks (NTP)")
        }
    }
}

extension DatabaseFacts {
    /// - Parameters:
    ///   - connections: how many a server may open.
    ///   - isPrivate: whether it is the server's own.
    fileprivate func findings(oldest: Int32, connections: Int, isPrivate: Bool) -> [Finding] {
        var findings: [Finding] = []
        func warn(_ isWrong: Bool, _ text: String, do remedy: String) {
            if isWrong { findings.append(.warning("database", text, do: remedy)) }
        }
        func refuse(_ isWrong: Bool, _ text: String, do remedy: String) {
            if isWrong { findings.append(.error("database", text, do: remedy)) }
        }
        refuse(
            versionNumber < oldest, "PostgreSQL \(version) is too old",
            do: "upgrade to PostgreSQL \(oldest / 10_000) or later")
        refuse(
            isInRecovery, "it is a standby, which is read-only",
            do: "name all hosts in database.url, with target_session_attrs=read-write")
        refuse(
            isReadOnly && !isInRecovery, "it is read-only (default_transaction_read_only)",
            do: "find out who has set that, and why; then reset it for the database, the role or the server")
        refuse(!fsync, "fsync is off: a power failure destroys the database", do: "set fsync = on")
        refuse(
            synchronousCommit == "off", "synchronous_commit is off: acknowledged changes can be lost",
            do: "set synchronous_commit = on")
        warn(
            !fullPageWrites, "full_page_writes is off",
            do: "set full_page_writes = on, unless the disk writes whole pages")
        warn(
            !hasChecksums && !isPrivate, "data checksums are off: damage to files is not noticed",
            do: "run pg_checksums --enable while PostgreSQL is stopped")
        warn(
            isSuperuser && !isPrivate, "the role of database.url is a superuser",
            do: "serve with a role that is a member of \(SchemaRunner.serviceRole) only")
        warn(
            address != nil && !isEncrypted, "the connection is not encrypted",
            do: "add sslmode=verify-full to database.url")
        warn(
            Int(maximumConnections) < connections + 5,
            "it allows \(maximumConnections) connections, and one server may open \(connections)",
            do: "raise max_connections, or lower database.connections")
        return [.ok("database", "PostgreSQL \(version)\(isPrivate ? ", the private one" : "")")] + findings
    }
}
