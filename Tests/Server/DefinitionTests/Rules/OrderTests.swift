import ServerHarness
import Testing

/// The order of the checks (protocol, section 2.8): of two faults in one request, the first in the row is answered.
///
/// Tests every pair of faults that one request can have, not only neighbours in the row.
@Suite("Order of definition checks")
struct OrderTests {
    /// Banks and a cardholder for requests that only the last checks refuse.
    private struct Scene {
        let service: Service
        let holder: TestCardholder
        /// A bank that has the cardholder too, but does not allow definition.
        let closed: TestBank
        /// The id of a bank without an HMAC key and certificate.
        let bare: String
        /// An IdTransaction that is spent for both banks.
        let spentTransaction = Unique.name("spent")

        init(_ service: Service) async throws {
            self.service = service
            holder = try await service.holder()
            closed = try await service.installation.makeBank(["--definition", "false"])
            try await service.installation.provision([holder], of: closed, through: service.server)
            bare = Unique.name("bare")
            try await service.installation.run(["bank", "add", bare, "--scheme", "CB"]).succeeded()
        }

        func spend() async throws {
            for bank in [service.bank, closed] {
                var attempt = try service.attempt(.token, holder, "12", of: bank)
                attempt.transactionId = spentTransaction
                try #require(try await service.code(attempt) == 131)
            }
        }
    }

    @Test("keypad-coordinates")
    func keypad() async throws {
        let service = try await Service.shared.value
        let scene = try await Scene(service)
        try await expectOrder(
            of: .keypad, scene,
            [
                .missing(100, "bankId", [.bankId, .bank]), .missing(110, "uniqueId", [.uniqueId]),
                .missing(213, "keypadSize", [.keypadSize]),
                Fault(212, "61 places", [.keypadSize]) { $0.keypadSize = 61 },
                .unknownBank.butAlso(.bank), .unknownCardholder,
                closed(scene),
            ])
    }

    @Test("pin")
    func hmac() async throws {
        let service = try await Service.shared.value
        let scene = try await Scene(service)
        let bare = scene.bare
        try await expectOrder(
            of: .hmac, scene,
            [
                .missing(100, "bankId", [.bankId, .bank]), .missing(110, "uniqueId", [.uniqueId]),
                .missing(120, "timestamp", [.timestamp]), .missing(140, "hashMac", [.hashMac]),
                .missing(130, "pin", Fault.choice),
                .notATimestamp, .emptyEncryptedKey, .critical, .unknownKey, .unknownBank.butAlso(.bank),
                Fault(200, "a bank without a key", [.bankId, .bank]) { $0.bankId = bare },
                Fault(141, "a wrong hashMac", [.hashMac]) {
                    $0.members["hashMac"] = .string(String(repeating: "0", count: 64))
                },
                .oldTimestamp, .wrongTag, .nothingChosen, .notAPIN, .unknownCardholder, closed(scene),
            ])
    }

    @Test("token/pin and token/pin-indexes", arguments: DefinitionCall.byToken)
    func token(call: DefinitionCall) async throws {
        let service = try await Service.shared.value
        let scene = try await Scene(service)
        try await scene.spend()
        let spent = scene.spentTransaction
        let otherSigner = try await TestAuthority.shared.value.otherSigner
        let row: [Fault] = [
            .missing(118, "token", Fault.wholeToken), .missing(210, "signature", [.signature]),
            .missing(130, call.choice, Fault.choice.union([.keypad])),
            Fault(208, "a token that is not an object", Fault.wholeToken) { $0.tokenText = "[]" },
            .missingInToken(100, "IdBEL", [.bankId, .bank]), .missingInToken(110, "IdPorteur", [.uniqueId]),
            .missingInToken(115, "IdFournisseur", [.provider]), .missingInToken(116, "IdTransaction", [.transaction]),
            .missingInToken(120, "Timestamp", [.timestamp]), .missingInToken(117, "Type", [.type]),
            Fault(209, "a token of distribution", [.type]) { $0.tokenMembers["Type"] = "00" },
            .notATimestamp, .noEphemeralKey, .emptyEncryptedKey, .badEphemeralKey, .critical, .unknownKey,
            .unknownBank.butAlso(.bank),
            Fault(200, "an unknown certificate", [.alias]) { $0.tokenMembers["SignatureCertAlias"] = "unknown" },
            Fault(206, "another's signature", [.signature]) { $0.signer = otherSigner },
            .oldTimestamp, .wrongTag, .nothingChosen,
        ]
        let spentToken = Fault(211, "a spent token", [.transaction]) { $0.transactionId = spent }
        let end: [Fault] =
            switch call {
            case .indexes:
                [
                    spentToken, .unknownCardholder, closed(scene),
                    Fault(214, "no such keypad", [.keypad]) { $0.keypadId = "unknown" },
                    Fault(131, "an index outside the keypad", [.plaintext]) {
                        $0.plaintext = Array("59,59,59,59".utf8)
                    },
                ]
            default: [.notAPIN, spentToken, .unknownCardholder, closed(scene)]
            }
        try await expectOrder(of: call, scene, row + end)
    }

