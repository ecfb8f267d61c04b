package import Logging

extension Logger {
    /// The audit trail: the lines of the log with `trail=audit`. They are written whatever the log's level is.
    package var auditTrail: Logger {
        var trail = self
        trail[metadataKey: "trail"] = "audit"
        trail.logLevel = .info
        return trail
    }
}
