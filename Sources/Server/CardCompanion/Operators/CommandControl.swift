/// How many operators a command needs in an installation under dual control.
package enum CommandControl: String, Sendable {
    /// The command changes nothing.
    case reads
    /// One operator: daily work, and commands that only remove something or check more. So an emergency needs no second
    /// person.
    case single
    /// Two operators.
    case dual
    /// One operator for settings that are only tightened, otherwise two (``BankPolicy``).
    case dualUnlessTightening

    /// Every command.
    package static let table: [String: CommandControl] = [
        "serve": .reads, "forward": .reads, "backup": .reads, "doctor": .reads, "evidence": .reads, "status": .reads,
        "check-config": .reads,
        "configuration": .reads, "explain hmac": .reads,
        "explain jwe": .reads,
        "explain signature": .reads, "explain token": .reads,
        "migrate": .single, "database restored": .single,
        "bank add": .dual, "bank set": .dualUnlessTightening, "bank show": .reads, "bank check": .reads,
        "bank list": .reads,
        "bank remove": .dual,
        // A custodian enters a component alone. With the last one, two operators confirm the key.
        "key import": .dual, "key confirm": .dual, "key import-hmac": .dual, "key list": .reads,
        "key enable": .dual, "key disable": .single, "key remove": .single,
        "certificate import": .dual, "certificate default": .dual, "certificate list": .reads,
        "certificate enable": .dual, "certificate disable": .single,
        // The CA that issued the bank's certificates has signed the list.
        "certificate import-crl": .single, "certificate list-crls": .reads, "certificate remove-crl": .dual,
        // With dual control, its lines can set no authentication code.
        "cardholder import": .single, "cardholder list": .reads, "cardholder show": .reads,
        "cardholder unlock": .single,
        "cardholder set-status": .single,
        "cardholder forward-again": .single,
        // Its PAN, or another one, could then give the values of each PIN.
        "cardholder release-pan": .dual,
        "server-key list": .reads, "server-key rotate": .dual, "server-key retire": .dual,
        "issuer-key add": .dual, "issuer-key list": .reads, "issuer-key enable": .dual, "issuer-key disable": .single,
        "vault init": .dual, "vault status": .reads, "vault unseal": .single, "vault rewrap": .dual,
        "vault rotate": .dual, "vault recover": .dual, "vault rotate-data-key": .dual,
        // It removes a file that whoever has restored the vault can remove, too. It is a reminder, and no protection.
        "vault restored": .single,
        "vault retire-data-key": .dual, "vault set-data-key": .dual,
        "audit show": .reads, "audit export": .reads, "audit verify": .reads, "audit keys": .reads,
        "inventory show": .reads, "inventory servers": .reads, "inventory accept": .dual,
        "audit new-epoch": .single,
        "audit close": .single,
        "webhook set": .dual, "webhook show": .reads, "webhook test": .reads, "events list": .reads,
        "webhook disable": .single, "webhook resend": .single,
        "document-client add": .dual, "document-client list": .reads, "document-client enable": .dual,
        "document-client disable": .single,
        // A new root. Lists under a root that is approved, and CRLs, are signed.
        "csca import": .dual, "csca import-crl": .single, "csca list": .reads, "csca remove": .dual,
        "operator make-key": .reads, "operator list": .reads, "operator add": .dual, "operator remove": .dual,
        "operator dual-control": .dual, "approve": .single,
    ]
}
