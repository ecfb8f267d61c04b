internal import Cryptography

/// The parameters of a query in the format of HTML forms (WHATWG URL, section 5.1). They are decoded and encoded again,
/// so that each has exactly one form (RFC 9421 section 2.2.8).
struct QueryParameters {
    private let parameters: [(name: String, value: String)]

    init(_ query: String) {
        parameters = query.utf8.split(separator: UInt8(ascii: "&")).map { parameter in
            let name = parameter.prefix { $0 != UInt8(ascii: "=") }
            return (Self.normalized(name), Self.normalized(parameter.dropFirst(name.count + 1)))
        }
    }

    /// The encoded value of the parameter with this encoded name; nil if the name is missing or occurs more than once.
    func only(_ name: String) -> String? {
        let values = parameters.filter { $0.name == name }
        return values.count == 1 ? values[0].value : nil
    }

    private static func normalized(_ text: Substring.UTF8View) -> String {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == UInt8(ascii: "%"), let decoded = Hex.decode(digits)?.first {
                bytes.append(decoded)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self).utf8.map(encoded).joined()
    }

    private static func encoded(_ byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "*"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"):
            String(UnicodeScalar(byte))
        default:
            "%" + Hex.encode([byte]).uppercased()
        }
    }
}
