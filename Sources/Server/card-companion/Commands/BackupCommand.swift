import Administration
import ArgumentParser
import CardCompanionServer

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Makes a backup of the database, and of the vault's files.",
        discussion: """
            The folder gets database.dump, which PostgreSQL's pg_dump writes while servers go on serving, and backup.json \
            with the backup's time, versions and a hash. The dump is read back once. What is sealed in it can be opened \
            only with the vault, whose files go to a folder of their own: keep it on another medium. A token has its own \
            ways (docs/ceremonies.md).

            How to restore: docs/operations.md. The command needs a role that can read all tables; the server's can. It \
            does not replace a copy of the write-ahead log (docs/high-availability.md): what happens after a backup is \
            not in it.

            EXAMPLES
              card-companion backup --out /backup/cards-2026-12-01 \\
                  --vault-out /media/usb/vault-2026-12-01
              card-companion backup --out /backup/cards-2026-12-01
            """)

    @Option(help: "The folder for database.dump and backup.json. It is created.")
    var out: String
    @Option(help: "The folder for the files of the vault, on another medium. It is created.")
    var vaultOut: String?
    @OptionGroup var output: OutputOptions
    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let record = try await Backup(folder: out, vaultFolder: vaultOut).make(options)
        let size = record.files.reduce(0) { $0 + $1.bytes }
        let vault = vaultOut.map { "The vault's files are in \($0)" } ?? "The vault is not in it: back it up as well"
        try Terminal.show(
            "wrote \(out): the database as of \(record.time), \(size) bytes. \(vault)", json: record,
            asJSON: output.json)
    }
}
