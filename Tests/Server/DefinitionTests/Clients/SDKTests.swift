import CardCompanionSDK
import Crypto
import Foundation
import ServerHarness
import Testing

/// The SDK's PIN definition against a real server.
@Suite("SDK: PIN definition")
struct SDKTests {
    /// A longer timeout than an app's, because other tests can slow the machine down.
    private let session = CardCompanionSession(configuration: .init(timeoutSeconds: 120))

    private func token(
        _ service: Service, _ holder: TestCardholder, pin: String
    ) throws -> DefinitionTokenParameters {
        let (text, signature) = try signedToken(service, holder)
        return DefinitionTokenParameters(token: text, signature: signature, pin: pin)
    }

    private func indexes(
        _ service: Service, _ holder: TestCardholder, _ indexes: String, keypadId: String? = nil
    ) throws -> DefinitionTokenParameters {
        let (text, signature) = try signedToken(service, holder)
        return DefinitionTokenParameters(token: text, signature: signature, indexes: indexes, keypadId: keypadId)
    }

    private func signedToken(_ service: Service, _ holder: TestCardholder) throws -> (text: String, signature: String) {
        let token = service.bank.token(for: holder, type: "02")
        return (token.text, try service.bank.signer.signature(of: token.text))
    }

    private func hmac(_ service: Service, _ holder: TestCardholder, pin: String) -> DefinitionParameters {
        let timestamp = CardCompanionUtil.getTimestamp().stringValue
        let key = Hex.encode(service.bank.hmacKey.withUnsafeBytes { Array($0) })
        let data = service.bank.id + holder.uniqueId + timestamp
        return DefinitionParameters(
            bankId: service.bank.id, uniqueId: holder.uniqueId, timestamp: timestamp,
            hashMac: CryptoUtil.computeHMAC(key: key, data: data), pin: pin)
    }

    @Test("A PIN sent by HMAC is defined; the same request again is answered 141")
    func byHMAC() async throws {
        let service = try await Service.shared.value
        let holder = try await service.holder()
        let parameters = hmac(service, holder, pin: "83052")
        let response = await PINDefinition.postDefinePINRequest(
            parameters, hostUrl: service.server.url, session: session)
        #expect(response.errorCode == 0, "\(response)")
        #expect(try await service.fetch(holder).length == 5)
        let again = await PINDefinition.postDefinePINRequest(
            parameters, hostUrl: service.server.url, session: session)
        #expect(again.errorCode == 141)
    }

    @Test("A PIN sent by token is defined; the same request again is answered 211")
    func byToken() async throws {
        let service = try await Service.shared.value
        let holder = try await service.holder()
        let parameters = try token(service, holder, pin: "830527")
        let response = await PINDefinition.postDefinePINECDHRequest(
            parameters, hostUrl: service.server.url, session: session)
        #expect(response.errorCode == 0, "\(response)")
        #expect(try await service.fetch(holder).length == 6)
        let again = await PINDefinition.postDefinePINECDHRequest(
            parameters, hostUrl: service.server.url, session: session)
        #expect(again.errorCode == 211)
    }

    @Test(
        "A PIN sent as keypad indexes is defined (examples of section 5.5 of the document)",
        arguments: [(12, "4343", "0,1,0,1"), (15, "5959", "3,7,3,7")])
    func byKeypad(size: Int, pin: String, documentIndexes: String) async throws {
        let documentKeypads = [
            12: ["4", "3", "2", nil, "6", "9", "0", "7", "5", nil, "8", "1"],
            15: ["3", "8", nil, "5", "1", "0", nil, "9", nil, "4", nil, "7", "2", nil, "6"],
        ]
        #expect(KeyPad.indexes(of: pin, in: try #require(documentKeypads[size])) == documentIndexes)

        let service = try await Service.shared.value
        let holder = TestCardholder(pin: "83052")
        try await service.installation.provision([holder], of: service.bank, through: service.server)
        let url = service.server.url
        for isNamed in [true, false] {
            let request = KeyPadCoordinatesParameters(
                bankId: service.bank.id, uniqueId: holder.uniqueId, keypadSize: size)
            let keypad = await PINDefinition.postGetKeyPadCoordinatesRequest(request, hostUrl: url, session: session)
            #expect(keypad.errorCode == 0 && keypad.keypad.count == size, "\(keypad)")
            let indexes = try #require(KeyPad.indexes(of: pin, in: keypad.keypad))
            for text in [indexes, "[\(indexes.replacing(",", with: ", "))]"] {
                let isFirst = text == indexes
                let parameters = try self.indexes(service, holder, text, keypadId: isNamed ? keypad.keypadId : nil)
                let response = await PINDefinition.postDefinePINECDHCBRequest(
                    parameters, hostUrl: url, session: session)
                // The first form spends the keypad, so the second is refused; or there is no keypad to name.
                #expect(response.errorCode == (isFirst ? 0 : 214), "\(response)")
            }
        }
        #expect(try await service.fetch(holder).length == 4)
    }

