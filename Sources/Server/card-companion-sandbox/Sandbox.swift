import Administration
import CardCompanion
import CardCompanionModel
import CardCompanionServer
import CardCompanionStore
import Cryptography
import Foundation
import Glibc
import HTTPSignatures
import JOSE
import KeyVault
import SecureMemory
import StrictJSON

/// A trial bank with keys, a certificate and cardholders, and files with the secrets of its back-end.
///
/// PINs are random and unknown. The files contain secrets of the sandbox: never use them elsewhere.
struct Sandbox: Sendable {
    static let bankId: Identifier = "SANDBOX"
    static let cardholders = ["alice", "bob", "carol"]

    private static let pinLength = 4
    private static let codeLength = 8
    private static let hmacKeyByteCount = 32
    private static let certificateAlias = "sandbox"
    private static let issuerKeyId = "sandbox-issuer"
    private static let validityDays: Int64 = 365
    private static let signingKeyBits = 2048
    static let issuerKeyFile = "issuer-key.pem"
    static let completionFile = "sandbox.json"
    static let hmacKeyFile = "hmac.hex"
    static let signingKeyFile = "signing-key.pem"
    static let signingCertificateFile = "signing-certificate.pem"
    static let encryptionKeyFile = "encryption-key.pem"
    /// What the sandbox's page may know of the bank.
    static let pageFile = "page.json"

    let directory: String

    /// Creates the sandbox if there is none. An unfinished one is created again.
    static func prepare(
        _ installation: Installation, in dataDirectory: String, keyring: Keyring, keys: ServerKeys
    ) async throws -> Sandbox {
        let sandbox = Sandbox(directory: "\(dataDirectory)/sandbox")
        let isThere = try await installation.store.bank(id: bankId) != nil
        let isComplete = [completionFile, issuerKeyFile, pageFile, encryptionKeyFile].allSatisfy {
            FileManager.default.fileExists(atPath: "\(sandbox.directory)/\($0)")
        }
        let isWhole = isThere && isComplete
        if isWhole, try await sandbox.hasDocuments(installation), try await sandbox.hasHost(installation) {
            return sandbox
        }
        try await AdminAction(command: "sandbox", bankId: bankId).recorded(in: installation.logger) {
            if !isWhole { try await sandbox.make(installation, keyring, keys) }
            if try await !sandbox.hasDocuments(installation) {
                try await sandbox.makeDocuments(installation, keyring)
            }
            if try await !sandbox.hasHost(installation) { try await sandbox.makeHost(installation, keyring) }
        }
        return sandbox
    }

    private func make(_ installation: Installation, _ keyring: Keyring, _ keys: ServerKeys) async throws {
        try makeDirectory()
        let bank = try await makeBank(installation)
        let issuerKeyId = try await makeKeys(installation, keyring)
        let codes = try await makeCardholders(installation, bank, keyring, keys)
        try writePage(codes)
        try writeDescription(codes, issuerKeyId: issuerKeyId)
    }

    /// Commands for a newcomer.
    func instructions(url: String) -> String {
        let program = URL(fileURLWithPath: CommandLine.arguments[0]).relativePath
        let app = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("sandbox-app").relativePath
        return """

            The server is running with the bank \(Self.bankId) and the cardholders \
            \(Self.cardholders.joined(separator: ", ")).

              see a PIN in your browser        \(url)/sandbox/
              read about the API               \(url)/docs

            Or in another terminal, in this folder:

              build a small app with the SDK (about two minutes)
                make app

              fetch alice's PIN as an image with it, and confirm that it was shown
                '\(app)' --url \(url) --sandbox '\(directory)' --cardholder alice --image pin.png

              the same with a signed token
                '\(app)' --url \(url) --sandbox '\(directory)' --cardholder bob --flow token --image pin.png

              the same with nothing but curl, openssl and jq
                sh examples/first-pin.sh \(url) '\(directory)' carol pin.png

              verify alice's made-up passport with a simulated chip
                '\(program)' show-document --url \(url) --sandbox '\(directory)' --cardholder alice

              what the bank's back-end does: provision, change, import, read events
                sh examples/bank.sh \(url) '\(directory)'

            Stop the server with Ctrl-C.

            """
    }

