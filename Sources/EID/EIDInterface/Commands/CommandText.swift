internal import Foundation

extension Command {
    /// The name in `cmd`.
    public var name: Name {
        switch self {
        case .getInfo: .getInfo
        case .getAPILevel: .getAPILevel
        case .setAPILevel: .setAPILevel
        case .getReader: .getReader
        case .getReaderList: .getReaderList
        case .runAuth: .runAuth
        case .runChangePIN: .runChangePIN
        case .getAccessRights: .getAccessRights
        case .setAccessRights: .setAccessRights
        case .getCertificate: .getCertificate
        case .cancel: .cancel
        case .accept: .accept
        case .interrupt: .interrupt
        case .setPIN: .setPIN
        case .setNewPIN: .setNewPIN
        case .setCAN: .setCAN
        case .setPUK: .setPUK
        case .getStatus: .getStatus
        case .setCard: .setCard
        case .continueWorkflow: .continueWorkflow
        }
    }

    /// The JSON text, without white space, with members in the document's order.
    public var text: WipedBytes {
        JSONWriter.object { writer in
            writer.add("cmd", name.rawValue)
            addParameters(to: &writer)
        }
    }

    private func addParameters(to writer: inout JSONWriter) {
        switch self {
        case .setAPILevel(let level): writer.add("level", level)
        case .getReader(let name): writer.add("name", name)
        case .runAuth(let run):
            writer.add("tcTokenURL", run.tcTokenURL.absoluteString)
            writer.add("handleInterrupt", run.handleInterrupt)
            run.messages?.add(to: &writer)
            writer.add("status", run.status)
            writer.add("developerMode", run.developerMode)
        case .runChangePIN(let run):
            writer.add("handleInterrupt", run.handleInterrupt)
            run.messages?.add(to: &writer)
            writer.add("status", run.status)
        case .setAccessRights(let rights): writer.add("chat", rights.map(\.rawValue))
        case .setPIN(let value), .setNewPIN(let value), .setCAN(let value), .setPUK(let value):
            writer.add("value", value)
        case .setCard(let name, let simulated):
            writer.add("name", name)
            simulated?.add(to: &writer)
        case .getInfo, .getAPILevel, .getReaderList, .getAccessRights, .getCertificate, .cancel, .accept, .interrupt,
            .getStatus, .continueWorkflow:
            break
        }
    }
}

extension DialogMessages {
    fileprivate func add(to writer: inout JSONWriter) {
        writer.add(
            "messages",
            object: { writer in
                writer.add("sessionStarted", sessionStarted)
                writer.add("sessionFailed", sessionFailed)
                writer.add("sessionSucceeded", sessionSucceeded)
                writer.add("sessionInProgress", sessionInProgress)
            })
    }
}

extension SimulatedFiles {
    fileprivate func add(to writer: inout JSONWriter) {
        writer.add(
            "simulator",
            object: { writer in
                writer.add("files", objects: files) { writer, file in
                    writer.add("fileId", file.fileId)
                    writer.add("shortFileId", file.shortFileId)
                    writer.add("content", file.content)
                }
                guard let keys else { return }
                writer.add("keys", objects: keys) { writer, key in
                    writer.add("id", key.id)
                    writer.add("content", key.content)
                }
            })
    }
}
