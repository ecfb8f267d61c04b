internal import CardCompanionModel
internal import SecureMemory
internal import StrictJSON

/// A line that the bank's program gets: a defined PIN that the host needs. The PIN is not in it; the program asks the server for what
/// the host needs of it.
struct ProgramLine {
    let bankId: Identifier
    let pin: ForwardedPIN

    /// One JSON object and a line feed.
    var bytes: [UInt8] {
        let json = JSONWriter.object { json in
            json.add("bankId", bankId.text)
            json.add("uniqueId", pin.uniqueId.text)
            json.add("event", pin.event)
            // Two PINs of a cardholder never have the same: the host goes by it.
            json.add("definedAtMilliseconds", pin.definedAt.microseconds / 1000)
            json.add("state", pin.stage.rawValue)
            json.add("attempt", Int64(pin.attempt))
        }
        return json.withBytes { Array($0) } + [UInt8(ascii: "\n")]
    }
}
