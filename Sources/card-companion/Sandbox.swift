import CardCompanion
import CardCompanionStore
import Cryptography
import Foundation
import Glibc
import HTTPSignatures
import JOSE
import KeyVault
import SecureMemory

/// A bank for trying: with keys, a certificate and cardholders, made once, and files with what its back-end would hold.
///
/// PINs are drawn at random and known to nobody. The files are the sandbox's own secrets: never use them elsewhere.
struct Sandbox: Sendable {
    static let bankId = "SANDBOX"
    static let cardholders = ["alice", "bob", "carol"]

    private static let pinLength = 4
    private static let codeLength = 8
    private static let hmacKeyByteCount = 32
    private static let certificateAlias = "sandbox"
    private static let issuerKeyId = "sandbox-issuer"
    private static let validityDays: Int64 = 365
    private static let signingKeyBits = 2048
    private static let issuerKeyFile = "issuer-key.pem"
    private static let completionFile = "sandbox.json"

    /// The folder of the files.
    let directory: String

    /// Makes the sandbox where there is none; one that was begun and not finished is made anew.
    static func prepare(_ installation: Installation, keyring: Keyring, keys: ServerKeys) async throws -> Sandbox {
        let sandbox = Sandbox(directory: "\(installation.settings.dataDirectory)/sandbox")
        let isThere = try await installation.store.bank(id: bankId) != nil
        // An older release's sandbox has no issuer key.
        let isComplete = [completionFile, issuerKeyFile].allSatisfy {
            FileManager.default.fileExists(atPath: "\(sandbox.directory)/\($0)")
        }
        guard !(isThere && isComplete) else { return sandbox }
        try sandbox.makeDirectory()
        let bank = try await sandbox.makeBank(installation)
        let issuerKeyId = try await sandbox.makeKeys(installation, keyring)
        let codes = try await sandbox.makeCardholders(installation, bank, keyring, keys)
        try sandbox.writeDescription(codes, issuerKeyId: issuerKeyId)
        return sandbox
    }

    /// What a newcomer pastes.
    func instructions(url: String) -> String {
        let app = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("sandbox-app").relativePath
        return """

            The server is running at \(url) with the bank \(Self.bankId) and the cardholders \
            \(Self.cardholders.joined(separator: ", ")).
            In another terminal, in this folder:

              fetch alice's PIN as an image with the SDK, and confirm that it was shown
                '\(app)' --url \(url) --sandbox '\(directory)' --cardholder alice --image pin.png

              the same with a signed token
                '\(app)' --url \(url) --sandbox '\(directory)' --cardholder bob --flow token --image pin.png

              the same with nothing but curl, openssl and jq
                sh examples/first-pin.sh \(url) '\(directory)' carol pin.png

              what the bank's back-end does: provision, change, import, read events
                sh examples/bank.sh \(url) '\(directory)'

            Stop the server with Ctrl-C.

            """
    }

