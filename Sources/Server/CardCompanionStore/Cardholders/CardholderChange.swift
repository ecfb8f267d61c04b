internal import Cryptography
internal import StrictJSON

/// What to write about a cardholder. A value that is nil or `unchanged` stays as it is.
package struct CardholderChange: Sendable {
    /// A part that can be removed.
    package enum Part<Value: Sendable>: Sendable {
        case unchanged
        case removed
        case set(Value)

        package init(_ value: Value?) {
            self = value.map { .set($0) } ?? .removed
        }
    }

    /// A PIN that the bank provisions. The store decides whether it is taken.
    package struct PIN: Sendable {
        /// Of the PIN as it was sent.
        package let digest: SpentDigest
        /// Nil if the sent value does not open. Then it is refused, unless the cardholder got it before.
        package let sealed: [UInt8]?
        /// The bank's own number of the PIN.
        package let version: Int64?

        package init(digest: SpentDigest, sealed: [UInt8]?, version: Int64?) {
            self.digest = digest
            self.sealed = sealed
            self.version = version
        }
    }

    /// The bank's text for the cardholder.
    package struct FreeField: Sendable {
        package let sealed: [UInt8]
        /// Key id and MAC under the active key, then under older keys: the same text is sealed differently each time.
        package let macs: [[UInt8]]

        package init(sealed: [UInt8], macs: [[UInt8]]) {
            self.sealed = sealed
            self.macs = macs
        }
    }

    /// Whether the cardholder can be new. Then status, channels and definition must be set.
    package var creates = false
    package var status: CardholderStatus?
    package var channels: [Channel]?
    /// Whether the cardholder can define a PIN.
    package var definition: Bool?
    package var accessibility = Part<Accessibility>.unchanged
    /// Key id and MAC of the authentication code, under the active key and then under older keys.
    package var codeMACs = Part<[[UInt8]]>.unchanged
    package var pin = Part<PIN>.unchanged
    package var freeField = Part<FreeField>.unchanged
    /// Forgets wrong codes and unconfirmed fetches.
    package var unlocks = false

    package init() {}
}

extension CardholderChange {
    /// The type `cardholder_change` of the schema, as JSON.
    func write(to json: inout JSONWriter) {
        json.add("creates", json: "\(creates)")
        if let status { json.add("status", status.rawValue) }
        if let channels {
            json.add("channels", json: "[\(channels.map { "\"\($0.rawValue)\"" }.joined(separator: ","))]")
        }
        if let definition { json.add("definition", json: "\(definition)") }
        json.add("accessibility", accessibility) { json, form in json.add("accessibility", form.rawValue) }
        json.add("code", codeMACs) { json, macs in json.add("code_macs", byteas: macs) }
        json.add("pin", pin) { json, pin in
            json.add("pin_digest", bytea: pin.digest.bytes)
            if let sealed = pin.sealed { json.add("sealed_pin", bytea: sealed) }
            if let version = pin.version { json.add("pin_version", version) }
        }
        json.add("free_field", freeField) { json, field in
            json.add("sealed_free_field", bytea: field.sealed)
            json.add("free_field_macs", byteas: field.macs)
        }
        json.add("unlocks", json: "\(unlocks)")
    }
}

extension JSONWriter {
    fileprivate mutating func add<Value>(
        _ name: String, _ part: CardholderChange.Part<Value>, _ write: (inout JSONWriter, Value) -> Void
    ) {
        if case .unchanged = part { return }
        add("sets_\(name)", json: "true")
        if case .set(let value) = part { write(&self, value) }
    }

    /// The text form of a `bytea`.
    fileprivate mutating func add(_ name: String, bytea bytes: [UInt8]) {
        add(name, "\\x\(Hex.encode(bytes))")
    }

    /// An array of text forms of a `bytea`.
    fileprivate mutating func add(_ name: String, byteas: [[UInt8]]) {
        add(name, json: "[\(byteas.map { "\"\\\\x\(Hex.encode($0))\"" }.joined(separator: ","))]")
    }
}
