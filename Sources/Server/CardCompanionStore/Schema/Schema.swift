internal import Cryptography

/// The files of `migrations/`, compiled into the program, and the number of the schema that they make.
package struct Schema: Sendable {
    /// A file of SQL.
    package struct File: Sendable, Equatable {
        /// The file's name without its extension.
        package let name: String
        let sql: String
        /// SHA-256 of the file.
        let digest: [UInt8]

        init(_ name: String, _ bytes: [UInt8]) {
            self.name = name
            sql = String(decoding: bytes, as: UTF8.self)
            digest = SHA256.hash(bytes)
        }
    }

    /// Grows with every release that changes a file of `migrations/`. A program is known to the database by this number.
    let version: Int
    /// The oldest program that can serve a database with this schema.
    let oldestProgram: Int
    /// The numbered files, in order. Each is applied once. From the first release on, no file is ever edited.
    package let migrations: [File]
    /// The files of `functions/`. Each is applied again whenever it has changed. A signature never changes: a new one gets
    /// a new name, and the old file stays for one release, so that two versions of the program can serve one database.
    package let functions: [File]
    /// What the serving role can do. Applied after every change.
    let grants: File

    /// The schema of this program.
    package static let current = Schema(
        version: 2, oldestProgram: 1,
        migrations: [
            File("0001_baseline", PackageResources._001_baseline_sql),
            File("0002_identity_failed", PackageResources._002_identity_failed_sql),
            File("0003_pin_exports", PackageResources._003_pin_exports_sql),
            File("0004_forwarded_pins", PackageResources._004_forwarded_pins_sql),
            File("0005_lease_owner", PackageResources._005_lease_owner_sql),
        ],
        functions: [
            File("acknowledge_events", PackageResources.acknowledge_events_sql),
            File("advance_bank_revision", PackageResources.advance_bank_revision_sql),
            File("append_audit", PackageResources.append_audit_sql),
            File("begin_call", PackageResources.begin_call_sql),
            File("cardholder_digest", PackageResources.cardholder_digest_sql),
            File("changed_cardholder", PackageResources.changed_cardholder_sql),
            File("define_pin", PackageResources.define_pin_sql),
            File("delete_cardholder", PackageResources.delete_cardholder_sql),
            File("enqueue_webhook", PackageResources.enqueue_webhook_sql),
            File("event_data", PackageResources.event_data_sql),
            File("export_pin", PackageResources.export_pin_sql),
            File("fail_identity_check", PackageResources.fail_identity_check_sql),
            File("fetch_pin", PackageResources.fetch_pin_sql),
            File("keep_answer", PackageResources.keep_answer_sql),
            File("lacks_identity_pass", PackageResources.lacks_identity_pass_sql),
            File("lease_forwarded_pins", PackageResources.lease_forwarded_pins_sql),
            File("make_identity_check", PackageResources.make_identity_check_sql),
            File("merge_import", PackageResources.merge_import_sql),
            File("notify_delivery", PackageResources.notify_delivery_sql),
            File("number_events", PackageResources.number_events_sql),
            File("pass_digest", PackageResources.pass_digest_sql),
            File("pass_identity_check", PackageResources.pass_identity_check_sql),
            File("queue_forwarded_pin", PackageResources.queue_forwarded_pin_sql),
            File("read_events", PackageResources.read_events_sql),
            File("remove_pass", PackageResources.remove_pass_sql),
            File("removed_pass", PackageResources.removed_pass_sql),
            File("report_chosen_pin", PackageResources.report_chosen_pin_sql),
            File("report_forwarded_pin", PackageResources.report_forwarded_pin_sql),
            File("row_change", PackageResources.row_change_sql),
            File("spend_definition_transaction", PackageResources.spend_definition_transaction_sql),
            File("take_back_fetch", PackageResources.take_back_fetch_sql),
            File("write_cardholder", PackageResources.write_cardholder_sql),
        ],
        grants: File("grants", PackageResources.grants_sql))
}
