import Foundation
import Testing

/// Python's jwcrypto and cryptography, as an independent implementation of JOSE.
enum Oracle {
    /// The interpreter in `CARD_COMPANION_PYTHON`, else the one in `.venv` in the package's root.
    private static let interpreter: String? = {
        if let named = ProcessInfo.processInfo.environment["CARD_COMPANION_PYTHON"] { return named }
        let root = URL(filePath: #filePath).appending(path: "../../../../..").standardized
        let path = root.appending(path: ".venv/bin/python3").path
        return FileManager.default.isExecutableFile(atPath: path) ? path : nil
    }()

    static let isThere = interpreter != nil
    static let wanted: Comment = "no Python with jwcrypto: set CARD_COMPANION_PYTHON, or create .venv in the root"

    /// Runs a function of the script below. It waits on a thread of its own, because Swift's pool has few.
    static func run(_ operation: String, _ arguments: [String: String]) async throws -> [String: String] {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try runHere(operation, arguments) })
            }
        }
    }

    /// As ``run(_:_:)``, on this thread.
    static func runHere(_ operation: String, _ arguments: [String: String]) throws -> [String: String] {
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = URL(filePath: try #require(interpreter))
        process.arguments = ["-c", script, operation]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: JSONEncoder().encode(arguments))
        try input.fileHandleForWriting.close()
        let answer = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return try JSONDecoder().decode([String: String].self, from: answer)
    }

    private static let script = """
        import datetime, json, sys
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec
        from jwcrypto import jwe, jwk

        def seal(plaintext, alg, spki, **more):
            pem = "-----BEGIN PUBLIC KEY-----\\n" + spki + "\\n-----END PUBLIC KEY-----\\n"
            header = json.dumps({"alg": alg, "enc": "A256GCM", **more})
            sealed = jwe.JWE(plaintext.encode(), header, recipient=jwk.JWK.from_pem(pem.encode()))
            return {"jwe": sealed.serialize(compact=True)}

        def open(sealed, key):
            opened = jwe.JWE()
            opened.deserialize(sealed, key=jwk.JWK.from_json(key))
            return {"plaintext": opened.payload.decode(), "header": json.dumps(opened.jose_header)}

        def key(kty, kid, **more):
            made = jwk.JWK.generate(kty=kty, kid=kid, **{name: int(v) if v.isdigit() else v for name, v in more.items()})
            return {"private": made.export(), "public": made.export_public(), "thumbprint": made.thumbprint()}

        def certificate():
            made = ec.generate_private_key(ec.SECP256R1())
            name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
            now = datetime.datetime.now(datetime.timezone.utc)
            day = datetime.timedelta(days=1)
            signed = (
                x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(made.public_key())
                .serial_number(1).not_valid_before(now - day).not_valid_after(now + day)
                .sign(made, hashes.SHA256()))
            pem = serialization.Encoding.PEM
            pkcs8 = made.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
            return {"certificate": signed.public_bytes(pem).decode(), "key": pkcs8.decode()}

        print(json.dumps(globals()[sys.argv[1]](**json.load(sys.stdin))))
        """
}