    @Test("Plain digits are indexes on a keypad of ten places (section 2.2.3 of the document)")
    func plainDigits() async throws {
        let service = try await Service.shared.value
        let holder = try await service.holder()
        let url = service.server.url
        let request = KeyPadCoordinatesParameters(bankId: service.bank.id, uniqueId: holder.uniqueId, keypadSize: 10)
        let keypad = await PINDefinition.postGetKeyPadCoordinatesRequest(request, hostUrl: url, session: session)
        let indexes = try #require(KeyPad.indexes(of: "83052", in: keypad.keypad)).replacing(",", with: "")
        let parameters = try self.indexes(service, holder, indexes)
        let response = await PINDefinition.postDefinePINECDHCBRequest(parameters, hostUrl: url, session: session)
        #expect(response.errorCode == 0)
        #expect(try await service.fetch(holder).length == 5)
    }

    @Test("A sealed PIN whose digest the bank's back-end has bound is defined, in each way")
    func bound() async throws {
        let service = try await Service.shared.value
        let bank = try await service.installation.makeBank(Service.freeSettings + ["--bindings", "require"])
        let holder = try await service.holder(of: bank)
        let (url, now) = (service.server.url, CardCompanionUtil.getTimestamp().stringValue)
        let byHMAC = await PINDefinition.seal(
            pin: "8305", bankId: bank.id, uniqueId: holder.uniqueId, timestamp: now, hostUrl: url, session: session)
        let binding = try #require(byHMAC.binding)
        let hashMac = bank.hashMac(uniqueId: holder.uniqueId, timestamp: now, binding: binding)
        #expect(
            await PINDefinition.postDefinePINRequest(
                DefinitionParameters(sealedPIN: byHMAC, hashMac: hashMac), hostUrl: url, session: session
            ).errorCode == 0)

