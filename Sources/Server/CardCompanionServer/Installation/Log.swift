internal import JSONLog
internal import Logging

/// The log goes to standard error: standard output belongs to the command.
enum Log {
    static func bootstrap(_ settings: ServerSettings, forServer: Bool) -> Logger {
        LoggingSystem.bootstrap { label -> any LogHandler in
            if settings.logsJSON { return JSONLogHandler.standardError() }
            return StreamLogHandler.standardError(label: label)
        }
        var logger = Logger(label: "card-companion")
        logger.logLevel = forServer ? settings.logLevel : max(settings.logLevel, .warning)
        return logger
    }
}
