/// What the audit trail calls each write of an operator's command. The words are stable: docs/audit.md lists them.
package enum AuditWords {
    /// The word for a write.
    ///
    /// - Parameter function: the store's function, with its parameters.
    static func word(for function: String) -> String {
        let name = String(function.prefix { $0 != "(" })
        return ofWrites[name] ?? name
    }

    /// By the store's function that writes.
    package static let ofWrites: [String: String] = [
        "insertBank": "bank.added", "updateBank": "bank.settings-changed", "removeRows": "bank.rows-removed",
        "removeBank": "bank.removed",
        "insertHMACKey": "key.added", "insertBankKey": "key.added", "setKey": "key.status-changed",
        "deleteKey": "key.erased", "beginKeyImport": "key.import-begun", "insertKeyComponent": "key.component-entered",
        "deleteKeyImport": "key.import-erased", "replaceKeyMAC": "key.mac-replaced",
        "insertCertificate": "certificate.added", "setCertificate": "certificate.status-changed",
        "setDefaultCertificate": "certificate.default-changed", "putRevocationList": "certificate.crl-imported",
        "removeRevocationList": "certificate.crl-removed",
        "insertIssuerKey": "issuer-key.added", "setIssuerKey": "issuer-key.status-changed",
        "insertDocumentClient": "document-client.added", "setDocumentClient": "document-client.status-changed",
        "setWebhook": "webhook.changed", "resendDeliveries": "webhook.events-sent-again",
        "putTrustList": "trust-list.imported", "putTrustRevocationList": "trust-list.crl-imported",
        "removeTrustList": "trust-list.removed",
        "insertServerKey": "server-key.added", "rotateServerKey": "server-key.rotated",
        "retireServerKey": "server-key.retired", "insertSealKey": "seal-key.added",
        "insertDataKey": "data-key.added", "setDataKey": "data-key.state-changed", "addUses": "data-key.uses-counted",
        "insertWrappings": "data-key.wrapped", "deleteReplacedWrappings": "data-key.old-wrappings-removed",
        "replace": "data-key.value-sealed-again", "saveResealing": "data-key.resealing-saved",
        "restartResealing": "data-key.resealing-restarted", "leaseResealing": "data-key.resealing-leased",
        "insertMasterKey": "master-key.added", "replaceMasterKeys": "master-key.replaced",
        "insertRecoveryKey": "recovery-key.added",
        "insertProposedChange": "change.proposed", "deleteProposedChange": "change.closed",
        "insertApproval": "change.approved", "insertInventory": "inventory.written",
        "stage": "import.line-staged", "mergeStaged": "import.lines-written", "discardStaged": "import.given-up",
        "deleteCardholder": "cardholder.removed", "deletePANBinding": "cardholder.pan-released",
        "forwardAgain": "cardholder.pin-forwarded-again",
        "passRestore": "database.restore-passed", "eraseRestoredPINs": "database.restored-pins-erased",
        "insertAuditSeal": "audit.sealed", "removeClosedEntries": "audit.entries-closed",
        "removeClosedSeals": "audit.seals-closed", "carryRows": "audit.rows-carried",
    ]
}
