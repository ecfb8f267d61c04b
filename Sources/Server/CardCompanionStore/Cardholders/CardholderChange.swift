internal import CardCompanionModel
internal import Cryptography
internal import StrictJSON

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