    private func makeDirectory() throws {
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    private func makeBank(_ installation: Installation) async throws -> BankRecord {
        var settings = BankSettings(name: "Sandbox", programme: Self.bankId, scheme: .pciCPP)
        settings.retention = .keepRepeat
        settings.reminders = true
        settings.fetchLimit = 100
        settings.definitionsPerDay = 100
        let now = installation.clock.now()
        _ = try await installation.store.insertBank(id: Self.bankId, settings: settings, now: now)
        return try await installation.bank(Self.bankId)
    }

    /// Makes the bank's keys; returns the name of the one that its back-end signs its calls with.
    private func makeKeys(_ installation: Installation, _ keyring: Keyring) async throws -> String {
        let now = installation.clock.now()
        var hex = SecretBuffer()
        hex.appendHex(SecureRandom.secret(count: Self.hmacKeyByteCount))
        let hexKey = hex.finish()
        let key = try HMACKeyImport(hex: hexKey)
        _ = try await key.add(
            to: Self.bankId, label: key.kcv, in: installation.store, keyring: keyring, now: now)
        try write(hexKey, to: "hmac.hex")

        let authority = try certificateAuthority(at: now)
        let signingKey = try RSAPrivateKey.generate(bits: Self.signingKeyBits)
        let certificate = try authority.issue(request("Sandbox signing", at: now), for: signingKey.publicKey)
        // A sandbox that is made anew keeps the old certificates: each has an alias of its own.
        let alias = "\(Self.certificateAlias)-\(now.seconds)"
        let checked = try CertificateImport(
            pem: Array(certificate.pem().utf8), trustedCAs: Array(authority.certificate.pem().utf8), alias: alias,
            isDefault: true, now: now)
        _ = try await installation.store.insertCertificate(bankId: Self.bankId, checked.record)
        try write(try signingKey.pem(), to: "signing-key.pem")
        try write(SecretBytes(copying: Array(certificate.pem().utf8)), to: "signing-certificate.pem")
        try write(SecretBytes(copying: Array(authority.certificate.pem().utf8)), to: "ca.pem")
        return try await makeIssuerKey(installation, now)
    }

    /// What the bank's back-end signs its calls with; returns its name.
    private func makeIssuerKey(_ installation: Installation, _ now: Timestamp) async throws -> String {
        let key = try Ed25519PrivateKey.generate()
        // A sandbox that is made anew has another key under another name.
        let name = "\(Self.issuerKeyId)-\(now.seconds)"
        let record = try IssuerKeyRegistration.publicKey(
            pem: Array(key.publicKey.pem().utf8), algorithm: .ed25519, keyId: name, bankId: Self.bankId, now: now)
        _ = try await installation.store.insertIssuerKey(record)
        try write(try key.pem(), to: Self.issuerKeyFile)
        return name
    }

    private func certificateAuthority(at now: Timestamp) throws -> CertificateAuthority {
        var request = request("Sandbox CA", at: now)
        request.keyUsage = .certificateSigning
        return try CertificateAuthority(
            selfSigned: request, key: try RSAPrivateKey.generate(bits: Self.signingKeyBits))
    }

    private func request(_ name: String, at now: Timestamp) -> CertificateAuthority.Request {
        CertificateAuthority.Request(
            commonName: name, notBefore: now.seconds - 3600, notAfter: now.seconds + Self.validityDays * 86_400)
    }

    /// Provisions the cardholders as a bank would, through lines of an import; returns their codes.
    private func makeCardholders(
        _ installation: Installation, _ bank: BankRecord, _ keyring: Keyring, _ keys: ServerKeys
    ) async throws -> [String: SharedSecret] {
        guard let sealingKey = keys.published.keys.first, case .ec(let publicKey) = sealingKey.publicKey else {
            throw CommandError.unavailable("the server has no EC key")
        }
        let provisioning = Provisioning(bank: bank, keyring: keyring, serverKeys: keys)
        var cardholders = CardholderImport(
            bankId: bank.id, provisioning: provisioning, store: installation.store, clock: installation.clock,
            parallelism: 1)
        var codes: [String: SharedSecret] = [:]
        for uniqueId in Self.cardholders {
            let code = SharedSecret(Self.randomDigits(Self.codeLength))
            codes[uniqueId] = code
            let line = [
                "uniqueId": uniqueId,
                "authenticationCode": try JWE.seal(code.bytes, to: publicKey, keyID: sealingKey.keyID),
                "pin": try JWE.seal(Self.randomDigits(Self.pinLength), to: publicKey, keyID: sealingKey.keyID),
                "freeField": "Welcome to the sandbox, \(uniqueId)",
            ]
            let text = SharedSecret(SecretBytes(copying: Array(try Terminal.encode(line).utf8)))
            _ = try await cardholders.add(.whole(text))
        }
        _ = try await cardholders.finish()
        _ = try await cardholders.merge()
        return codes
    }

    /// Written last: where it stands, the sandbox is complete.
    private func writeDescription(_ codes: [String: SharedSecret], issuerKeyId: String) throws {
        var json = SecretBuffer()
        json.append(#"{"bankId":"\#(Self.bankId)","issuerKeyId":"\#(issuerKeyId)","authenticationCodes":{"#)
        for (index, uniqueId) in Self.cardholders.enumerated() {
            guard let code = codes[uniqueId] else { continue }
            json.append(#"\#(index == 0 ? "" : ",")"\#(uniqueId)":""#)
            json.append(code.bytes)
            json.append(#"""#)
        }
        json.append("}}\n")
        try write(json.finish(), to: Self.completionFile)
    }

    private static func randomDigits(_ count: Int) -> SecretBytes {
        SecretBytes(count: count) { buffer in
            var random = SystemRandomNumberGenerator()
            for index in buffer.indices { buffer[index] = UInt8.random(in: 0x30...0x39, using: &random) }
        }
    }

    /// Writes a file that only this user can read.
    private func write(_ contents: borrowing SecretBytes, to name: String) throws {
        let path = "\(directory)/\(name)"
        unlink(path)
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw CommandError.refused("\(path): \(String(cString: strerror(errno)))") }
        defer { close(file) }
        let written = contents.withBytes { Glibc.write(file, $0.baseAddress, $0.count) }
        guard written == contents.count else {
            throw CommandError.refused("\(path): \(String(cString: strerror(errno)))")
        }
    }
}