    @Test("A used hashMac is answered 141 even if the cardholder is suspended or unknown")
    func spentHashMac() async throws {
        let service = try await Service.shared.value
        let holder = try await service.holder()
        let used = try service.attempt(.hmac, holder)
        #expect(try await service.code(used) == 0)
        var weak = used
        weak.plaintext = Array("12".utf8)
        #expect(try await service.code(weak) == 131)
        for change in ["UPDATE cardholder SET status = 'SUSPENDED'", "DELETE FROM cardholder"] {
            try await service.installation.sql("\(change) WHERE unique_id = '\(holder.uniqueId)'")
            #expect(try await service.code(used) == 141)
        }
    }

    @Test("An invalid uniqueId is answered 111, at the place of an unknown cardholder in the order")
    func impossibleCardholder() async throws {
        let service = try await Service.shared.value
        let name = String(repeating: "n", count: 65)
        #expect(try await service.code(service.attempt(.hmac, TestCardholder(name), "8305")) == 111)
        #expect(try await service.code(service.attempt(.hmac, TestCardholder(name), "12")) == 131)
        #expect(try await service.code(service.attempt(.hmac, TestCardholder(name), "")) == 130)
    }

    @Test("Indexes that are too long are refused last, as other invalid indexes are")
    func overlongIndexes() async throws {
        let service = try await Service.shared.value
        let overlong = String(repeating: " ", count: 65)
        var attempt = try service.attempt(.indexes, TestCardholder("nobody"), "0,1,2,3" + overlong)
        #expect(try await service.code(attempt) == 111)
        #expect(try await service.code(attempt) == 211)
        attempt = try service.attempt(.indexes, await service.holder(), "0,1,2,3" + overlong)
        attempt.keypadId = "unknown"
        #expect(try await service.code(attempt) == 214)
    }

    private func closed(_ scene: Scene) -> Fault {
        let closed = scene.closed
        return Fault(114, "a bank whose cardholders may not", [.bank]) {
            $0.bank = closed
            $0.bankId = closed.id
        }
    }

    private func expectOrder(of call: DefinitionCall, _ scene: Scene, _ row: [Fault]) async throws {
        let service = scene.service
        for (place, first) in row.enumerated() {
            var attempt = try await service.defining("8305", call, scene.holder)
            first.apply(&attempt)
            #expect(try await service.code(attempt) == first.code, "\(first.name)")
            for second in row[(place + 1)...] where second.parts.isDisjoint(with: first.parts) {
                var attempt = try service.attempt(call, scene.holder, "8305")
                second.apply(&attempt)
                first.apply(&attempt)
                #expect(try await service.code(attempt) == first.code, "\(first.name), then \(second.name)")
            }
        }
    }
}

extension Fault {
    /// The same fault, which changes one more part.
    fileprivate func butAlso(_ part: Part) -> Fault {
        Fault(code, name, parts.union([part]), apply: apply)
    }
}
