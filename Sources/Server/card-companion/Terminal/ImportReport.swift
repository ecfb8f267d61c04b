import Administration
import CardCompanion
import CardCompanionServer

/// Shows the results of an import, and a progress bar on a terminal.
struct ImportReport {
    private let asJSON: Bool
    private var bar: ProgressBar
    private var isWriting = false
    private var bytesRead = 0
    private var linesWritten = 0

    /// - Parameter fileByteCount: the size of the file; nil if it is not known.
    init(fileByteCount: Int?, asJSON: Bool) {
        self.asJSON = asJSON
        bar = ProgressBar(total: fileByteCount)
    }

    /// Records that bytes of the file were read.
    mutating func read(_ byteCount: Int) {
        bytesRead += byteCount
    }

    mutating func show(_ results: [ImportResult], _ progress: CardholderImport.Progress) throws {
        switch progress {
        case .reading(let lines): bar.update(done: bytesRead, count: lines)
        case .writing(let staged):
            if !isWriting {
                bar.finish()
                bar = ProgressBar(total: staged)
                isWriting = true
            }
            linesWritten += results.count
            bar.update(done: linesWritten, count: linesWritten)
        }
        for result in results {
            if asJSON {
                try Terminal.show(Terminal.encode(result))
            } else if case .refused(let refusal) = result.outcome {
                bar.finish()
                Terminal.note("line \(result.line): \(refusal)")
            }
            if !asJSON, let warnings = ProvisioningError.warnings(result.unknownMembers) {
                bar.finish()
                for warning in warnings { Terminal.note("line \(result.line): warning: \(warning)") }
            }
        }
    }

    func finish() {
        bar.finish()
    }
}
