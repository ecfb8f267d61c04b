import Foundation
import ServerHarness
import Testing

@Suite("Configuration")
struct ConfigurationTests {
    fileprivate func check(
        _ arguments: [String] = [], environment: [String: String] = [:]
    ) async throws -> CommandResult {
        // Not the machine's own data folder: somebody can have used it.
        let ownFolder = ["DATA_DIRECTORY": TestFolder.shared.unused("data")]
        return try await TestCommand.run(
            CardCompanionBinary.path, ["check-config"] + arguments, environment: ownFolder.merging(environment) { $1 })
    }

    @Test("An argument overrides the environment, and the environment overrides the file; each value's source is shown")
    func precedence() async throws {
        let file = try TestFolder.shared.write(
            #"{"http":{"port":1111,"host":"127.0.0.2"},"log":{"level":"debug"}}"#, named: "config.json")
        let result = try await check(
            ["--config", file, "--http-port", "3333"],
            environment: ["HTTP_PORT": "2222", "HTTP_HOST": "127.0.0.3"]
        ).succeeded()
        let lines = result.stdout.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
        #expect(lines.contains("http.port 3333 argument --http-port"))
        #expect(lines.contains("http.host 127.0.0.3 environment HTTP_HOST"))
        #expect(lines.contains("log.level debug file \(file)"))
    }

    @Test("All invalid settings are named in one message, and the exit status is 78")
    func problems() async throws {
        let file = try TestFolder.shared.write(#"{"http":{"prot":1}}"#, named: "config.json")
        let result = try await check(["--config", file], environment: ["HTTP_PORT": "many", "LOG_LEVEL": "loud"])
        #expect(result.status == 78)
        for text in ["http.prot", "HTTP_PORT", "LOG_LEVEL"] { #expect(result.stderr.contains(text)) }
    }

    @Test("The database password is not shown")
    func password() async throws {
        let result = try await check(environment: ["DATABASE_URL": "postgresql://u:canary-8151@localhost/x"])
        #expect(!(result.stdout + result.stderr).contains("canary-8151"))
    }

    @Test("HTTP without TLS is refused on a non-loopback address unless the operator allows it")
    func plain() async throws {
        #expect(try await check(["--http-host", "0.0.0.0"]).status == 78)
        #expect(try await check(["--http-host", "0.0.0.0", "--http-plain", "allowed"]).status == 0)
        #expect(try await check(["--http-tls-certificate", "a.pem"]).status == 78)
    }

    @Test("A vault file that others can read, or that does not match the database, is refused")
    func vault() async throws {
        let installation = try await TestInstallation()
        _ = try await installation.run(["server-key", "list"]).succeeded()
        let file = "\(installation.dataDirectory)/vault.key"
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
        let readable = try await installation.run(["server-key", "list"])
        #expect(readable.status == 78)
        #expect(readable.stderr.contains("0644"))

        let other = try await TestInstallation(isNew: true)
        _ = try await other.run(["server-key", "list"]).succeeded()
        let otherFile = "\(other.dataDirectory)/vault.key"
        let foreign = try await installation.run(["server-key", "list", "--vault-file", otherFile])
        #expect(foreign.status == 78)
        #expect(foreign.stderr.contains("another master key"))
    }

    @Test("If the database has keys, a vault file that does not exist is refused and not created")
    func missingVault() async throws {
        let installation = try await TestInstallation()
        _ = try await installation.run(["server-key", "list"]).succeeded()
        let mistyped = TestFolder.shared.unused("valut.key")
        let result = try await installation.run(["server-key", "list", "--vault-file", mistyped])
        #expect(result.status == 78)
        #expect(result.stderr.contains("\(mistyped) cannot be used: No such file"))
        #expect(!FileManager.default.fileExists(atPath: mistyped))
    }

    @Test(
        "A value of another JSON type in the configuration file is refused",
        arguments: [
            (#"{"http":{"port":true}}"#, "http.port"), (#"{"http":{"port":"8080"}}"#, "http.port"),
            (#"{"http":{"port":null}}"#, "http.port"), (#"{"http":{"port":[8080]}}"#, "http.port"),
            (#"{"http":{"port":8080.0}}"#, "http.port"), (#"{"http":{"host":1}}"#, "http.host"),
            (#"{"log":{"level":false}}"#, "log.level"), (#"{"http":{"host":["a"]}}"#, "http.host"),
        ])
    func types(json: String, key: String) async throws {
        let file = try TestFolder.shared.write(json, named: "config.json")
        let result = try await check(["--config", file])
        #expect(result.status == 78)
        #expect(result.stderr.contains("\(key) (file \(file)) must be"))
    }
}

extension ConfigurationTests {
    @Test("docs/configuration.md lists every setting with its default")
    func documentation() async throws {
        let answer = try await TestCommand.run(CardCompanionBinary.path, ["configuration", "--json"]).succeeded()
        let settings = try JSONDecoder().decode([[String: String]].self, from: Data(answer.stdout.utf8))
        let file = URL(filePath: #filePath).appending(path: "../../../../docs/configuration.md").standardizedFileURL
        let text = try String(contentsOf: file, encoding: .utf8)
        let table = text.components(separatedBy: "\n## Settings of a bank").first ?? ""
        let documented = table.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { row in
            row.split(separator: "|").prefix(2)
                .map { $0.replacing("`", with: "").trimmingCharacters(in: .whitespaces) }.joined(separator: ": ")
        }
        #expect(documented.sorted() == settings.map { "\($0["key"] ?? ""): \($0["default"] ?? "")" }.sorted())
    }

    @Test("A proxy that is not an address is refused, and the message names it")
    func proxies() async throws {
        let refused = try await check(["--http-proxies", "10.0.0.0/8, proxy.example"])
        #expect(refused.status == 78)
        #expect(refused.stderr.contains("http.proxies contains 'proxy.example'"))
        #expect(try await check(["--http-proxies", "10.0.0.0/8, 2001:db8::1"]).status == 0)
    }

    @Test(
        "A name that is not a host with or without a port is refused, and the message names it",
        arguments: [
            "https://pin.example.com", "pin.example.com/", "pin.example.com:", "pin.example.com:0", ":8443",
            "pin.example.com:65536", "pin.example.com:08443", "pin_1.example.com", "pin.example.com.", "[2001:db8::1]",
            "-pin.example.com", "pin..example.com", "bücher.example", "pin example.com", "192.0.2.256", "user@host",
            "*",
        ])
    func wrongName(name: String) async throws {
        let refused = try await check(["--http-names", "test.example.com, \(name)"])
        #expect(refused.status == 78)
        #expect(refused.stderr.contains("http.names contains '\(name)'"))
        #expect(refused.stderr.contains("pin.example.com:8443"))
    }

    @Test(
        "An origin that no browser would send is refused, and the message names it",
        arguments: [
            "*", "null", "app.mybank.example", "http://app.mybank.example", "https://", "https://app.mybank.example/",
            "https://App.mybank.example", "https://app.mybank.example:443", "https://user@app.mybank.example",
            "ftp://app.mybank.example",
            "https://*.mybank.example", "https://https://app.mybank.example", "http://localhost.mybank.example",
        ])
    func wrongOrigin(origin: String) async throws {
        let refused = try await check(["--http-origins", "https://one.mybank.example, \(origin)"])
        #expect(refused.status == 78)
        #expect(refused.stderr.contains("http.origins contains '\(origin)'"), "\(refused)")
    }

    @Test("A list with an empty place is refused", arguments: ["http.names", "http.proxies", "http.origins"])
    func emptyPlace(setting: String) async throws {
        let argument = "--" + setting.replacing(".", with: "-")
        for list in [",", "192.0.2.1,", "192.0.2.1,,192.0.2.2"] {
            let refused = try await check([argument, list])
            #expect(refused.status == 78)
            #expect(refused.stderr.contains("\(setting) contains ''"))
        }
    }

    @Test("check-config shows the names, and says what it means if there are none")
    func names() async throws {
        let named = try await check(["--http-names", "PIN.example.com:443, localhost,192.0.2.1:8443"])
        #expect(named.status == 0)
        let unnamed = try await check().succeeded()
        let row = unnamed.stdout.split(separator: "\n").first { $0.hasPrefix("http.names") }
        #expect(row?.contains("back-ends' calls are served to this machine only") == true)
    }
}
