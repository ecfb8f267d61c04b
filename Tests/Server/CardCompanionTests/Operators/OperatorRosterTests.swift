import CardCompanion
import CardCompanionModel
import Cryptography
import Testing

@Suite("The operators of an installation")
struct OperatorRosterTests {
    private func member(_ name: String, _ byte: UInt8) throws -> OperatorRoster.Member {
        try OperatorRoster.Member(name: name, publicKey: [UInt8](repeating: byte, count: 32))
    }

    private func roster() throws -> OperatorRoster {
        try OperatorRoster(first: [try member("alice", 1), try member("bob", 2)], isDual: true)
    }

    @Test("The vault's record is read as it was written")
    func record() throws {
        let roster = try roster()
        #expect(try OperatorRoster.newest(of: [roster.bytes]) == roster)
        #expect(try OperatorRoster.newest(of: []) == nil)
    }

    @Test("If a change was interrupted, the newer record counts")
    func newest() throws {
        let old = try roster()
        let new = try old.with(isDual: false)
        #expect(try OperatorRoster.newest(of: [new.bytes, old.bytes]) == new)
        #expect(try OperatorRoster.newest(of: [old.bytes, new.bytes]) == new)
    }

    @Test(
        "A record that is not exactly what is written is refused",
        arguments: [
            ("sequence 1", "sequence 01"), ("dual-control on", "dual-control yes"), ("operator bob", "operator alice"),
            ("operators 1", "operators 2"), ("operator bob", "operator  bob"), ("0202", "0101"), ("bob", "B ob"),
        ])
    func damaged(from: String, to: String) throws {
        var text = String(decoding: try roster().bytes, as: UTF8.self)
        text = text.replacing(from, with: to)
        if from == "0202" { text = text.replacing("02", with: "01") }
        #expect(throws: DamagedOperators.self) { try OperatorRoster.newest(of: [Array(text.utf8)]) }
    }

    @Test("There are always two operators, with names and keys of their own")
    func rules() throws {
        #expect(throws: InvalidSetting.self) { try OperatorRoster(first: [try member("alice", 1)], isDual: true) }
        #expect(throws: InvalidSetting.self) { try roster().adding(try member("alice", 3)) }
        #expect(throws: InvalidSetting.self) { try roster().adding(try member("carol", 1)) }
        #expect(throws: InvalidSetting.self) { try roster().removing("alice") }
        #expect(throws: InvalidSetting.self) { try roster().removing("nobody") }
        for name in ["", "Alice", "a b", String(repeating: "a", count: 33), "a\n"] {
            #expect(throws: InvalidSetting.self) { try member(name, 1) }
        }
        let more = try roster().adding(try member("carol", 3))
        #expect(try more.removing("alice").members.map(\.name) == ["bob", "carol"])
        #expect(more.sequence == 2)
    }
}

@Suite("Approvals of two operators")
struct ApprovalTests {
    private struct Signer {
        let name: String
        let key: Ed25519PrivateKey

        init(_ name: String) throws {
            self.name = name
            key = try .generate()
        }

        func sign(_ text: String) throws -> OperatorSignature {
            OperatorSignature(operatorName: name, signature: try key.sign(Array(text.utf8)))
        }

        var member: OperatorRoster.Member {
            get throws { try .init(name: name, publicKey: key.publicKey.rawRepresentation) }
        }
    }

    private let (alice, bob, mallory): (Signer, Signer, Signer)
    private let roster: OperatorRoster

    init() throws {
        alice = try Signer("alice")
        bob = try Signer("bob")
        mallory = try Signer("mallory")
        roster = try OperatorRoster(first: [try alice.member, try bob.member], isDual: true)
    }

    private func statement(of roster: OperatorRoster? = nil) throws -> ApprovalStatement {
        try ApprovalStatement(
            installationId: (roster ?? self.roster).installationId, action: "webhook set", change: [1, 2, 3],
            objects: [],
            now: .init(seconds: 1_800_000_000))
    }

    @Test("A statement is read exactly as it was written")
    func text() throws {
        let statement = try statement()
        #expect(ApprovalStatement(statement.text) == statement)
        #expect(statement.text.contains("action webhook set\n"))
        for (from, to) in [
            ("approval 1", "approval 2"), ("expires 1", "expires 01"), ("action", "Action"), ("\n", "\r\n"),
            ("nonce ", "nonce 00"),
        ] {
            #expect(ApprovalStatement(statement.text.replacing(from, with: to)) == nil)
        }
        #expect(ApprovalStatement(statement.text + "object 00\n") == nil)
        #expect(ApprovalStatement("") == nil)
        #expect(statement.isAbout([1, 2, 3], []))
        #expect(!statement.isAbout([1, 2, 4], []))
    }

    @Test("Two operators approve; one, a stranger, or a signature of another text does not")
    func signatures() throws {
        let statement = try statement()
        let (first, second) = (try alice.sign(statement.text), try bob.sign(statement.text))
        _ = try Approval(statement, first, second, in: roster)
        #expect(throws: ApprovalRefusal.sameOperator("alice")) { try Approval(statement, first, first, in: roster) }
        #expect(throws: ApprovalRefusal.invalidSignature("mallory")) {
            try Approval(statement, first, try mallory.sign(statement.text), in: roster)
        }
        let disguised = OperatorSignature(operatorName: "bob", signature: first.signature)
        #expect(throws: ApprovalRefusal.invalidSignature("bob")) {
            try Approval(statement, first, disguised, in: roster)
        }
        #expect(throws: ApprovalRefusal.invalidSignature("bob")) {
            try Approval(statement, first, try bob.sign("another text"), in: roster)
        }
    }

    @Test("An approval of another installation does not count, and neither does one of a removed operator")
    func otherRoster() throws {
        let statement = try statement()
        let signatures = (try alice.sign(statement.text), try bob.sign(statement.text))
        let other = try OperatorRoster(first: [try alice.member, try bob.member], isDual: true)
        #expect(throws: ApprovalRefusal.otherInstallation) {
            try Approval(statement, signatures.0, signatures.1, in: other)
        }
        let fewer = try roster.adding(try mallory.member).removing("bob")
        #expect(throws: ApprovalRefusal.invalidSignature("bob")) {
            try Approval(statement, signatures.0, signatures.1, in: fewer)
        }
    }
}
