import Cryptography
import Foundation
import JOSE
import KeyVault
import PINImages
import SecureMemory
import StrictJSON

/// Calls one hot function many times. `count.py` runs this under callgrind and counts the instructions of one call.
///
/// It has no concurrency, because callgrind does not follow it.
@main
struct Instructions {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let function = HotFunction(rawValue: arguments[1]), let calls = Int(arguments[2])
        else {
            print(HotFunction.allCases.map(\.rawValue).joined(separator: "\n"))
            return
        }
        let call = try function.prepared()
        for _ in 0..<calls { try call() }
    }
}

/// What is counted.
enum HotFunction: String, CaseIterable {
    case readRequest = "read-request"
    case readToken = "read-token"
    case verifyToken = "verify-token"
    case sealKeypad = "seal-keypad"
    case openKeypad = "open-keypad"
    case writeAnswer = "write-answer"
    case parseJWE = "parse-jwe"
    case openJWE = "open-jwe"
    case sealJWE = "seal-jwe"
    case drawImage = "draw-image"

    /// The function with its arguments. Making the arguments is not counted.
    func prepared() throws -> () throws -> Void {
        switch self {
        case .readRequest: { try read(Self.request, ["token", "signature", "pin"]) }
        case .readToken: { try read(Self.token, ["IdBEL", "IdPorteur", "IdTransaction", "Timestamp", "Type"]) }
        case .verifyToken: try verifying()
        case .sealKeypad, .openKeypad: try handingOutKeypads()
        case .writeAnswer: Self.writeAnswer
        case .parseJWE, .openJWE: try opening()
        case .sealJWE: try sealing()
        case .drawImage: try drawing()
        }
    }

    private func read(_ text: String, _ names: [String]) throws {
        let json = try JSONText(SecretBytes(copying: Array(text.utf8)))
        for name in names { _ = json.text(of: name) }
    }

    private static func writeAnswer() {
        _ = JSONWriter.object { json in
            json.add("errorCode", 0)
            json.add("errorMessage", "The operation was done")
            json.add("sessionId", session)
            json.add("pin", pin)
        }
    }

    /// Reads a token and verifies its signature.
    private func verifying() throws -> () throws -> Void {
        guard let der = Base64.decode(Self.tokenKey), let signature = Base64.decode(Self.tokenSignature) else {
            throw WrongResult()
        }
        let key = try RSAPublicKey(subjectPublicKeyInfo: der)
        return {
            try read(Self.token, ["IdBEL", "IdPorteur", "IdTransaction", "Timestamp", "Type"])
            guard key.isValidPKCS1SHA256(signature: signature, for: Array(Self.token.utf8)) else {
                throw WrongResult()
            }
        }
    }

    /// What a keypadId costs when it is given out, and when it comes back.
    private func handingOutKeypads() throws -> () throws -> Void {
        let keyring = try Self.keyring()
        let layout = SharedSecret(SecretBytes(copying: Array("00000000-3-1-4-5-9-2-6-8-7-0".utf8)))
        let place = SealedPlace("keypad", .keypads, row: "bank", "holder")
        let (opens, now) = (self == .openKeypad, Int64(1_790_000_000))
        let id = Base64URL.encode(try keyring.sealToHandOut(layout.bytes, for: place, at: now))
        return {
            guard opens else {
                return _ = Base64URL.encode(try keyring.sealToHandOut(layout.bytes, for: place, at: now))
            }
            _ = try keyring.openHandedOut(Base64URL.decode(id) ?? [], for: place)
        }
    }

    private static func keyring() throws -> Keyring {
        func key(_ id: Int32) -> Keyring.DataKey {
            Keyring.DataKey(id: id, key: SharedSecret(SecureRandom.secret(count: 32)), isActive: true)
        }
        let keys = Keyring.Purpose.allCases.map { ($0, [key(1)]) }
        return try Keyring(Keyring.Keys(Dictionary(uniqueKeysWithValues: keys)))
    }

