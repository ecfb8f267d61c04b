internal import Foundation

/// A token of SoftHSM, behind a module of our own that can fail as an HSM can.
package struct TestVaultToken: Sendable {
    /// How the module behaves.
    package enum Behavior: String {
        case well = ""
        /// The token was pulled out.
        case gone
        /// The token seems to have no objects, and makes none, as when the files of SoftHSM are gone.
        case empty
        /// Calls do not return.
        case hang
        /// The token says that it locks its PIN at the next wrong one.
        case finalTry = "final-try"
        case locked
        /// The token takes an IV of its own choice.
        case ownIV = "own-iv"
        /// The token does not know CKA_COPYABLE.
        case old
    }

    /// The module in front of SoftHSM's.
    package let modulePath: String
    package let label: String
    package let pin = "135790"
    package let pinFile: String
    private let softHSM: SoftHSM
    private let behaviorFile: String

    /// Initializes a token.
    package init(_ label: String = "cards") async throws {
        try await self.init(label, in: try SoftHSM())
    }

    /// Initializes a token of an installation that has others.
    package init(_ label: String, beside other: TestVaultToken) async throws {
        try await self.init(label, in: other.softHSM)
    }

    /// A copy of the token as it is now, with its keys.
    package func copy() throws -> TestVaultToken { TestVaultToken(self, in: try softHSM.copy()) }

    private init(_ other: TestVaultToken, in softHSM: SoftHSM) {
        self.softHSM = softHSM
        behaviorFile = softHSM.behaviorFile
        (modulePath, label, pinFile) = (other.modulePath, other.label, other.pinFile)
    }

    private init(_ label: String, in softHSM: SoftHSM) async throws {
        self.label = label
        self.softHSM = softHSM
        modulePath = try await FaultyModule.path.value
        pinFile = try TestFolder.shared.write("\(pin)\n", named: "pin")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: pinFile)
        behaviorFile = softHSM.behaviorFile
        try await softHSM.initializeToken(label, pin: pin)
    }

    /// What programs need to use the token as their vault.
    ///
    /// - Parameter hasPIN: whether the PIN's file is among the settings.
    package func environment(hasPIN: Bool = true) -> [String: String] {
        var environment = moduleEnvironment
        environment["VAULT_MODULE"] = modulePath
        environment["VAULT_TOKEN"] = label
        environment["VAULT_PIN_FILE"] = hasPIN ? pinFile : nil
        return environment
    }

    /// SoftHSM's own module.
    package var softHSMModulePath: String { SoftHSM.modulePath }

    /// What the module itself needs.
    package var moduleEnvironment: [String: String] {
        [
            "SOFTHSM2_CONF": softHSM.configurationFile, "FAULTY_PKCS11_MODULE": SoftHSM.modulePath,
            "FAULTY_PKCS11_BEHAVIOR": behaviorFile,
        ]
    }

    /// Changes how the module behaves, also in running programs. All tokens of the installation behave the same.
    package func behave(_ behavior: Behavior) throws {
        try behavior.rawValue.write(toFile: behaviorFile, atomically: true, encoding: .utf8)
    }

    /// How often programs have tried to log in.
    package var logInCount: Int {
        ((try? String(contentsOfFile: "\(behaviorFile).logins", encoding: .utf8)) ?? "").count
    }

    /// How often programs have asked for a new key pair.
    package var keyPairCount: Int {
        ((try? String(contentsOfFile: "\(behaviorFile).keypairs", encoding: .utf8)) ?? "").count
    }

    /// How often programs have ended their use of the module.
    package var finalizeCount: Int {
        ((try? String(contentsOfFile: "\(behaviorFile).finalized", encoding: .utf8)) ?? "").count
    }

    /// Destroys the token with all its keys.
    package func destroy() async throws {
        try await softHSM.deleteToken(label)
    }
}

/// An installation of SoftHSM with its own tokens.
private struct SoftHSM: Sendable {
    let configurationFile: String
    let behaviorFile: String

    static let modulePath: String = {
        let places = ["/usr/lib/softhsm", "/usr/lib/x86_64-linux-gnu/softhsm", "/usr/lib/aarch64-linux-gnu/softhsm"]
        return places.map { "\($0)/libsofthsm2.so" }.first { FileManager.default.fileExists(atPath: $0) } ?? ""
    }()

    private let folder: String

    init() throws {
        let folder = TestFolder.shared.unused("tokens")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try self.init(folder)
    }

    private init(_ folder: String) throws {
        self.folder = folder
        configurationFile = try TestFolder.shared.write(
            "directories.tokendir = \(folder)\nobjectstore.backend = file\nlog.level = ERROR\nslots.removable = false\n",
            named: "softhsm2.conf")
        behaviorFile = try TestFolder.shared.write("", named: "behavior")
    }

    func copy() throws -> SoftHSM {
        let folder = TestFolder.shared.unused("tokens")
        try FileManager.default.copyItem(atPath: self.folder, toPath: folder)
        return try SoftHSM(folder)
    }

    func initializeToken(_ label: String, pin: String) async throws {
        try await run(["--init-token", "--free", "--label", label, "--pin", pin, "--so-pin", "24681012"])
    }

    func deleteToken(_ label: String) async throws {
        try await run(["--delete-token", "--token", label])
    }

    private func run(_ arguments: [String]) async throws {
        try await TestCommand.run(
            "softhsm2-util", arguments, environment: ["SOFTHSM2_CONF": configurationFile, "HOME": "/tmp"]
        ).succeeded()
    }
}
