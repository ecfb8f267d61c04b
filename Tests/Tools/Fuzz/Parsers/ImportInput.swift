import CardCompanionAPI
import CardCompanionModel
import Logging
import SecureMemory
import StrictJSON

@testable import CardCompanion
@testable import CardCompanionStore

/// An import of cardholders: lines of JSON.
enum ImportInput {
    /// A small limit, so that short input exceeds it.
    private static let lineByteLimit = 200

    /// The lines do not depend on how the body arrives.
    static func read(_ bytes: [UInt8]) {
        let whole = lines(of: bytes, chunkByteCount: max(1, bytes.count))
        for chunkByteCount in [3, 50] {
            require(lines(of: bytes, chunkByteCount: chunkByteCount) == whole, "other chunks have other lines")
        }
        let content = bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...]
        let parts = content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let expected = bytes.isEmpty ? [] : parts.map { $0.count > lineByteLimit ? nil : Array($0) }
        require(whole == expected, "a line was lost or changed")
        for case let line? in whole { readLine(line) }
    }

    /// The lines; nil for one that is too long.
    private static func lines(of bytes: [UInt8], chunkByteCount: Int) -> [[UInt8]?] {
        var splitter = LineSplitter(byteLimit: lineByteLimit)
        var lines: [LineSplitter.Line] = []
        for start in stride(from: 0, to: bytes.count, by: chunkByteCount) {
            let chunk = bytes[start..<min(bytes.count, start + chunkByteCount)]
            lines += splitter.split(SharedSecret(SecretBytes(copying: chunk)))
        }
        if let last = splitter.finish() { lines.append(last) }
        return lines.map { line in
            guard case .whole(let secret) = line else { return nil }
            return secret.bytes.withBytes { [UInt8]($0) }
        }
    }

    /// The members that are not sealed.
    private static func readLine(_ line: [UInt8]) {
        guard let body = try? JSONText(SecretBytes(copying: line)) else { return }
        var members = ProvisionedMembers(
            bank: bank, uniqueId: body.string(MemberName.uniqueId) ?? "", keyring: Fixture.keyring,
            serverKeys: serverKeys, pinKeys: pinKeys, acceptsCodes: true)
        members.requireUniqueId()
        _ = (members.status(body), members.channels(body), members.definition(body), members.accessibility(body))
        _ = members.unlocks(body)
        _ = try? members.freeField(body)
        _ = try? members.finish()
        _ = try? SentPINBlock(SecretBytes(copying: line), allowed: Set(PINBlockKind.allCases))
    }

    private static let store = Store(StoreConfiguration(url: "host=/nowhere"), logger: Logger(label: "fuzz"))
    private static let clock = WallClock { Fixture.now }
    private static let inventory = InventoryKeeper(store: store, clock: clock, marks: [], logger: Logger(label: "fuzz"))
    private static let serverKeys = ServerKeys(
        store: store, keyring: Fixture.keyring, inventory: inventory, clock: clock)
    private static let pinKeys = PINKeys(
        of: Fixture.bankId,
        countedObjects: CountedObjects(
            store: store, keyring: Fixture.keyring, inventory: inventory, logger: Logger(label: "fuzz")),
        keyring: Fixture.keyring)
    private static let bank = IssuerBank(
        BankWithKeys(
            bank: BankRecord(
                id: Fixture.bankId, status: .active,
                settings: BankSettings(name: "Bank", programme: "BANK", scheme: .pciCPP), approvedSettings: nil,
                revision: 1, createdAt: Fixture.now, requestsFrom: nil),
            hmacKeys: [], definedPINKey: nil, certificates: [], revocationLists: [], sealsResults: false))
}