    private func opening() throws -> () throws -> Void {
        let key = try P256PrivateKey.generate()
        let text = try JWE.seal(Array("8305            ".utf8), to: key.publicKey, keyID: "key", binding: Self.binding)
        let opens = self == .openJWE
        return {
            let jwe = try JWE(compact: text, for: .ecdhESA256KW)
            if opens { _ = try jwe.open(with: key) }
        }
    }

    private func sealing() throws -> () throws -> Void {
        let key = try P256PrivateKey.generate().publicKey
        let delivery = [UInt8](repeating: UInt8(ascii: " "), count: 12_000)
        return { _ = try JWE.seal(delivery, to: key, keyID: "key", binding: Self.binding) }
    }

    private func drawing() throws -> () throws -> Void {
        let renderer = try PINImageRenderer()
        let pin = SharedSecret(SecretBytes(copying: Array("4917".utf8)))
        return {
            var random = SameNumbers()
            _ = try renderer.captcha(of: pin.bytes, look: .standard, using: &random)
        }
    }

    private static let session = String(repeating: "s", count: 43)
    private static let pin = String(repeating: "p", count: 16_000)
    private static let binding = JWEBinding(contentType: "pin", issuer: "bank", subject: "holder", id: "request")
    private static let token = """
        {"IdBEL":"bank","IdFournisseur":"provider","IdPorteur":"holder","IdTransaction":"\
        6F9619FF-8B86-D011-B42D-00C04FC964FF","Timestamp":"1790000000","Type":"02"}
        """
    /// A key that is the same in each run: making one takes another number of instructions each time. Nobody has its private
    /// part.
    private static let tokenKey = """
        MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAtACPGuh4toyHQwT1pCCbPWSBc03K4cU8mLGiIOgCHHs8qOHdEbds01z9\
        jbfZ3eIOq5V6bqkkE82jlGP9SP13/6so/N8fu/GJJXsOUjiNQXqj0+v3kCmMaZwWZHuIMGR9y21SMmUJFTCgnWK0aQrY3FwC37SF\
        lT5odz91QDTf53F0Py43TQ2s8OdYMmwW+2SFQQQnWYU7wvQCOyP6tpUBfr28GwWXHhLEWcEOr9mxkOOmI4EqIjij4yA2u3ySu/ot\
        epy7EacO8bWolLmz9Iffso1OYatjeNTYBHkIkVTmdOzWnPCt3IwBv7Rb2Fzzaq49EvHGH+nUs91sIjqpU4T/gwIDAQAB
        """
    private static let tokenSignature = """
        oPl7z3ZzXE3nS6raoqVdzGW5KZRKLPbirHfJRbyRfyvSHLf4z64q0vI5HqS9B1cv4z3sDCYWhaabwFp4l7SiuCtduUF3uujXrvyl\
        9UxjWdHPDLo+qu8UixXbXf4adVWsK2rn+kxGMwv+PZ242PktvE55OQfiQbLKt8RHxfZWk8FBlq9z0Jm+UtUkxKw9SkItsGCDEDHx\
        KcktExwUIOnhakXOHujaWWUK/YjUIy1ean/AF88kQ/8icTF8w3ZA4nMxeruz56b5CoLBUvYpkTzciDKgEDzwhX6GzUvJe+R/pYHb\
        QP6SLK/NLgUYVX53E5urVrt4uhVwNN5CWYgeFgIFKw==
        """
    private static let request = """
        {"token":"\(token.replacing("\"", with: "\\\""))","signature":"\(String(repeating: "A", count: 344))",\
        "pin":"\(String(repeating: "B", count: 460))"}
        """
}

/// A function did not do what is counted.
struct WrongResult: Error {}

/// The same pseudo-random numbers in each run (SplitMix64).
private struct SameNumbers: RandomNumberGenerator {
    private var state: UInt64 = 4917

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
