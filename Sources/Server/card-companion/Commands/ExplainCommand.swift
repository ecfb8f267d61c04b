import Administration
import ArgumentParser
import CardCompanion
import CardCompanionModel
import CardCompanionServer
import Foundation
import HTTPSignatures
import SecureMemory

struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Shows which bytes of a message are authenticated, and why it is refused.",
        discussion: "It needs no server and no database. With a key it can check more.",
        subcommands: [HMAC.self, Token.self, Signature.self, JWE.self])

    struct Options: ParsableArguments {
        @Option(help: "The time of the check, in Unix seconds. Default: now.")
        var now: Int64?
        @Option(help: "The bank's tolerance in seconds.")
        var tolerance = 300
        @OptionGroup var output: OutputOptions

        var time: Int64 { now ?? WallClock.system.now().seconds }

        /// Shows the explanation. If something is refused, the exit status is 1.
        func show(_ explanation: Explanation) throws {
            let marks: [Explanation.Finding.Verdict: String] = [.good: "ok ", .bad: "BAD", .note: "   "]
            let lines = explanation.findings.map { finding in
                "\(marks[finding.verdict] ?? "") \(finding.subject): "
                    + finding.text.replacing("\n", with: "\n      ")
            }
            let rows = explanation.findings.map {
                ["verdict": $0.verdict.rawValue, "subject": $0.subject, "text": $0.text]
            }
            try Terminal.show(lines.joined(separator: "\n"), json: rows, asJSON: output.json)
            guard explanation.isGood else { throw ExitCode(1) }
        }
    }

    struct HMAC: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "hmac", abstract: "Explains a hashMac.",
            discussion: """
                EXAMPLE
                  card-companion explain hmac --bank MYBANK --cardholder 4711 \\
                      --timestamp 1767225600 --hash-mac 3f2a… --hex-file hmac.hex
                """)

        @Option(help: "bankId.")
        var bank: String
        @Option(help: "uniqueId.")
        var cardholder: String
        @Option(help: "timestamp.")
        var timestamp: String
        // A digest can begin with "-".
        @Option(
            parsing: .unconditional,
            help: "The digest that the hashMac is bound to, if it is: 43 characters of base64url.")
        var binding: String?
        @Option(help: "hashMac.")
        var hashMac: String?
        @Option(help: "A file that contains the bank's key in hex.")
        var hexFile: String?
        @OptionGroup var options: Options

        func run() throws {
            let key = try hexFile.map { SharedSecret(try InputFile.readSecret($0, byteLimit: 1024)) }
            let request = Explanation.HMACRequest(
                bankId: bank, uniqueId: cardholder, timestamp: timestamp, binding: binding, hashMac: hashMac)
            try options.show(
                .hmac(request, hexKey: key, now: options.time, toleranceSeconds: options.tolerance))
        }
    }

    struct Token: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "token",
            abstract: "Explains a token and its signature.",
            discussion: """
                The token's file must contain the JSON text itself, not escaped. An authentication code in it is not \
                shown.

                EXAMPLE
                  card-companion explain token token.json --signature-file signature.b64 \\
                      --certificate signing.pem
                """)

        @Argument(help: "A file that contains the token; - is standard input.")
        var file: String
        @Option(help: "A file that contains the signature in base64.")
        var signatureFile: String?
        @Option(help: "PEM file of the certificate.")
        var certificate: String?
        @Option(help: "The digest that Binding must be: 43 characters of base64url.")
        var binding: String?
        @OptionGroup var options: Options

        func run() throws {
            let token = try InputFile.readPersonal(file, byteLimit: InputFile.messageByteLimit)
            let signature = try signatureFile.map { try InputFile.readText($0) }
            let pem = try certificate.map { try InputFile.read($0, byteLimit: InputFile.certificateByteLimit) }
            try options.show(
                .token(
                    token, signature: signature, certificate: pem, now: options.time, binding: binding,
                    toleranceSeconds: options.tolerance))
        }
    }

    struct Signature: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "signature",
            abstract: "Explains the signature of an HTTP request (RFC 9421) and its content digest (RFC 9530).",
            discussion: """
                The file must contain the request as it was sent: the request line, the header fields, an empty line, \
                the body.

                EXAMPLE
                  card-companion explain signature request.http --authority pin.example.com \\
                      --algorithm ed25519 --public-key bank.pem
                """)

        @Argument(help: "A file that contains the request; - is standard input.")
        var file: String
        @Option(help: "A name of the server, as in http.names; can be repeated. Default: the request's Host field.")
        var authority: [Authority] = []
        @Option(help: "The key's algorithm, such as ecdsa-p256-sha256.")
        var algorithm: SignatureAlgorithm?
        @Option(help: "PEM file of the public key.")
        var publicKey: String?
        @Option(help: "A file that contains the shared secret in hex, for hmac-sha256.")
        var hexFile: String?
        @OptionGroup var options: Options

        func run() throws {
            let bytes = try InputFile.read(file, byteLimit: InputFile.messageByteLimit)
            guard let request = Explanation.HTTPRequestText(bytes) else {
                throw CommandError.badInput("\(file) must start with a request line")
            }
            try options.show(.signature(of: request, names: authority, key: try key(), now: options.time))
        }

        private func key() throws -> VerificationKey? {
            guard publicKey != nil || hexFile != nil else { return nil }
            guard let algorithm else {
                throw CommandError.badInput("--algorithm is missing: name the key's algorithm")
            }
            do {
                if let publicKey {
                    let pem = try InputFile.read(publicKey, byteLimit: InputFile.certificateByteLimit)
                    return try VerificationKey(algorithm, pem: pem)
                }
                guard let hexFile, algorithm == .hmacSHA256 else {
                    throw CommandError.badInput("--hex-file is for hmac-sha256")
                }
                return .hmacSHA256(try HMACKey(try InputFile.readHex(hexFile)))
            } catch let error as SignatureError {
                throw CommandError.badInput("\(error)")
            }
        }
    }

    struct JWE: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "jwe", abstract: "Explains what can be read of a sealed value without a private key.",
            discussion: """
                EXAMPLE
                  curl -s https://pin.example.com/.well-known/jwks.json > jwks.json
                  card-companion explain jwe pin.jwe --key-set jwks.json
                """)

        @Argument(help: "A file that contains the JWE; - is standard input.")
        var file: String
        @Option(help: "A file with the server's key set.")
        var keySet: String?
        @OptionGroup var options: Options

        func run() throws {
            let text = try InputFile.readText(file)
            let set = try keySet.map { try InputFile.read($0, byteLimit: InputFile.messageByteLimit) }
            try options.show(.jwe(text, keySet: set))
        }
    }
}
