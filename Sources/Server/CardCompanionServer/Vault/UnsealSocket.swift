internal import Administration
internal import CardCompanion
internal import Glibc
internal import KeyVault
internal import Logging
internal import SecureMemory
internal import ServiceLifecycle

/// Takes the PIN of the vault from 'card-companion vault unseal', while the server runs.
///
/// A call is one message: a byte with the options, and the PIN. The answer is ``opened``, or why the vault could not be
/// opened.
package struct UnsealSocket: Service, CustomStringConvertible {
    package static let opened = "ok"
    package static let acceptsLastTry: UInt8 = 1
    package static let answerByteLimit = 1000

    private static let pause = Duration.milliseconds(200)
    private static let busyPause = Duration.seconds(5)
    private static let callLimit = Duration.seconds(5)

    package let description = "unseal socket"
    private let path: String
    private let vault: TokenVault
    private let watch: VaultWatch
    private let logger: Logger

    init(path: String, vault: TokenVault, watch: VaultWatch, logger: Logger) {
        self.path = path
        self.vault = vault
        self.watch = watch
        self.logger = logger
    }

    /// - Throws: ``CommandError`` if the path cannot be used.
    func run() async throws {
        try await cancelWhenGracefulShutdown { try await self.listen() }
    }

    /// Two servers of one machine can have the same path, for example during an upgrade. The second one waits.
    private func listen() async throws {
        var isWarned = false
        while !Task.isCancelled {
            if let socket = try UnixSocket.listening(at: path) { return await serve(socket) }
            if !isWarned {
                logger.warning(
                    "Another server listens at the unseal socket: 'vault unseal' does not reach this one",
                    metadata: ["path": "\(path)"])
                isWarned = true
            }
            try? await Task.sleep(for: Self.busyPause)
        }
    }

    private func serve(_ socket: consuming UnixSocket) async {
        while !Task.isCancelled {
            if let caller = socket.accepted() { await answer(caller) }
            try? await Task.sleep(for: Self.pause)
        }
    }

    private func answer(_ caller: consuming UnixSocket) async {
        guard caller.isPeerAllowed else {
            return logger.warning("A user without permission tried to use the unseal socket")
        }
        guard let call = await caller.receive(byteLimit: 1 + PINFile.byteLimit, within: Self.callLimit),
            call.bytes.count > 1
        else { return }
        let answer = await unseal(call)
        caller.send(SecretBytes(copying: Array(answer.utf8.prefix(Self.answerByteLimit))))
    }

    /// - Returns: the answer.
    private func unseal(_ call: SharedSecret) async -> String {
        let acceptsLastTry = call.bytes.withBytes { $0[0] == Self.acceptsLastTry }
        let pin = call.bytes.withBytes { SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0.dropFirst())) }
        // A mistyped PIN must not end a session that works.
        guard watch.needsPIN else { return Self.opened }
        do {
            try await vault.logIn(SharedSecret(pin), acceptsLastTry: acceptsLastTry)
            try await watch.openNow()
            return Self.opened
        } catch {
            logger.warning("The vault could not be unsealed", metadata: ["reason": "\(error)"])
            return "\(error)"
        }
    }
}
