// swift-tools-version:6.2
import PackageDescription

// A new compiler may know new warnings: they break our CI, never a user's build.
let warningsAreErrors = Context.environment["CI"] != nil

let strict: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
    ] + (warningsAreErrors ? [.treatAllWarnings(as: .error)] : [])

/// Whether it is the build of `make test`: a release, in which most of our modules are not optimized, so that a change is soon compiled.
let isTestBuild = Context.environment["CARD_COMPANION_TEST_BUILD"] != nil
/// For modules that loop over bytes: optimized in each release.
let optimized = strict + (isTestBuild ? [.unsafeFlags(["-enable-testing"])] : [])
/// For all other modules.
let plain = optimized + (isTestBuild ? [.unsafeFlags(["-Onone"])] : [])
/// The tests start the server's programs some thousand times. That takes less time if Swift's libraries are in them. The tests
/// themselves cannot contain them, because swift-testing is a dynamic library; so `--static-swift-stdlib`, which would also name what
/// Foundation needs, cannot be used.
let linkedWithSwift: [LinkerSetting] =
    isTestBuild
    ? [
        .unsafeFlags(
            [
                "-static-stdlib", "-lCoreFoundation", "-l_FoundationICU", "-l_FoundationCShims",
                "-l_FoundationCollections", "-lstdc++",
            ], .when(platforms: [.linux]))
    ] : []

/// What the server, its tools and the tests need. An app that adds the package switches the trait off, and then fetches none of it.
let serverTrait = "Server"

func server(_ product: String, of package: String) -> Target.Dependency {
    .product(name: product, package: package, condition: .when(traits: [serverTrait]))
}

let asyncHTTPClient = server("AsyncHTTPClient", of: "async-http-client")
let argumentParser = server("ArgumentParser", of: "swift-argument-parser")
let configuration = server("Configuration", of: "swift-configuration")
let coreMetrics = server("CoreMetrics", of: "swift-metrics")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let hummingbird = server("Hummingbird", of: "hummingbird")
let hummingbirdCore = server("HummingbirdCore", of: "hummingbird")
let hummingbirdHTTP2 = server("HummingbirdHTTP2", of: "hummingbird")
let httpTypes = server("HTTPTypes", of: "swift-http-types")
let logging = server("Logging", of: "swift-log")
let metrics = server("Metrics", of: "swift-metrics")
let nioCore = server("NIOCore", of: "swift-nio")
let nioEmbedded = server("NIOEmbedded", of: "swift-nio")
let nioHTTP1 = server("NIOHTTP1", of: "swift-nio")
let nioPosix = server("NIOPosix", of: "swift-nio")
let nioSSL = server("NIOSSL", of: "swift-nio-ssl")
let nioWebSocket = server("NIOWebSocket", of: "swift-nio")
let nioTLS = server("NIOTLS", of: "swift-nio")
let nioHTTPTypes = server("NIOHTTPTypes", of: "swift-nio-extras")
let rawStructuredFieldValues = server("RawStructuredFieldValues", of: "swift-http-structured-headers")
let serviceLifecycle = server("ServiceLifecycle", of: "swift-service-lifecycle")
let subprocess = server("Subprocess", of: "swift-subprocess")
let systemPackage = server("SystemPackage", of: "swift-system")
let unixSignals = server("UnixSignals", of: "swift-service-lifecycle")

/// The groups of the targets: folders of Sources and Tests.
enum Group: String {
    case server = "Server"
    case keys = "Keys"
    case documents = "Documents"
    case eID = "EID"
    case clients = "Clients"
    case foundations = "Foundations"
    case harness = "Harness"

    /// Keys and Foundations loop over bytes.
    var settings: [SwiftSetting] { self == .keys || self == .foundations ? optimized : plain }
}

func library(_ name: String, in group: Group, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Sources/\(group.rawValue)/\(name)", swiftSettings: group.settings
    )
}

func program(_ name: String, in group: Group, _ dependencies: [Target.Dependency] = []) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "Sources/\(group.rawValue)/\(name)", swiftSettings: plain,
        linkerSettings: group == .server ? linkedWithSwift : [])
}