        var token = bank.token(for: holder, type: "02")
        let byToken = await PINDefinition.seal(
            pin: "83052", bankId: bank.id, uniqueId: holder.uniqueId,
            idTransaction: token.members["IdTransaction"]?.string ?? "", hostUrl: url, session: session)
        #expect(
            await PINDefinition.postDefinePINECDHRequest(
                try parameters(byToken, token, bank), hostUrl: url, session: session
            ).errorCode == 0)

        token = bank.token(for: holder, type: "02")
        let request = KeyPadCoordinatesParameters(bankId: bank.id, uniqueId: holder.uniqueId, keypadSize: 12)
        let keypad = await PINDefinition.postGetKeyPadCoordinatesRequest(request, hostUrl: url, session: session)
        let byIndexes = await PINDefinition.seal(
            indexes: try #require(KeyPad.indexes(of: "830527", in: keypad.keypad)), bankId: bank.id,
            uniqueId: holder.uniqueId, idTransaction: token.members["IdTransaction"]?.string ?? "", hostUrl: url,
            session: session)
        #expect(
            await PINDefinition.postDefinePINECDHCBRequest(
                try parameters(byIndexes, token, bank), hostUrl: url, session: session
            ).errorCode == 0)
        #expect(try await service.row("pin_serial", of: holder) == "4")

        let other = await PINDefinition.postDefinePINECDHRequest(
            try parameters(byIndexes, token, bank), hostUrl: url, session: session)
        #expect(other.errorCode == 90000, "indexes are no PIN")
    }

    private func parameters(
        _ sealedPIN: SealedPIN, _ token: TestToken, _ bank: TestBank
    ) throws -> DefinitionTokenParameters {
        let text = token.with(["Binding": .string(try #require(sealedPIN.binding))]).text
        return DefinitionTokenParameters(
            token: text, signature: try bank.signer.signature(of: text), sealedPIN: sealedPIN)
    }

    @Test("What cannot be sealed has the code of its error, and so has a definition with it")
    func notSealed() async throws {
        let service = try await Service.shared.value
        let url = service.server.url
        let short = await PINDefinition.seal(
            pin: "123", bankId: "B", uniqueId: "U", timestamp: "1475255010", hostUrl: url, session: session)
        #expect(short.errorCode == 90007 && short.binding == nil)
        let nobody = await PINDefinition.seal(
            pin: "1234", bankId: "B", uniqueId: "U", idTransaction: "", hostUrl: url, session: session)
        #expect(nobody.errorCode == 90000)
        let token = #"{"IdBEL":"B"}"#
        let definition = await PINDefinition.postDefinePINECDHRequest(
            DefinitionTokenParameters(token: token, signature: "c2ln", sealedPIN: short), hostUrl: url,
            session: session)
        #expect(definition.errorCode == 90007)
    }

    @Test("The server's error codes are returned to the app")
    func codes() async throws {
        let service = try await Service.shared.value
        let url = service.server.url
        let nobody = TestCardholder()
        #expect(
            await PINDefinition.postDefinePINRequest(
                hmac(service, nobody, pin: "8305"), hostUrl: url, session: session
            ).errorCode == 111)
        let pin = try token(service, nobody, pin: "8305")
        #expect(await PINDefinition.postDefinePINECDHRequest(pin, hostUrl: url, session: session).errorCode == 111)
        let places = try await indexes(service, service.holder(), "0,1,2,3")
        #expect(await PINDefinition.postDefinePINECDHCBRequest(places, hostUrl: url, session: session).errorCode == 214)
        for (size, code) in [(61, 212), (12, 111)] {
            let keypad = KeyPadCoordinatesParameters(
                bankId: service.bank.id, uniqueId: nobody.uniqueId, keypadSize: size)
            let response = await PINDefinition.postGetKeyPadCoordinatesRequest(keypad, hostUrl: url, session: session)
            #expect(response.errorCode == code && response.keypad.isEmpty)
        }
    }

    @Test(
        "With pinned keys, the SDK seals to a pinned key and refuses any other with 90009",
        arguments: SealingKind.allCases)
    func pinning(kind: SealingKind) async throws {
        let service = try await Service.shared.value
        let holder = try await service.holder()
        let other = try service.keys.first(kind == .rsa ? .ec : .rsa).id
        for (pinned, code) in [(try service.keys.first(kind).id, 0), (other, 90009)] {
            let session = CardCompanionSession(
                configuration: .init(timeoutSeconds: 120, pinnedServerKeyThumbprints: [pinned]))
            let response =
                kind == .rsa
                ? await PINDefinition.postDefinePINRequest(
                    hmac(service, holder, pin: "83052"), hostUrl: service.server.url, session: session)
                : await PINDefinition.postDefinePINECDHRequest(
                    try token(service, holder, pin: "83052"), hostUrl: service.server.url, session: session)
            #expect(response.errorCode == code, "\(response)")
        }
        #expect(try await service.row("pin_serial", of: holder) == "2")
    }

    @Test(
        "A text that is not 4 to 6 digits is refused with 90007 and not sent",
        arguments: ["123", "1234567", "12a4", " 1234"])
    func badPIN(pin: String) async throws {
        let service = try await Service.shared.value
        let holder = try await service.holder()
        let url = service.server.url
        let byToken = try token(service, holder, pin: pin)
        let places = try indexes(service, holder, pin.map(String.init).joined(separator: ","))
        #expect(
            await PINDefinition.postDefinePINRequest(
                hmac(service, holder, pin: pin), hostUrl: url, session: session
            ).errorCode == 90007)
        #expect(
            await PINDefinition.postDefinePINECDHRequest(byToken, hostUrl: url, session: session).errorCode == 90007)
        #expect(
            await PINDefinition.postDefinePINECDHCBRequest(places, hostUrl: url, session: session).errorCode == 90007)
        #expect(service.server.logLines(with: "audit", holder.uniqueId).isEmpty)
    }

    @Test("A PIN that the bank refuses is answered 131")
    func weak() async throws {
        let service = try await Service.shared.value
        let bank = try await service.installation.makeBank()
        let holder = try await service.holder(of: bank)
        let token = bank.token(for: holder, type: "02").text
        let parameters = DefinitionTokenParameters(
            token: token, signature: try bank.signer.signature(of: token), pin: "4343")
        let response = await PINDefinition.postDefinePINECDHRequest(
            parameters, hostUrl: service.server.url, session: session)
        #expect(response.errorCode == 131)
    }
}
