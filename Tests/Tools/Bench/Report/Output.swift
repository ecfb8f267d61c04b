import Foundation

/// Shows a line of the results at once, also if standard output is a file or a pipe.
func show(_ text: String) {
    FileHandle.standardOutput.write(Data("\(text)\n".utf8))
}

/// Says what is being done.
func note(_ text: String) {
    FileHandle.standardError.write(Data("\(text)\n".utf8))
}