func tests(
    _ name: String, in group: Group, _ dependencies: [Target.Dependency] = [], exclude: [String] = [],
    settings: [SwiftSetting] = plain
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, path: "Tests/\(group.rawValue)/\(name)", exclude: exclude,
        swiftSettings: settings)
}

func harness(_ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Tests/Harness/\(name)", exclude: exclude, swiftSettings: plain)
}

let package = Package(
    name: "card-companion",
    platforms: [.macOS(.v15), .iOS(.v15)],
    products: [
        .executable(name: "card-companion", targets: ["card-companion"]),
        .executable(name: "card-companion-sandbox", targets: ["card-companion-sandbox"]),
        .executable(name: "sandbox-app", targets: ["sandbox-app"]),
        .library(name: "CardCompanionSDK", targets: ["CardCompanionSDK"]),
        .library(name: "CardCompanionAPI", targets: ["CardCompanionAPI"]),
        .library(name: "EIDInterface", targets: ["EIDInterface"]),
        .library(name: "EIDWorkflow", targets: ["EIDWorkflow"]),
        .library(name: "EIDWebSocket", targets: ["EIDWebSocket"]),
        .library(name: "EIDSimulation", targets: ["EIDSimulation"]),
        .executable(name: "eid", targets: ["eid"]),
        .executable(name: "eid-simulator", targets: ["eid-simulator"]),
    ],
    traits: [
        .default(enabledTraits: [serverTrait]),
        .trait(name: serverTrait, description: "The server and its tools. An app needs only the rest."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-configuration.git", from: "1.4.0", traits: ["JSON"]),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-http-structured-headers.git", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.34.1"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.0"),
        .package(url: "https://github.com/apple/swift-system.git", from: "1.8.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.0", traits: []),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess.git", from: "1.0.0"),
    ],
    targets: [
        // C libraries, from the system's packages.
        .systemLibrary(
            name: "COpenSSL", path: "Sources/System/COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]
        ),
        .systemLibrary(
            name: "CLibPQ", path: "Sources/System/CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(
            name: "CCairo", path: "Sources/System/CCairo", pkgConfig: "cairo", providers: [.apt(["libcairo2-dev"])]),
        .systemLibrary(
            name: "CZlib", path: "Sources/System/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),

        // Only the header of PKCS#11: a token's module is loaded at run time.
        .systemLibrary(name: "CPKCS11", path: "Sources/System/CPKCS11", providers: [.apt(["libp11-kit-dev"])]),

        // Foundations: each has one reason, and knows nothing of cards.
        .target(name: "CLinux", path: "Sources/System/CLinux"),
        library("SecureMemory", in: .keys, ["CLinux", "COpenSSL"]),
        library("StrictJSON", in: .foundations, ["SecureMemory"]),
        library("Cryptography", in: .keys, ["COpenSSL", "SecureMemory"]),
        library("JOSE", in: .keys, ["Cryptography", "SecureMemory", "StrictJSON"]),
        library("KeyBlocks", in: .keys, ["Cryptography", "SecureMemory"]),
        library("PINBlocks", in: .keys, ["Cryptography", "SecureMemory"]),
        library("PINVerification", in: .keys, ["Cryptography", "SecureMemory"]),
        library("Retries", in: .foundations),
        library("PrometheusText", in: .foundations, [coreMetrics]),
        library("LogLines", in: .foundations, ["SecureMemory", "StrictJSON", logging]),
        library("PostgresLibPQ", in: .foundations, ["CLibPQ", "Retries", logging, metrics, serviceLifecycle]),
        library("EmbeddedPostgres", in: .foundations, ["Retries", logging, subprocess, systemPackage]),
        library("PINImages", in: .foundations, ["CCairo", "CZlib", "SecureMemory"]),
        library("PKCS11", in: .keys, ["CPKCS11", "SecureMemory"]),
        library("KeyVault", in: .keys, ["Cryptography", "PKCS11", "SecureMemory"]),
        library("HTTPSignatures", in: .keys, ["Cryptography", "SecureMemory", httpTypes, rawStructuredFieldValues]),
        // Chips of passports and identity cards; and made-up ones, for trials and tests.
        library("EMRTD", in: .documents, ["Cryptography", "SecureMemory"]),
        library("EMRTDSimulation", in: .documents, ["Cryptography", "EMRTD"]),
        // Document 003: the server's side, and an app with a simulated chip.
        library("DocumentValidation", in: .documents, ["Cryptography", "EMRTD", "SecureMemory", "StrictJSON"]),
        library(
            "DocumentValidationSimulation", in: .documents,
            ["Cryptography", "EMRTD", "EMRTDSimulation", "SecureMemory", "StrictJSON"]),
        library(
            "DocumentValidationClient", in: .documents,
            ["DocumentValidationSimulation", nioCore, nioHTTP1, nioPosix, nioSSL, nioWebSocket]),

        // The service.
        library("CardCompanionAPI", in: .server),
        library("CardCompanionModel", in: .server),
        .target(
            name: "CardCompanionStore",
            dependencies: [
                "CardCompanionModel", "Cryptography", "PostgresLibPQ", "StrictJSON", logging, serviceLifecycle,
            ],
            path: "Sources/Server/CardCompanionStore",
            resources: [.embedInCode("Schema/Migrations")],
            swiftSettings: plain),
        library(
            "CardCompanion", in: .server,
            [
                "CardCompanionAPI", "CardCompanionModel", "CardCompanionStore", "Cryptography", "DocumentValidation",
                "EMRTD",
                "HTTPSignatures", "JOSE", "KeyBlocks", "KeyVault", "PINBlocks", "PINImages", "PINVerification",
                "Retries",
                "SecureMemory", "StrictJSON", logging, metrics, serviceLifecycle,
            ]),
        library(
            "CardCompanionWebhooks", in: .server,
            [
                "CardCompanion", "CardCompanionModel", "CardCompanionStore", "HTTPSignatures", "Retries",
                "SecureMemory", asyncHTTPClient,
                logging, metrics, nioCore, nioHTTP1, nioPosix, nioSSL, serviceLifecycle,
            ]),
        library(
            "CardCompanionForwarding", in: .server,
            [
                "CardCompanion", "CardCompanionModel", "CardCompanionStore", "Retries", "SecureMemory", "StrictJSON",
                logging, serviceLifecycle, subprocess, systemPackage,
            ]),
        .target(
            name: "CardCompanionHTTP",
            dependencies: [
                "CardCompanion", "CardCompanionAPI", "CardCompanionModel", "CardCompanionStore", "Cryptography",
                "DocumentValidation", "EMRTD", "HTTPSignatures", "JOSE",
                "SecureMemory", "StrictJSON", hummingbird, hummingbirdCore, hummingbirdHTTP2, httpTypes,
                logging, metrics, nioCore, nioHTTPTypes, nioSSL, nioTLS, serviceLifecycle, unixSignals,
            ],
            path: "Sources/Server/CardCompanionHTTP",
            resources: [.embedInCode("openapi.yaml")],
            swiftSettings: plain),
        // What commands work on, and the changes that can need two operators.
        library(
            "Administration", in: .server,
            ["CardCompanion", "CardCompanionModel", "CardCompanionStore", "KeyVault", "PKCS11", logging]),
        library(
            "DualControl", in: .server,
            [
                "Administration", "CardCompanion", "CardCompanionModel", "CardCompanionStore", "Cryptography",
                "KeyVault",
                "PKCS11",
            ]),
        // Puts the server together, for the programs that run it.
        library(
            "CardCompanionServer", in: .server,
            [
                "Administration", "CardCompanion", "CardCompanionForwarding", "CardCompanionHTTP",
                "CardCompanionModel", "CardCompanionStore",
                "CardCompanionWebhooks", "CLinux",
                "Cryptography", "EmbeddedPostgres", "HTTPSignatures", "KeyBlocks", "KeyVault", "LogLines", "PINImages",
                "PKCS11", "PrometheusText", "SecureMemory", "StrictJSON", argumentParser, configuration, hummingbird,
                logging, metrics, nioCore, nioPosix, serviceLifecycle, subprocess, systemPackage, unixSignals,
            ]),
        program(
            "card-companion", in: .server,
            [
                "Administration", "CardCompanion", "CardCompanionForwarding", "CardCompanionHTTP",
                "CardCompanionServer", "CardCompanionModel",
                "CardCompanionStore", "CardCompanionWebhooks", "Cryptography", "DualControl", "EMRTD", "HTTPSignatures",
                "KeyVault", "PKCS11",
                "SecureMemory", argumentParser, asyncHTTPClient, configuration, nioCore, nioHTTP1, nioSSL,
            ]),

        // The server with a trial bank that signs, and a phone that shows made-up documents. It is never packaged.
        .executableTarget(
            name: "card-companion-sandbox",
            dependencies: [
                "Administration", "CardCompanion", "CardCompanionAPI", "CardCompanionForwarding", "CardCompanionHTTP",
                "CardCompanionServer", "CardCompanionModel", "CardCompanionStore",
                "Cryptography", "DocumentValidation", "DocumentValidationClient", "DocumentValidationSimulation",
                "EMRTD", "EMRTDSimulation", "HTTPSignatures", "JOSE", "KeyBlocks", "KeyVault", "PINVerification",
                "Retries", "SecureMemory", "StrictJSON",
                argumentParser, asyncHTTPClient, httpTypes, hummingbird, logging, nioCore, nioHTTP1, serviceLifecycle,
                subprocess, systemPackage,
            ],
            path: "Sources/Server/card-companion-sandbox",
            resources: [
                .embedInCode("Pages/card-companion.js"), .embedInCode("Pages/Docs"), .embedInCode("Pages/Sandbox"),
            ],
            swiftSettings: plain, linkerSettings: linkedWithSwift),

        // A bank's app and back-end in small, for trying the sandbox.
        program(
            "sandbox-app", in: .clients, ["CardCompanionAPI", "CardCompanionSDK", argumentParser, crypto, cryptoExtras]),

        // The client library: no code of the server's, so that each end tests the other.
        library("CardCompanionSDK", in: .clients, ["CardCompanionAPI", crypto, cryptoExtras]),

        // The eID card (documents 000 to 002), beside the server: the interface of the AusweisApp and the WorkflowController,
        // for apps.
        library("EIDInterface", in: .eID),
        library("EIDWorkflow", in: .eID, ["EIDInterface"]),
        library("EIDWebSocket", in: .eID, ["EIDInterface", nioCore, nioHTTP1, nioPosix, nioWebSocket]),
        // An app in the terminal.
        program("eid", in: .eID, ["EIDInterface", "EIDWebSocket", "EIDWorkflow", argumentParser]),
        // A kernel with cards in memory, for trials and tests of apps.
        library(
            "EIDSimulation", in: .eID,
            ["EIDInterface", "SecureMemory", "StrictJSON", nioCore, nioHTTP1, nioPosix, nioWebSocket]),
        program("eid-simulator", in: .eID, ["EIDSimulation", argumentParser, logging, serviceLifecycle, unixSignals]),

        // Tests: real parts, and Python's libraries as oracles.
        harness("PythonOracle", exclude: ["server.py"]),
        .target(name: "CSpawn", path: "Tests/Harness/CSpawn"),
        tests(
            "CryptographyTests", in: .keys, ["Cryptography", "PythonOracle", "SecureMemory"], exclude: ["Oracles"]),
        tests(
            "JOSETests", in: .keys, ["Cryptography", "JOSE", "PythonOracle", "SecureMemory", "StrictJSON"],
            exclude: ["Oracles"]),
        tests(
            "HTTPSignaturesTests", in: .keys,
            ["Cryptography", "HTTPSignatures", "PythonOracle", "SecureMemory", httpTypes], exclude: ["Oracles"]),
        tests(
            "VectorTests", in: .clients,
            [
                "CardCompanion", "CardCompanionAPI", "CardCompanionSDK", "CardCompanionModel", "Cryptography", "JOSE",
                "PythonOracle", "SecureMemory", "StrictJSON", crypto, cryptoExtras,
            ], exclude: ["Oracles"]),
        tests(
            "WycheproofTests", in: .keys, ["Cryptography", "HTTPSignatures", "JOSE", "SecureMemory"],
            exclude: ["vectors"]),
        tests(
            "EMRTDTests", in: .documents, ["Cryptography", "EMRTD", "EMRTDSimulation", "PythonOracle", "SecureMemory"],
            exclude: ["Data", "Oracles"]),
        tests(
            "DocumentValidationTests", in: .documents,
            [
                "Cryptography", "DocumentValidation", "DocumentValidationSimulation", "EMRTD", "EMRTDSimulation",
                "SecureMemory", "StrictJSON",
            ]),
        tests(
            "DocumentSessionTests", in: .server,
            [
                "Administration", "CardCompanion", "CardCompanionHTTP", "Cryptography", "DocumentValidation",
                "DocumentValidationClient", "DocumentValidationSimulation", "EMRTD", "EMRTDSimulation", "PythonOracle",
                "SecureMemory", "ServerHarness", "StrictJSON", hummingbird, logging, nioCore, nioPosix, nioSSL,
                serviceLifecycle,
            ], exclude: ["Oracles"]),
        tests("EIDInterfaceTests", in: .eID, ["EIDInterface"]),
        tests("EIDSimulationTests", in: .eID, ["EIDInterface", "EIDSimulation", "EIDWebSocket", nioCore, nioPosix]),
        tests("EIDWorkflowTests", in: .eID, ["EIDInterface", "EIDSimulation", "EIDWorkflow"]),
        // An eID card for the real AusweisApp: 'make test-eid'.
        .target(
            name: "VirtualEIDCard",
            dependencies: ["COpenSSL", "Cryptography", "EMRTD", "EMRTDSimulation", "SecureMemory"],
            path: "Tests/EID/EIDReal/Card", swiftSettings: plain),
        .executableTarget(
            name: "virtual-eid-card", dependencies: ["VirtualEIDCard", argumentParser],
            path: "Tests/EID/EIDReal/Program", swiftSettings: plain),
        .testTarget(
            name: "VirtualEIDCardTests", dependencies: ["Cryptography", "EMRTD", "SecureMemory", "VirtualEIDCard"],
            path: "Tests/EID/EIDReal/CardTests", swiftSettings: plain),
        tests("EIDToolTests", in: .eID, ["EIDInterface", "EIDSimulation", "EIDWebSocket"]),
        tests("ArchitectureTests", in: .server),
        tests("RetriesTests", in: .foundations, ["Retries"]),
        tests("LogLinesTests", in: .foundations, ["LogLines", "StrictJSON", logging]),
        tests("PrometheusTextTests", in: .foundations, ["PrometheusText", "ServerHarness", metrics]),
        harness("PostgresHarness", ["CSpawn"]),
        tests(
            "PostgresLibPQTests", in: .foundations,
            ["CLibPQ", "PostgresHarness", "PostgresLibPQ", logging, serviceLifecycle]),
        tests("EmbeddedPostgresTests", in: .foundations, ["EmbeddedPostgres", logging, subprocess, systemPackage]),
        tests("PINImagesTests", in: .foundations, ["PINImages", "PythonOracle", "SecureMemory"], exclude: ["Oracles"]),
        tests("SecureMemoryTests", in: .keys, ["SecureMemory"]),
        tests("StrictJSONTests", in: .foundations, ["SecureMemory", "StrictJSON"]),
        tests(
            "KeyBlocksTests", in: .keys, ["Cryptography", "KeyBlocks", "PythonOracle", "SecureMemory"],
            exclude: ["Oracles", "Published"]),
        tests(
            "PINBlocksTests", in: .keys, ["Cryptography", "PINBlocks", "PythonOracle", "SecureMemory"],
            exclude: ["Oracles"]),
        tests(
            "PINVerificationTests", in: .keys, ["Cryptography", "PINVerification", "PythonOracle", "SecureMemory"],
            exclude: ["Oracles"]),
        tests("KeyVaultTests", in: .keys, ["Cryptography", "KeyVault", "SecureMemory"]),
        tests("PKCS11Tests", in: .keys, ["CPKCS11", "Cryptography", "PKCS11", "SecureMemory", "ServerHarness"]),
        tests("VaultTests", in: .server, ["ServerHarness"]),
        tests(
            "AuditTests", in: .server,
            [
                "CardCompanion", "CardCompanionModel", "CardCompanionStore", "KeyVault", "PythonOracle",
                "ServerHarness",
                logging,
            ]),
        tests(
            "OperatorTests", in: .server,
            [
                "Administration", "CardCompanion", "CardCompanionModel", "CardCompanionStore", "EMRTDSimulation",
                "KeyVault",
                "ServerHarness", logging,
            ]),
        tests(
            "CardCompanionTests", in: .server,
            [
                "CardCompanion", "CardCompanionAPI", "CardCompanionModel", "CardCompanionStore", "Cryptography",
                "HTTPSignatures", "JOSE",
                "KeyVault", "PINBlocks", "PINImages", "SecureMemory", "StrictJSON", logging, nioPosix,
            ]),
        tests(
            "CardCompanionHTTPTests", in: .server,
            [
                "CardCompanion", "CardCompanionHTTP", "CardCompanionModel", "CardCompanionStore", "KeyVault",
                "SecureMemory", "StrictJSON",
                httpTypes, hummingbird,
            ]),
        tests("CardCompanionStoreTests", in: .server, ["CardCompanionModel", "CardCompanionStore"]),
        tests(
            "CardCompanionForwardingTests", in: .server, ["CardCompanionForwarding", "CardCompanionModel"]),
        tests(
            "CardCompanionWebhooksTests", in: .server,
            ["CardCompanion", "CardCompanionModel", "CardCompanionWebhooks"]),

        // End-to-end tests: real server processes, over HTTP, on a real PostgreSQL.
        harness(
            "ServerHarness",
            [
                "CardCompanion", "CardCompanionModel", "CardCompanionStore", "CLibPQ", "CSpawn", "EmbeddedPostgres",
                "HTTPSignatures",
                "KeyVault", "SecureMemory", crypto, cryptoExtras, logging, nioCore, nioPosix, subprocess, systemPackage,
            ]),
        tests(
            "DistributionTests", in: .server,
            ["CardCompanionAPI", "CardCompanionSDK", "PythonOracle", "ServerHarness", crypto, cryptoExtras],
            exclude: ["Oracles"]),
        tests(
            "DefinitionTests", in: .server,
            ["CardCompanionAPI", "CardCompanionSDK", "PythonOracle", "ServerHarness", crypto, cryptoExtras],
            exclude: ["Oracles"]),
        tests(
            "IssuingTests", in: .server, ["PythonOracle", "ServerHarness", crypto, cryptoExtras], exclude: ["Oracles"]),
        // A bank's server that gets webhooks and results.
        harness("WebhookHarness", ["ServerHarness", crypto, nioCore, nioHTTP1, nioPosix, nioSSL]),
        tests(
            "EventTests", in: .server,
            [
                "PythonOracle", "ServerHarness", "WebhookHarness", crypto, cryptoExtras, nioCore, nioHTTP1, nioPosix,
                nioSSL,
            ]),
        tests(
            "IdentityTests", in: .server,
            [
                "Cryptography", "DocumentValidationClient", "DocumentValidationSimulation", "EMRTD", "EMRTDSimulation",
                "ServerHarness", "StrictJSON", "WebhookHarness", crypto, cryptoExtras, nioHTTP1,
            ]),
        // Measures the server: 'make bench'.
        .executableTarget(
            name: "bench",
            dependencies: [
                "CLibPQ", "Cryptography", "DocumentValidation", "DocumentValidationClient",
                "DocumentValidationSimulation", "EMRTD", "EMRTDSimulation", "PINImages", "SecureMemory",
                "ServerHarness", argumentParser, crypto, cryptoExtras, httpTypes, hummingbird, nioCore, nioEmbedded,
                nioPosix, nioSSL, nioTLS,
            ],
            path: "Tests/Tools/Bench", exclude: ["allocations.json", "plot.py", "requirements.txt"],
            swiftSettings: plain),
        // Draws images of PINs, and lets programs read them: 'make captcha-report'.
        .executableTarget(
            name: "captcha-report", dependencies: ["PINImages", "SecureMemory", argumentParser],
            path: "Tests/Tools/CaptchaReport", exclude: ["report"], swiftSettings: plain),
        tests("SandboxTests", in: .server, ["PythonOracle", "ServerHarness", crypto, cryptoExtras]),
        tests("OpenAPITests", in: .server, ["PythonOracle", "ServerHarness"], exclude: ["Drivers"]),
        tests("WebTests", in: .server, ["PythonOracle", "ServerHarness"], exclude: ["Browser", "Types"]),
        // Counts instructions: 'make instructions'.
        .executableTarget(
            name: "instructions",
            dependencies: ["Cryptography", "JOSE", "KeyVault", "PINImages", "SecureMemory", "StrictJSON"],
            path: "Tests/Tools/Instructions", exclude: ["count.py", "thresholds.json"], swiftSettings: plain),
        tests(
            "OperationTests", in: .server,
            [
                "CardCompanion", "CardCompanionModel", "CardCompanionStore", "PostgresHarness", "PythonOracle",
                "ServerHarness", asyncHTTPClient, crypto, logging, nioCore, nioHTTP1, nioSSL,
            ],
            exclude: ["Oracles"]),
        // The scripts of deploy/release.
        tests("ReleaseTests", in: .server, ["PythonOracle", "ServerHarness"], exclude: ["Python"]),
        // The parsers of hostile bytes, for the fuzzer ('make fuzz') and for the replay of its inputs.
        .target(
            name: "FuzzedParsers",
            dependencies: [
                "CardCompanion", "CardCompanionAPI", "CardCompanionHTTP", "CardCompanionModel", "CardCompanionStore",
                "Cryptography",
                "DocumentValidation", "EIDInterface", "EIDSimulation", "EMRTD", "EMRTDSimulation", "HTTPSignatures",
                "JOSE", "KeyBlocks", "KeyVault",
                "PINBlocks", "SecureMemory",
                "StrictJSON", httpTypes, logging,
            ],
            path: "Tests/Tools/Fuzz/Parsers", swiftSettings: plain),
        .testTarget(
            name: "FuzzTests", dependencies: ["FuzzedParsers"], path: "Tests/Tools/Fuzz/Replay", swiftSettings: plain),
        tests("SecrecyTests", in: .server, ["ServerHarness", crypto], exclude: ["Oracles"], settings: optimized),
        tests("WatchTests", in: .server, ["ServerHarness"]),
        tests("CardCompanionAPITests", in: .server, ["CardCompanionAPI"]),
        // The library is in Java: Sources/Clients/CardCompanionAndroid.
        tests(
            "AndroidTests", in: .clients, ["ServerHarness"], exclude: ["android-26-members.txt", "java", "stubs"]),
        // The libraries are in Python and Java: CardCompanionBackEndPython and CardCompanionBackEndJava.
        tests("BackEndTests", in: .clients, ["PythonOracle", "ServerHarness"], exclude: ["java", "python"]),
        tests(
            "CardCompanionSDKTests", in: .clients,
            [
                "CardCompanionAPI", "CardCompanionSDK", "PythonOracle", crypto, cryptoExtras, nioCore, nioHTTP1,
                nioPosix, nioSSL,
            ], exclude: ["ObjectiveC"]),
    ]
)

// libFuzzer has the main function, and is only there if the package is built with '--sanitize=fuzzer': 'make fuzz'.
if Context.environment["CARD_COMPANION_FUZZER"] != nil {
    package.targets.append(
        .executableTarget(
            name: "fuzzer", dependencies: ["FuzzedParsers"], path: "Tests/Tools/Fuzz/Program",
            swiftSettings: plain + [.unsafeFlags(["-parse-as-library"])]))
}
