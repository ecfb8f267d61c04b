import Administration
import CardCompanionServer
import Foundation
import Glibc
import SecureMemory
import StrictJSON

/// The cards of the bank's host, in a file of the sandbox's folder. The host writes it, and the terminal reads it.
struct HostCards: Sendable {
    static let file = "host.json"
    private static let byteLimit = 1 << 20

    private let sandbox: Sandbox
    private var cards: [String: HostCard] = [:]

    /// Reads the file. Without one the host knows no card.
    init(of sandbox: Sandbox) throws {
        self.sandbox = sandbox
        let path = "\(sandbox.directory)/\(Self.file)"
        guard FileManager.default.fileExists(atPath: path) else { return }
        let damaged = CommandError.refused("\(path) is damaged: remove it, and choose the PINs again")
        guard let json = try? JSONText(InputFile.readSecret(path, byteLimit: Self.byteLimit)) else { throw damaged }
        for name in json.names {
            guard let card = json.object(name) else { throw damaged }
            cards[name] = HostCard(card)
        }
    }

    /// The card of a cardholder. A change is in the file when ``save()`` has ended.
    subscript(_ uniqueId: String) -> HostCard {
        get { cards[uniqueId] ?? HostCard() }
        set { cards[uniqueId] = newValue }
    }

    /// Writes a new file, which takes the place of the old one at once.
    func save() throws {
        let json = JSONWriter.object { json in
            for (name, card) in cards.sorted(by: { $0.key < $1.key }) {
                json.add(name, object: { card.write(to: &$0) })
            }
        }
        try sandbox.replace(Self.file, with: json)
    }
}

extension HostCard {
    private static let (present, next, call) = ("present", "next", "call")
    private static let (event, pvv, body) = ("event", "pvv", "body")

    fileprivate init(_ json: borrowing JSONText) {
        present = Self.value(json.object(Self.present))
        next = Self.value(json.object(Self.next))
        if let call = json.object(Self.call), let event = call.text(of: Self.event), let body = call.text(of: Self.body)
        {
            self.call = Call(event: event, body: body)
        }
    }

    private static func value(_ json: consuming JSONText?) -> Value? {
        guard let json, let event = json.text(of: Self.event), let pvv = SharedSecret(json.secret(of: Self.pvv)) else {
            return nil
        }
        return Value(event: event, pvv: pvv)
    }

    fileprivate func write(to json: inout JSONWriter) {
        for case (let name, let value?) in [(Self.present, present), (Self.next, next)] {
            json.add(
                name,
                object: { json in
                    json.add(Self.event, value.event)
                    json.add(Self.pvv, utf8: value.pvv.bytes)
                })
        }
        guard let call else { return }
        json.add(
            Self.call,
            object: { json in
                json.add(Self.event, call.event)
                json.add(Self.body, call.body)
            })
    }
}
