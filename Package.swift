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

let asyncHTTPClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let configuration = Target.Dependency.product(name: "Configuration", package: "swift-configuration")
let coreMetrics = Target.Dependency.product(name: "CoreMetrics", package: "swift-metrics")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let hummingbirdHTTP2 = Target.Dependency.product(name: "HummingbirdHTTP2", package: "hummingbird")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let nioWebSocket = Target.Dependency.product(name: "NIOWebSocket", package: "swift-nio")
let nioTLS = Target.Dependency.product(name: "NIOTLS", package: "swift-nio")
let nioHTTPTypes = Target.Dependency.product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let rawStructuredFieldValues = Target.Dependency.product(
    name: "RawStructuredFieldValues", package: "swift-http-structured-headers")
let serviceLifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess")
let systemPackage = Target.Dependency.product(name: "SystemPackage", package: "swift-system")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")

func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict)
}

let package = Package(
    name: "card-companion",
    platforms: [.macOS(.v15), .iOS(.v15)],
    products: [
        .executable(name: "card-companion", targets: ["card-companion"]),
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
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CCairo", pkgConfig: "cairo", providers: [.apt(["libcairo2-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),

        // Only the header of PKCS#11: a token's module is loaded at run time.
        .systemLibrary(name: "CPKCS11", providers: [.apt(["libp11-kit-dev"])]),

        // Foundations: each has one reason, and knows nothing of cards.
        .target(name: "CLinux"),
        library("SecureMemory", ["CLinux", "COpenSSL"]),
        library("StrictJSON", ["SecureMemory"]),
        library("Cryptography", ["COpenSSL", "SecureMemory"]),
        library("JOSE", ["Cryptography", "SecureMemory", "StrictJSON"]),
        library("KeyBlocks", ["Cryptography", "SecureMemory"]),
        library("PINBlocks", ["Cryptography", "SecureMemory"]),
        library("Retries"),
        library("PrometheusText", [coreMetrics]),
        library("JSONLog", ["SecureMemory", "StrictJSON", logging]),
        library("PostgresLibPQ", ["CLibPQ", "Retries", logging, metrics, serviceLifecycle]),
        library("EmbeddedPostgres", ["Retries", logging, subprocess, systemPackage]),
        .target(
            name: "PINImages", dependencies: ["CCairo", "CZlib", "SecureMemory"],
            // Each server reads the typeface when it starts, which takes 0.2 s without optimization: tests start hundreds.
            swiftSettings: strict + [.unsafeFlags(["-O"], .when(configuration: .debug))]),
        library("PKCS11", ["CPKCS11", "SecureMemory"]),
        library("KeyVault", ["Cryptography", "PKCS11", "SecureMemory"]),
        library("HTTPSignatures", ["Cryptography", "SecureMemory", httpTypes, rawStructuredFieldValues]),
        // Chips of passports and identity cards; and made-up ones, for trials and tests.
        library("EMRTD", ["Cryptography", "SecureMemory"]),
        library("EMRTDSimulation", ["Cryptography", "EMRTD"]),
        // Document 003: the server's side, and an app with a simulated chip.
        library("DocumentValidation", ["Cryptography", "EMRTD", "SecureMemory", "StrictJSON"]),
        library(
            "DocumentValidationSimulation", ["Cryptography", "EMRTD", "EMRTDSimulation", "SecureMemory", "StrictJSON"]),
        library(
            "DocumentValidationClient",
            ["DocumentValidationSimulation", nioCore, nioHTTP1, nioPosix, nioSSL, nioWebSocket]),

        // The service.
        library("CardCompanionAPI"),
        .target(
            name: "CardCompanionStore",
            dependencies: ["Cryptography", "PostgresLibPQ", "StrictJSON", logging, serviceLifecycle],
            resources: [.embedInCode("Schema/Migrations")],
            swiftSettings: strict),
        library(
            "CardCompanion",
            [
                "CardCompanionAPI", "CardCompanionStore", "Cryptography", "DocumentValidation", "EMRTD",
                "HTTPSignatures", "JOSE", "KeyBlocks", "KeyVault", "PINBlocks", "PINImages", "SecureMemory",
                "StrictJSON", logging, metrics, serviceLifecycle,
            ]),
        library(
            "CardCompanionWebhooks",
            [
                "CardCompanion", "CardCompanionStore", "HTTPSignatures", "Retries", "SecureMemory", asyncHTTPClient,
                logging, metrics, nioCore, nioHTTP1, nioPosix, nioSSL, serviceLifecycle,
            ]),
        // Files for browsers: the client library in JavaScript, and the sandbox's pages.
        .target(
            name: "CardCompanionWeb",
            exclude: ["Client/card-companion.d.ts"],
            resources: [.embedInCode("Client/card-companion.js"), .embedInCode("Docs"), .embedInCode("Sandbox")],
            swiftSettings: strict),
        .target(
            name: "CardCompanionHTTP",
            dependencies: [
                "CardCompanion", "CardCompanionAPI", "CardCompanionStore", "CardCompanionWeb", "Cryptography",
                "DocumentValidation", "EMRTD", "HTTPSignatures", "JOSE",
                "SecureMemory", "StrictJSON", hummingbird, hummingbirdCore, hummingbirdHTTP2, httpTypes,
                logging, metrics, nioCore, nioHTTPTypes, nioSSL, nioTLS, serviceLifecycle, unixSignals,
            ],
            resources: [.embedInCode("openapi.yaml")],
            swiftSettings: strict),
        .executableTarget(
            name: "card-companion",
            dependencies: [
                "CardCompanion", "CardCompanionAPI", "CardCompanionHTTP", "CardCompanionStore", "CardCompanionWebhooks",
                "CLinux", "Cryptography", "DocumentValidation", "DocumentValidationClient",
                "DocumentValidationSimulation", "EMRTD", "EMRTDSimulation", "EmbeddedPostgres", "HTTPSignatures",
                "JOSE",
                "JSONLog", "KeyBlocks", "KeyVault", "PINImages", "PKCS11", "PrometheusText", "SecureMemory",
                "StrictJSON",
                argumentParser, asyncHTTPClient, configuration, hummingbird, logging, metrics, nioCore, nioHTTP1,
                nioPosix, nioSSL, serviceLifecycle, systemPackage, unixSignals,
            ],
            swiftSettings: strict),

        // A bank's app and back-end in small, for trying the sandbox.
        .executableTarget(
            name: "sandbox-app",
            dependencies: ["CardCompanionAPI", "CardCompanionSDK", argumentParser, crypto, cryptoExtras],
            swiftSettings: strict),

        // The client library: no code of the server's, so that each end tests the other.
        library("CardCompanionSDK", ["CardCompanionAPI", crypto, cryptoExtras]),

        // The eID card (documents 000 to 002), beside the server: the interface of the AusweisApp and the WorkflowController,
        // for apps.
        library("EIDInterface"),
        library("EIDWorkflow", ["EIDInterface"]),
        library("EIDWebSocket", ["EIDInterface", nioCore, nioHTTP1, nioPosix, nioWebSocket]),
        // An app in the terminal.
        .executableTarget(
            name: "eid", dependencies: ["EIDInterface", "EIDWebSocket", "EIDWorkflow", argumentParser],
            swiftSettings: strict),
        // A kernel with cards in memory, for trials and tests of apps.
        library(
            "EIDSimulation",
            ["EIDInterface", "SecureMemory", "StrictJSON", nioCore, nioHTTP1, nioPosix, nioWebSocket]),
        .executableTarget(
            name: "eid-simulator",
            dependencies: ["EIDSimulation", argumentParser, logging, serviceLifecycle, unixSignals],
            swiftSettings: strict),

        // Tests: real parts, and Python's libraries as oracles.
        .target(name: "PythonOracle", path: "Tests/PythonOracle", swiftSettings: strict),
        .target(name: "CSpawn", path: "Tests/CSpawn"),
        tests(
            "CryptographyTests", ["Cryptography", "PythonOracle", "SecureMemory"], exclude: ["Oracles"]),
        tests(
            "JOSETests", ["Cryptography", "JOSE", "PythonOracle", "SecureMemory", "StrictJSON"], exclude: ["Oracles"]),
        tests(
            "HTTPSignaturesTests",
            ["Cryptography", "HTTPSignatures", "PythonOracle", "SecureMemory", httpTypes], exclude: ["Oracles"]),
        tests(
            "VectorTests",
            [
                "CardCompanion", "CardCompanionAPI", "CardCompanionSDK", "CardCompanionStore", "Cryptography", "JOSE",
                "PythonOracle", "SecureMemory", "StrictJSON", crypto, cryptoExtras,
            ], exclude: ["Oracles"]),
        tests(
            "WycheproofTests", ["Cryptography", "HTTPSignatures", "JOSE", "SecureMemory"], exclude: ["vectors"]),
        tests(
            "EMRTDTests", ["Cryptography", "EMRTD", "EMRTDSimulation", "PythonOracle", "SecureMemory"],
            exclude: ["Data", "Oracles"]),
        tests(
            "DocumentValidationTests",
            [
                "Cryptography", "DocumentValidation", "DocumentValidationSimulation", "EMRTD", "EMRTDSimulation",
                "SecureMemory", "StrictJSON",
            ]),
        tests(
            "DocumentSessionTests",
            [
                "CardCompanion", "CardCompanionHTTP", "Cryptography", "DocumentValidation", "DocumentValidationClient",
                "DocumentValidationSimulation", "EMRTD", "EMRTDSimulation", "PythonOracle", "SecureMemory",
                "ServerHarness", "StrictJSON", hummingbird, logging, nioSSL, serviceLifecycle,
            ], exclude: ["Oracles"]),
        tests("EIDInterfaceTests", ["EIDInterface"]),
        tests("EIDSimulationTests", ["EIDInterface", "EIDSimulation", "EIDWebSocket", nioCore, nioPosix]),
        tests("EIDWorkflowTests", ["EIDInterface", "EIDSimulation", "EIDWorkflow"]),
        // An eID card for the real AusweisApp: 'make test-eid'.
        .target(
            name: "VirtualEIDCard",
            dependencies: ["COpenSSL", "Cryptography", "EMRTD", "EMRTDSimulation", "SecureMemory"],
            path: "Tests/EIDReal/Card", swiftSettings: strict),
        .executableTarget(
            name: "virtual-eid-card", dependencies: ["VirtualEIDCard", argumentParser],
            path: "Tests/EIDReal/Program", swiftSettings: strict),
        .testTarget(
            name: "VirtualEIDCardTests", dependencies: ["Cryptography", "EMRTD", "SecureMemory", "VirtualEIDCard"],
            path: "Tests/EIDReal/CardTests", swiftSettings: strict),
        tests("EIDToolTests", ["EIDInterface", "EIDSimulation", "EIDWebSocket"]),
        tests("ArchitectureTests"),
        tests("RetriesTests", ["Retries"]),
        tests("JSONLogTests", ["JSONLog", "StrictJSON", logging]),
        tests("PrometheusTextTests", ["PrometheusText", "ServerHarness", metrics]),
        .target(
            name: "PostgresHarness", dependencies: ["CSpawn"], path: "Tests/PostgresHarness", swiftSettings: strict),
        tests("PostgresLibPQTests", ["CLibPQ", "PostgresHarness", "PostgresLibPQ", logging, serviceLifecycle]),
        tests("EmbeddedPostgresTests", ["EmbeddedPostgres", logging, subprocess, systemPackage]),
        tests("PINImagesTests", ["PINImages", "PythonOracle", "SecureMemory"], exclude: ["Oracles"]),
        tests("SecureMemoryTests", ["SecureMemory"]),
        tests("StrictJSONTests", ["SecureMemory", "StrictJSON"]),
        tests("KeyBlocksTests", ["Cryptography", "KeyBlocks", "PythonOracle", "SecureMemory"], exclude: ["Oracles"]),
        tests("PINBlocksTests", ["Cryptography", "PINBlocks", "PythonOracle", "SecureMemory"], exclude: ["Oracles"]),
        tests("KeyVaultTests", ["Cryptography", "KeyVault", "SecureMemory"]),
        tests("PKCS11Tests", ["Cryptography", "PKCS11", "SecureMemory", "ServerHarness"]),
        tests("VaultTests", ["ServerHarness"]),
        tests("AuditTests", ["ServerHarness"]),
        tests("OperatorTests", ["CardCompanion", "EMRTDSimulation", "ServerHarness"]),
        tests(
            "CardCompanionTests",
            [
                "CardCompanion", "CardCompanionAPI", "CardCompanionStore", "Cryptography", "HTTPSignatures", "JOSE",
                "KeyVault", "PINBlocks", "PINImages", "SecureMemory", "StrictJSON", logging, nioPosix,
            ]),
        tests(
            "CardCompanionHTTPTests",
            [
                "CardCompanion", "CardCompanionHTTP", "SecureMemory", "StrictJSON", httpTypes, hummingbird,
            ]),
        tests("CardCompanionStoreTests", ["CardCompanionStore"]),
        tests("CardCompanionWebhooksTests", ["CardCompanion", "CardCompanionStore", "CardCompanionWebhooks"]),

        // End-to-end tests: real server processes, over HTTP, on a real PostgreSQL.
        .target(
            name: "ServerHarness",
            dependencies: [
                "CardCompanion", "CardCompanionStore", "CLibPQ", "CSpawn", "EmbeddedPostgres", "HTTPSignatures",
                "KeyVault", "SecureMemory", crypto, cryptoExtras, logging, nioCore, nioPosix, subprocess, systemPackage,
            ],
            path: "Tests/ServerHarness", swiftSettings: strict),
        tests(
            "DistributionTests",
            ["CardCompanionAPI", "CardCompanionSDK", "PythonOracle", "ServerHarness", crypto, cryptoExtras],
            exclude: ["Oracles"]),
        tests(
            "DefinitionTests",
            ["CardCompanionAPI", "CardCompanionSDK", "PythonOracle", "ServerHarness", crypto, cryptoExtras],
            exclude: ["Oracles"]),
        tests("IssuingTests", ["PythonOracle", "ServerHarness", crypto, cryptoExtras], exclude: ["Oracles"]),
        // A bank's server that gets webhooks and results.
        .target(
            name: "WebhookHarness",
            dependencies: ["ServerHarness", crypto, nioCore, nioHTTP1, nioPosix, nioSSL],
            path: "Tests/WebhookHarness", swiftSettings: strict),
        tests(
            "EventTests",
            [
                "PythonOracle", "ServerHarness", "WebhookHarness", crypto, cryptoExtras, nioCore, nioHTTP1, nioPosix,
                nioSSL,
            ]),
        tests(
            "IdentityTests",
            [
                "Cryptography", "DocumentValidationClient", "DocumentValidationSimulation", "EMRTD", "EMRTDSimulation",
                "ServerHarness", "StrictJSON", "WebhookHarness", crypto, cryptoExtras, nioHTTP1,
            ]),
        // Measures the server: 'make bench'.
        .executableTarget(
            name: "bench",
            dependencies: [
                "Cryptography", "DocumentValidation", "DocumentValidationClient", "DocumentValidationSimulation",
                "EMRTD", "EMRTDSimulation", "PINImages", "SecureMemory", "ServerHarness", argumentParser, crypto,
                cryptoExtras, httpTypes, hummingbird, nioCore, nioPosix, nioSSL,
            ],
            path: "Tests/Bench", exclude: ["plot.py", "requirements.txt"], swiftSettings: strict),
        // Draws images of PINs, and lets programs read them: 'make captcha-report'.
        .executableTarget(
            name: "captcha-report", dependencies: ["PINImages", "SecureMemory", argumentParser],
            path: "Tests/CaptchaReport", exclude: ["report"], swiftSettings: strict),
        tests("SandboxTests", ["PythonOracle", "ServerHarness", crypto, cryptoExtras]),
        tests("OpenAPITests", ["PythonOracle", "ServerHarness"], exclude: ["Drivers"]),
        tests("WebTests", ["PythonOracle", "ServerHarness"], exclude: ["Browser", "Types"]),
        // Counts instructions: 'make instructions'.
        .executableTarget(
            name: "instructions",
            dependencies: ["Cryptography", "JOSE", "KeyVault", "PINImages", "SecureMemory", "StrictJSON"],
            path: "Tests/Instructions", exclude: ["count.py", "thresholds.json"], swiftSettings: strict),
        tests(
            "OperationTests", ["PostgresHarness", "PythonOracle", "ServerHarness", crypto], exclude: ["Oracles"]),
        // The parsers of hostile bytes, for the fuzzer ('make fuzz') and for the replay of its inputs.
        .target(
            name: "FuzzedParsers",
            dependencies: [
                "CardCompanion", "CardCompanionAPI", "CardCompanionHTTP", "CardCompanionStore", "Cryptography",
                "DocumentValidation", "EIDInterface", "EIDSimulation", "EMRTD", "EMRTDSimulation", "HTTPSignatures",
                "JOSE", "KeyBlocks", "KeyVault",
                "PINBlocks", "SecureMemory",
                "StrictJSON", httpTypes, logging,
            ],
            path: "Tests/Fuzz/Parsers", swiftSettings: strict),
        .testTarget(
            name: "FuzzTests", dependencies: ["FuzzedParsers"], path: "Tests/Fuzz/Replay", swiftSettings: strict),
        tests("SecrecyTests", ["ServerHarness", crypto], exclude: ["Oracles"]),
        tests("WatchTests", ["ServerHarness"]),
        tests("CardCompanionAPITests", ["CardCompanionAPI"]),
        tests(
            "CardCompanionSDKTests",
            [
                "CardCompanionAPI", "CardCompanionSDK", crypto, cryptoExtras, nioCore, nioHTTP1, nioPosix, nioSSL,
            ]),
    ]
)

// libFuzzer has the main function, and is only there if the package is built with '--sanitize=fuzzer': 'make fuzz'.
if Context.environment["CARD_COMPANION_FUZZER"] != nil {
    package.targets.append(
        .executableTarget(
            name: "fuzzer", dependencies: ["FuzzedParsers"], path: "Tests/Fuzz/Program",
            swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])]))
}
