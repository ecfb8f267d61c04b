package import CardCompanion
package import DocumentValidation

/// What sessions of document verification can take from a server.
package struct DocumentSessionSettings: Sendable {
    /// The most open sessions.
    package var sessions = 2_000
    /// The most open sessions of one address (IPv6: one /64). Their files are half of what a server holds at most.
    package var addressSessions = 32
    /// How many sessions a client can begin, all its users together. Its clientId is no secret, so the limit protects the other
    /// clients and the database, and not this client.
    package var clientRate = TokenBucket.Rate(perSecond: 50, burst: 500)
    /// How many messages for diagnostics a session can send. Each KiB counts as one.
    package var monitoringRate = TokenBucket.Rate(perSecond: 50, burst: 1_000)
    /// The most bytes of all files.
    package var fileByteCount = FileMemory.usualByteLimit
    package var times = SessionTimes()
    /// How long something that was sent can wait for a client that does not read.
    package var writeLimit = Duration.seconds(30)
    /// How long a client has to answer the close frame.
    package var closeLimit = Duration.seconds(2)

    package init() {}
}
