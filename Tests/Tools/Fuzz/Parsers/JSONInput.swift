import SecureMemory
import StrictJSON

enum JSONInput {
    /// The two readers of JSON accept the same objects, with the same members.
    static func read(_ bytes: [UInt8]) {
        let value = try? JSONValue(parsing: bytes)
        guard let text = try? JSONText(SecretBytes(copying: bytes)) else {
            if case .object = value { require(false, "JSONValue accepts an object that JSONText refuses") }
            return
        }
        guard case .object(let members) = value else {
            return require(false, "JSONText accepts an object that JSONValue refuses")
        }
        require(text.names == members.keys.sorted(), "the names differ")
        for (name, member) in members {
            if case .string(let string) = member {
                require(text.text(of: name) == string, "the texts of a member differ")
                let secret = SharedSecret(text.secret(of: name))
                let bytes = secret?.bytes.withBytes { [UInt8]($0) }
                require(bytes == Array(string.utf8), "the bytes of a member differ")
            }
            _ = (text.kind(of: name), text.bool(name), text.strings(name), text.isEmptyString(name))
            _ = text.object(name)
        }
    }
}