    private func makeDirectory() throws {
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    private func makeBank(_ installation: Installation) async throws -> IssuerBank {
        var settings = BankSettings(name: "Sandbox", programme: Self.bankId.text, scheme: .pciCPP)
        settings.retention = .keepRepeat
        settings.reminders = true
        settings.fetchLimit = 100
        settings.definitionsPerDay = 100
        settings.hints = Set(RequestHint.allCases)
        settings.textPINs = true
        let now = installation.clock.now()
        let policy = BankPolicy(Self.bankId, settings, .active)
        if try await installation.store.bank(id: Self.bankId) == nil {
            try await installation.adding(InventoryObject(policy)) { [settings] in
                _ = try await installation.store.insertBank(id: Self.bankId, settings: settings, now: now)
            }
        }
        return try await installation.issuerBank(Self.bankId)
    }

    /// Creates the bank's keys. Returns the name of the one that signs its calls.
    private func makeKeys(_ installation: Installation, _ keyring: Keyring) async throws -> String {
        let now = installation.clock.now()
        var hex = SecretBuffer()
        hex.appendHex(SecureRandom.secret(count: Self.hmacKeyByteCount))
        let hexKey = hex.finish()
        let key = try HMACKeyImport(hex: hexKey)
        let object = key.object(bankId: Self.bankId, label: key.kcv, usage: .both)
        try await installation.adding(object) {
            _ = try await key.add(
                to: Self.bankId, label: key.kcv, usage: .both, in: installation.store, keyring: keyring, now: now)
        }
        try write(hexKey, to: Self.hmacKeyFile)

        let authority = try certificateAuthority(at: now)
        try await makeCertificate(installation, .signature, "signing", authority, now)
        try await makeCertificate(installation, .encryption, "encryption", authority, now)
        try write(SecretBytes(copying: Array(authority.certificate.pem().utf8)), to: "ca.pem")
        return try await makeIssuerKey(installation, keyring, now)
    }

    /// Creates a key and its certificate, and writes both to files.
    private func makeCertificate(
        _ installation: Installation, _ purpose: CertificatePurpose, _ name: String, _ authority: CertificateAuthority,
        _ now: Timestamp
    ) async throws {
        let key = try RSAPrivateKey.generate(bits: Self.signingKeyBits)
        var request = request("Sandbox \(name)", at: now)
        if purpose == .encryption { request.keyUsage = .keyEncipherment }
        let certificate = try authority.issue(request, for: key.publicKey)
        // A sandbox that is created again keeps the old certificates, so each has its own alias.
        let alias = "\(Self.certificateAlias)-\(name)-\(now.seconds)"
        let checked = try CertificateImport(
            pem: Array(certificate.pem().utf8), trustedCAs: Array(authority.certificate.pem().utf8), alias: alias,
            purpose: purpose, isDefault: true, now: now)
        // Those that were the default before stay in the inventory, and the database no longer has them so.
        try await installation.adding(InventoryObject(checked.record, of: Self.bankId)) {
            _ = try await installation.store.insertCertificate(bankId: Self.bankId, checked.record)
        }
        try write(try key.pem(), to: "\(name)-key.pem")
        try write(SecretBytes(copying: Array(certificate.pem().utf8)), to: "\(name)-certificate.pem")
    }

    /// Creates the key that signs the bank's calls. Returns its name.
    private func makeIssuerKey(_ installation: Installation, _ keyring: Keyring, _ now: Timestamp) async throws
        -> String
    {
        let key = try Ed25519PrivateKey.generate()
        // A sandbox that is created again has another key with another name.
        let name = "\(Self.issuerKeyId)-\(now.seconds)"
        let record = try IssuerKeyRegistration.publicKey(
            pem: Array(key.publicKey.pem().utf8), algorithm: .ed25519, keyId: name, bankId: Self.bankId, now: now)
        try await installation.adding(InventoryObject(record, keyring: keyring)) {
            _ = try await installation.store.insertIssuerKey(record)
        }
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

    /// Imports the cardholders, as a bank would. Returns their codes.
    private func makeCardholders(
        _ installation: Installation, _ bank: IssuerBank, _ keyring: Keyring, _ keys: ServerKeys
    ) async throws -> [String: SharedSecret] {
        guard let sealingKey = keys.published.keys.first, case .ec(let publicKey) = sealingKey.publicKey else {
            throw CommandError.unavailable("the server has no EC key")
        }
        var codes: [String: SharedSecret] = [:]
        var lines = ""
        for uniqueId in Self.cardholders {
            let code = SharedSecret(Self.randomDigits(Self.codeLength))
            codes[uniqueId] = code
            func binding(_ contentType: String) -> JWEBinding {
                JWEBinding(contentType: contentType, issuer: bank.id.text, subject: uniqueId)
            }
            lines += try Terminal.encode([
                "uniqueId": uniqueId,
                "authenticationCode": try JWE.seal(
                    code.bytes, to: publicKey, keyID: sealingKey.keyID, binding: binding("authenticationCode")),
                "pin": try JWE.seal(
                    Self.randomDigits(Self.pinLength), to: publicKey, keyID: sealingKey.keyID,
                    binding: binding("pin")),
                "freeField": "Welcome to the sandbox, \(uniqueId)",
            ])
            lines += "\n"
        }
        var chunks = [SharedSecret(SecretBytes(copying: Array(lines.utf8)))]
        var cardholders = CardholderImport(
            bank: bank,
            provisioning: Provisioning(
                bank: bank, keyring: keyring, serverKeys: keys,
                countedObjects: CountedObjects(
                    store: installation.store, keyring: keyring,
                    inventory: installation.dataKeys(of: installation.vaults.vault()).inventory,
                    logger: installation.logger)),
            actor: AdminAction.actor, store: installation.store, clock: installation.clock, parallelism: 1)
        try await cardholders.run {
            chunks.popLast()
        } report: { results, _ in
            for case .refused(let refusal) in results.map(\.outcome) {
                throw CommandError.refused("a cardholder of the sandbox was refused: \(refusal)")
            }
        }
        return codes
    }

    private func writePage(_ codes: [String: SharedSecret]) throws {
        let json = JSONWriter.object { json in
            json.add("bankId", Self.bankId.text)
            json.add(
                "cardholders",
                array: { cardholders in
                    for uniqueId in Self.cardholders {
                        cardholders.add { json in
                            json.add("uniqueId", uniqueId)
                            if let code = codes[uniqueId] { json.add("code", utf8: code.bytes) }
                        }
                    }
                })
        }
        try write(json, to: Self.pageFile)
    }

    /// Written last: if this file exists, the sandbox is complete.
    private func writeDescription(_ codes: [String: SharedSecret], issuerKeyId: String) throws {
        let json = JSONWriter.object { json in
            json.add("bankId", Self.bankId.text)
            json.add("issuerKeyId", issuerKeyId)
            json.add(
                "authenticationCodes",
                object: { members in
                    for (uniqueId, code) in codes.sorted(by: { $0.key < $1.key }) {
                        members.add(uniqueId, utf8: code.bytes)
                    }
                })
        }
        try write(json, to: Self.completionFile)
    }

    private static func randomDigits(_ count: Int) -> SecretBytes {
        SecretBytes(count: count) { buffer in
            var random = SystemRandomNumberGenerator()
            for index in buffer.indices { buffer[index] = UInt8.random(in: 0x30...0x39, using: &random) }
        }
    }

    /// Writes a file that takes the place of an older one at once: a reader sees either, and nothing between.
    func replace(_ name: String, with contents: borrowing SecretBytes) throws {
        let draft = "\(name).new"
        try write(contents, to: draft)
        guard rename("\(directory)/\(draft)", "\(directory)/\(name)") == 0 else {
            throw CommandError.refused("\(directory)/\(name): \(String(cString: strerror(errno)))")
        }
    }

    /// Writes a file that only this user can read.
    func write(_ contents: borrowing SecretBytes, to name: String) throws {
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
