internal import Foundation

extension Command {
    /// The name in `cmd`.
    public var name: Name { content.name }

    /// The JSON text, without white space, with members in the document's order.
    public var text: WipedBytes {
        let (name, parameters) = content
        return (["cmd": name.rawValue] + parameters).text
    }

    private var content: (name: Name, parameters: JSONObject) {
        switch self {
        case .getInfo: (.getInfo, [:])
        case .getAPILevel: (.getAPILevel, [:])
        case .setAPILevel(let level): (.setAPILevel, ["level": level])
        case .getReader(let name): (.getReader, ["name": name])
        case .getReaderList: (.getReaderList, [:])
        case .runAuth(let run): (.runAuth, run.json)
        case .runChangePIN(let run): (.runChangePIN, run.json)
        case .getAccessRights: (.getAccessRights, [:])
        case .setAccessRights(let rights): (.setAccessRights, ["chat": rights.map(\.rawValue)])
        case .getCertificate: (.getCertificate, [:])
        case .cancel: (.cancel, [:])
        case .accept: (.accept, [:])
        case .interrupt: (.interrupt, [:])
        case .setPIN(let value): (.setPIN, ["value": value])
        case .setNewPIN(let value): (.setNewPIN, ["value": value])
        case .setCAN(let value): (.setCAN, ["value": value])
        case .setPUK(let value): (.setPUK, ["value": value])
        case .getStatus: (.getStatus, [:])
        case .setCard(let name, let simulated): (.setCard, ["name": name, "simulator": simulated?.json])
        case .continueWorkflow: (.continueWorkflow, [:])
        }
    }
}

extension RunAuth {
    fileprivate var json: JSONObject {
        [
            "tcTokenURL": tcTokenURL.absoluteString, "handleInterrupt": handleInterrupt, "messages": messages?.json,
            "status": status, "developerMode": developerMode,
        ]
    }
}

extension RunChangePIN {
    fileprivate var json: JSONObject {
        ["handleInterrupt": handleInterrupt, "messages": messages?.json, "status": status]
    }
}

extension DialogMessages {
    fileprivate var json: JSONObject {
        [
            "sessionStarted": sessionStarted, "sessionFailed": sessionFailed, "sessionSucceeded": sessionSucceeded,
            "sessionInProgress": sessionInProgress,
        ]
    }
}

extension SimulatedFiles {
    fileprivate var json: JSONObject { ["files": files.map(\.json), "keys": keys?.map(\.json)] }
}

extension SimulatedFiles.File {
    fileprivate var json: JSONObject { ["fileId": fileId, "shortFileId": shortFileId, "content": content] }
}

extension SimulatedFiles.Key {
    fileprivate var json: JSONObject { ["id": id, "content": content] }
}
