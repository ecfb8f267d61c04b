internal import CardCompanionModel
internal import SecureMemory
internal import StrictJSON

/// What a bank's back-end asks for in the sealed value of an export: a card, a key, and the format or the method. The key's rules
/// say everything else, so the value can have no other member.
struct PINExportRequest: Sendable {
    enum Wish: Sendable, Equatable {
        case block(HostBlockFormat)
        case visaPVV
        case ibm3624Offset
    }

    private static let pan = "pan"
    private static let key = "key"
    private static let format = "format"
    private static let method = "method"

    let pan: SharedSecret
    let keyLabel: Identifier
    let wish: Wish

    /// Reads the plaintext of the sealed value.
    ///
    /// - Throws: ``PINExportProblem``.
    init(_ plaintext: consuming SecretBytes, _ operation: PINExports.Operation) throws(PINExportProblem) {
        let json: JSONText
        do throws(JSONError) {
            json = try JSONText(plaintext)
        } catch {
            throw PINExportProblem("must be a JWE of one strict JSON object")
        }
        let names = [Self.pan, Self.key, operation == .translate ? Self.format : Self.method]
        if let unknown = json.names.first(where: { !names.contains($0) }) {
            throw PINExportProblem(
                "has an unknown member \(ClientText.quoted(unknown)): the key's rules say what is not in it")
        }
        wish = try Self.wish(json, operation)
        guard let label = json.string(Self.key).flatMap(Identifier.init) else {
            throw PINExportProblem("key must be the label of a key")
        }
        keyLabel = label
        guard let pan = SharedSecret(json.secret(of: Self.pan)) else {
            throw PINExportProblem("pan must be a string of digits")
        }
        self.pan = pan
    }

    private static func wish(
        _ json: borrowing JSONText, _ operation: PINExports.Operation
    ) throws(PINExportProblem) -> Wish {
        switch operation {
        case .translate:
            guard let format = json.string(format).flatMap(HostBlockFormat.init(rawValue:)) else {
                throw PINExportProblem("format must be iso-3, iso-4 or iso-0")
            }
            return .block(format)
        case .verificationValue:
            switch json.string(method) {
            case "pvv": return .visaPVV
            case "ibm3624-offset": return .ibm3624Offset
            default: throw PINExportProblem("method must be pvv or ibm3624-offset")
            }
        }
    }
}

/// Why what a bank asks for is refused. It contains nothing of PIN and PAN.
struct PINExportProblem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
