internal import Foundation
internal import Glibc

/// A folder that a command makes and fills.
package enum NewFolder {
    /// Lets `body` fill a new folder that only this user can read. It gets its name when it is complete, so that nothing half done
    /// looks whole.
    ///
    /// - Throws: ``CommandError`` if there is something of that name, or it cannot be made; what `body` throws.
    package static func fill<Result>(_ path: String, _ body: (String) async throws -> Result) async throws -> Result {
        try requireNew(path)
        let draft = "\(path).partial"
        guard mkdir(draft, 0o700) == 0 else {
            guard errno == EEXIST else { throw notMade(path) }
            throw CommandError.refused(
                "\(draft) is there already: another command fills it, or one was interrupted. In the latter case remove it"
            )
        }
        do {
            let result = try await body(draft)
            guard rename(draft, path) == 0 else { throw notMade(path) }
            return result
        } catch {
            try? FileManager.default.removeItem(atPath: draft)
            throw error
        }
    }

    /// - Throws: ``CommandError`` if there is something of that name, if only a link that leads nowhere.
    package static func requireNew(_ path: String) throws(CommandError) {
        var status = stat()
        guard lstat(path, &status) != 0 else { throw .refused("\(path) is there already: name another folder") }
    }

    /// The path with no link in it, although its last part is not there yet.
    ///
    /// - Throws: ``CommandError`` if the folder that it is to be in is not there.
    package static func resolved(_ path: String) throws(CommandError) -> String {
        let whole = URL(filePath: path).standardizedFileURL
        let parent = whole.deletingLastPathComponent().path(percentEncoded: false)
        guard let real = realpath(parent, nil) else {
            throw .notWritten("\(path) cannot be made: \(parent): \(String(cString: strerror(errno)))")
        }
        defer { free(real) }
        return "\(String(cString: real))/\(whole.lastPathComponent)".replacing("//", with: "/")
    }

    private static func notMade(_ path: String) -> CommandError {
        .notWritten("\(path) cannot be made: \(String(cString: strerror(errno)))")
    }
}
