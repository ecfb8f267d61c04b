internal import LogLines
internal import Logging

/// The log goes to standard error: standard output belongs to the command.
enum Log {
    static func bootstrap(_ settings: ServerSettings, forServer: Bool) -> Logger {
        LoggingSystem.bootstrap { _ in LogLineHandler.standardError(settings.logsJSON ? .json : .text) }
        var logger = Logger(label: "card-companion")
        logger.logLevel = forServer ? settings.logLevel : max(settings.logLevel, .warning)
        return logger
    }
}
