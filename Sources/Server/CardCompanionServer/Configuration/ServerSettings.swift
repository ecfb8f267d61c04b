internal import Administration
internal import CardCompanion
package import CardCompanionHTTP
internal import Foundation
internal import Glibc
internal import HTTPSignatures
internal import Logging

/// Where the database is. It can contain a password, so it has no description.
package struct DatabaseURL: Sendable, CustomStringConvertible, CustomReflectable {
    let text: String
    package let description = "(database URL, not shown)"
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// All settings, checked.
package struct ServerSettings: Sendable {
    package let http: HTTPSettings
    /// The operator's limit of connections; nil if there is none.
    package let httpConnections: Int?
    /// How long a server that shall stop still serves.
    let httpDrainSeconds: Int
    /// How many requests of one cardholder are served at once.
    let cardholderRequests: Int
    /// So many requests are always served at once.
    let requests: Int
    /// How many requests each bank can have; nil without a limit.
    let bankRate: TokenBucket.Rate?
    /// How many unknown names of each kind are looked up per second, in the long run.
    let lookUpsPerSecond: Int
    package let webhooksCAPath: String?
    /// How long a bank's result server can take for an answer.
    let resultsTimeoutSeconds: Int
    package let databaseURL: DatabaseURL?
    package let databaseConnections: Int
    let databaseStatementTimeoutMilliseconds: Int
    let databaseAcquireTimeoutSeconds: Int
    /// Whether each transaction can have another session of the database.
    package let databaseChangesSessions: Bool
    let databaseBinaries: String?
    package let dataDirectory: String
    package let vault: VaultSettings
    let logLevel: Logger.Level
    /// Whether the log has JSON lines.
    let logsJSON: Bool
    /// Where metrics are read; nil if nowhere.
    let admin: AdminSettings?
    /// The user that a server becomes; nil if it stays what it is.
    let serverUser: String?
    let drawingThreads: Int
    let housekeepingIntervalSeconds: Int
    package let clockLimitSeconds: Int

    /// Reads the settings.
    ///
    /// - Throws: ``CommandError`` with everything that is wrong.
    package static func read(
        _ options: some SettingOptions, environment: [String: String] = ProcessInfo.processInfo.environment
    ) async throws -> ServerSettings {
        var reader = await SettingsReader(options, environment: environment)
        let settings = ServerSettings(&reader, environment: environment)
        guard reader.problems.isEmpty else {
            throw CommandError.configuration(reader.problems.joined(separator: "\ncard-companion: "))
        }
        return settings
    }

    /// The reader records every problem.
    package init(_ reader: inout SettingsReader, environment: [String: String]) {
        var http = HTTPSettings(
            host: reader.text(.httpHost), port: reader.integer(.httpPort), tls: Self.tls(&reader))
        httpConnections = reader.integerIfAny(.httpConnections)
        httpDrainSeconds = reader.integer(.httpDrain)
        http.idleTimeoutSeconds = reader.integer(.httpIdleTimeout)
        http.addressConnections = reader.integerIfAny(.httpAddressConnections)
        http.addressRate = TokenBucket.Rate(
            perSecond: reader.integer(.httpAddressRate), burst: reader.integer(.httpAddressBurst))
        http.documentSessions.addressSessions = reader.integer(.httpAddressSessions)
        http.proxies = Self.list(
            .httpProxies, &reader, use: "addresses such as 192.0.2.1, or ranges such as 10.0.0.0/8"
        ) { AddressRange($0) }
        http.names = Self.list(
            .httpNames, &reader,
            use: "names or IPv4 addresses such as pin.example.com or pin.example.com:8443, without https:// or a path"
        ) { Authority($0) }
        http.origins = Self.list(
            .httpOrigins, &reader,
            use: "origins such as https://app.mybank.example, without a path, in small letters"
        ) { WebOrigin($0) }
        let isPlainAllowed = reader.text(.httpPlain) == "allowed" || Self.isLoopback(http.host)
        if http.tls == nil, !isPlainAllowed {
            reader.note(
                "\(http.host) would be served without TLS: set http.tls.certificate and http.tls.key, or http.plain to "
                    + "'allowed' behind a proxy that terminates TLS")
        }
        http.databaseLimit = .milliseconds(reader.integer(.databaseAnswerTimeout))
        self.http = http
        requests = reader.integer(.httpRequests)
        bankRate = reader.integerIfAny(.bankRate).map { TokenBucket.Rate(perSecond: $0, burst: $0) }
        cardholderRequests = reader.integer(.cardholderRequests)
        lookUpsPerSecond = reader.integer(.lookUpsRate)
        webhooksCAPath = reader.textIfAny(.webhooksCA).map(Self.absolute)
        resultsTimeoutSeconds = reader.integer(.resultsTimeout)
        databaseURL = reader.textIfAny(.databaseURL).map(DatabaseURL.init(text:))
        databaseConnections = reader.integer(.databaseConnections)
        databaseStatementTimeoutMilliseconds = reader.integer(.databaseStatementTimeout)
        databaseAcquireTimeoutSeconds = reader.integer(.databaseAcquireTimeout)
        databaseChangesSessions = reader.text(.databasePooling) == "transaction"
        databaseBinaries = reader.textIfAny(.databaseBinaries)
        dataDirectory = Self.absolute(reader.textIfAny(.dataDirectory) ?? Self.defaultDataDirectory(environment))
        vault = VaultSettings(&reader, dataDirectory: dataDirectory, absolute: Self.absolute)
        logLevel = Logger.Level(rawValue: reader.text(.logLevel)) ?? .info
        logsJSON = reader.text(.logFormat) == "json"
        admin = Self.admin(&reader)
        serverUser = reader.textIfAny(.serverUser)
        drawingThreads = reader.integerIfAny(.drawingThreads) ?? ProcessInfo.processInfo.activeProcessorCount
        housekeepingIntervalSeconds = reader.integer(.housekeepingInterval)
        clockLimitSeconds = reader.integer(.clockLimit)
    }

    /// The elements of a list that is separated by commas.
    ///
    /// - Parameter hint: what an element must be, for the message about a wrong one.
    private static func list<Element>(
        _ setting: Setting, _ reader: inout SettingsReader, use hint: String, _ element: (String) -> Element?
    ) -> [Element] {
        var elements: [Element] = []
        for text in reader.textIfAny(setting)?.split(separator: ",", omittingEmptySubsequences: false) ?? [] {
            let text = text.trimmingCharacters(in: .whitespaces)
            if let element = element(text) {
                elements.append(element)
            } else {
                reader.note("\(setting.key) contains '\(text)': use \(hint), separated by commas")
            }
        }
        return elements
    }

    private static func tls(_ reader: inout SettingsReader) -> TLSFiles? {
        switch (reader.textIfAny(.tlsCertificate), reader.textIfAny(.tlsKey)) {
        case (let certificate?, let key?):
            return TLSFiles(
                certificateChainPath: absolute(certificate), privateKeyPath: absolute(key),
                clientCAsPath: reader.textIfAny(.tlsClientCA).map(absolute))
        case (nil, nil):
            if reader.textIfAny(.tlsClientCA) != nil {
                reader.note("http.tls.client.ca is set, but http.tls.certificate is not: set both")
            }
            return nil
        default:
            reader.note("only one of http.tls.certificate and http.tls.key is set: set both")
            return nil
        }
    }

    private static func admin(_ reader: inout SettingsReader) -> AdminSettings? {
        guard let port = reader.integerIfAny(.adminPort) else {
            if reader.find(.adminHost) != nil { reader.note("admin.host is set, but admin.port is not: set both") }
            return nil
        }
        return AdminSettings(host: reader.text(.adminHost), port: port)
    }

    static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || host.hasPrefix("127.")
    }

    private static func defaultDataDirectory(_ environment: [String: String]) -> String {
        guard geteuid() != 0 else { return "/var/lib/card-companion" }
        let base = environment["XDG_DATA_HOME"] ?? "\(environment["HOME"] ?? ".")/.local/share"
        return "\(base)/card-companion"
    }

    private static func absolute(_ path: String) -> String {
        URL(fileURLWithPath: path).standardizedFileURL.path
    }
}
