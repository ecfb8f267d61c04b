import Crypto
import Foundation
import ServerHarness

/// The encodings in which a secret could leak.
enum Forms {
    /// The secret unencoded, in hex, in UTF-16, and in base64 at each offset within a longer text.
    static func plain(_ name: String, _ secret: [UInt8]) -> [Needle] {
        let utf16: [UInt8] = secret.flatMap { [$0, 0] as [UInt8] }
        return [
            Needle("\(name), in clear", secret), Needle("\(name), in hex", Hex.encode(secret)),
            Needle("\(name), in upper-case hex", Hex.encode(secret).uppercased()),
            Needle("\(name), in UTF-16", utf16.dropLast()),
        ].filter { needle in
            // A random key can begin with zeros, and a search cannot.
            needle.bytes.prefix(4).contains { $0 != 0 }
        } + (0..<3).flatMap { base64(name, secret, offset: $0) }
    }

    /// The same for a text.
    static func plain(_ name: String, _ secret: String) -> [Needle] { plain(name, Array(secret.utf8)) }

    /// Unkeyed digests of a secret. With such a digest, an attacker could find a PIN by trying all PINs.
    static func digests(_ name: String, _ secret: String) -> [Needle] {
        let data = Data(secret.utf8)
        let digests: [(name: String, bytes: [UInt8])] = [
            ("MD5", Array(Insecure.MD5.hash(data: data))), ("SHA-1", Array(Insecure.SHA1.hash(data: data))),
            ("SHA-256", Array(SHA256.hash(data: data))), ("SHA-512", Array(SHA512.hash(data: data))),
        ]
        return digests.flatMap { digest in
            [
                Needle("\(digest.name) of \(name)", digest.bytes),
                Needle("\(digest.name) of \(name), in hex", Hex.encode(digest.bytes)),
                Needle(
                    "\(digest.name) of \(name), in base64", Data(digest.bytes).base64EncodedString().dropLast(3).utf8),
            ]
        }
    }

    /// The part of the secret's base64 that does not depend on neighbouring bytes, if `offset` bytes of its first group of
    /// three come before it.
    private static func base64(_ name: String, _ secret: [UInt8], offset: Int) -> [Needle] {
        let padded = [UInt8](repeating: 0, count: offset) + secret
        let whole = Data(padded.prefix(padded.count / 3 * 3)).base64EncodedString()
        let text = String(whole.dropFirst(offset == 0 ? 0 : 4))
        let url = text.replacing("+", with: "-").replacing("/", with: "_")
        return [Needle("\(name), in base64 at \(offset)", text)]
            + (url == text ? [] : [Needle("\(name), in base64url at \(offset)", url)])
    }
}
