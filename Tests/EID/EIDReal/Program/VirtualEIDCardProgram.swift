internal import ArgumentParser
internal import Foundation
internal import VirtualEIDCard

/// An eID card on the virtual reader of pcscd, for `make test-eid`.
@main
struct VirtualEIDCardProgram: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "virtual-eid-card",
        abstract: "An eID card on the virtual reader of pcscd. It authenticates nobody.",
        discussion: """
            It reads commands from standard input, one per line: "insert" puts the card onto the reader, "remove" takes it
            away. Each is answered with "done" or with what is wrong. The end of the input ends the program.
            """)

    @Option(help: "The members of a card in a scenario (docs/eid.md), as JSON.")
    var card = "{}"

    @Option(help: "Where vpcd listens, on this machine.")
    var port: UInt16 = 35963

    @Flag(help: "Write the commands and answers to standard error.")
    var trace = false

    private struct Members: Decodable {
        var pin: String?
        var can: String?
        var puk: String?
        var tries: Int?
        var pukUses: Int?
        var deactivated: Bool?
        var unknown: Bool?
    }

    func run() throws {
        var card = try makeCard()
        var connection: VPCDConnection?
        while true {
            let ready = Self.wait(for: [STDIN_FILENO, connection?.descriptor ?? -1])
            if ready[0] {
                guard let line = readLine() else { return }
                do throws(VPCDConnection.Fault) {
                    try follow(line, &card, &connection)
                    Self.say("done")
                } catch {
                    Self.say(error.description)
                }
            }
            // The command may have closed the connection.
            guard ready[1], let current = connection else { continue }
            do throws(VPCDConnection.Fault) {
                if let (command, answer) = try current.serve(&card), trace { report(command, answer) }
            } catch {
                connection = nil
            }
        }
    }

    private func makeCard() throws -> VirtualCard {
        guard let members = try? JSONDecoder().decode(Members.self, from: Data(card.utf8)) else {
            throw ValidationError("--card must be JSON with the members of a card")
        }
        let state = CardState(
            pin: members.pin ?? "123456", can: members.can ?? "654321", puk: members.puk ?? "1234567890",
            tries: members.tries ?? CardState.tryLimit, pukUses: members.pukUses ?? CardState.pukUseLimit,
            isDeactivated: members.deactivated ?? false)
        return VirtualCard(state, isUnknown: members.unknown ?? false)
    }

    private func follow(
        _ line: String, _ card: inout VirtualCard, _ connection: inout VPCDConnection?
    ) throws(VPCDConnection.Fault) {
        switch line {
        case "insert":
            card.reset()
            connection = try VPCDConnection(port: port)
        case "remove": connection = nil
        default: throw VPCDConnection.Fault(description: "the command is not known")
        }
    }

    private func report(_ command: [UInt8], _ answer: [UInt8]) {
        let text = "> \(Self.hex(command))\n< \(Self.hex(answer))\n"
        FileHandle.standardError.write(Data(text.utf8))
    }

    private static func hex(_ bytes: [UInt8]) -> String { bytes.map { String(format: "%02X", $0) }.joined() }

    private static func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

    /// Which of these can be read. A negative one never can.
    private static func wait(for descriptors: [Int32]) -> [Bool] {
        var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while poll(&entries, nfds_t(entries.count), -1) < 0 {}
        return entries.map { $0.revents != 0 }
    }
}
