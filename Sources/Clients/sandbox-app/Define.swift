import ArgumentParser
import CardCompanionAPI
import CardCompanionSDK
import Foundation

extension SandboxApp {
    /// Chooses a PIN (SDK document, sections 4.3 to 4.5).
    struct Define: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "define",
            abstract: "Chooses a random PIN. To see it, fetch it.")

        /// How the PIN is sent, and what authenticates the cardholder.
        enum Flow: String, ExpressibleByArgument {
            /// In digits, with an HMAC.
            case hmac
            /// In digits, with a signed token.
            case token
            /// By positions on a keypad, with a signed token.
            case keypad
        }

        @OptionGroup var options: Options
        @Option(help: "How to send the PIN: hmac or token (digits), or keypad (positions on a scrambled keypad).")
        var flow = Flow.keypad

        /// How many PINs the bank can refuse as too easy to guess.
        private static let attempts = 20

        func run() async throws {
            let bank = try options.bank()
            for _ in 0..<Self.attempts {
                let pin = (0..<4).map { _ in String(Int.random(in: 0...9)) }.joined()
                let answer = try await define(pin, bank)
                if answer.errorCode == DefinitionCode.invalidPINFormat.rawValue { continue }
                guard answer.errorCode == 0 else {
                    throw Failure(step: "define", code: answer.errorCode, message: answer.errorMessage)
                }
                return print("\(options.cardholder) has a new PIN: fetch it to see it")
            }
            throw Failure(step: "define", code: 131, message: "the bank refused \(Self.attempts) random PINs")
        }

        private func define(_ pin: String, _ bank: BankBackEnd) async throws -> DefinitionResponse {
            switch flow {
            case .hmac: try await defineByHMAC(pin, bank)
            case .token: try await defineByToken(pin, bank)
            case .keypad: try await defineOnKeypad(pin, bank)
            }
        }

        private func defineByHMAC(_ pin: String, _ bank: BankBackEnd) async throws -> DefinitionResponse {
            let transaction = bank.transaction()
            let sealed = await PINDefinition.seal(
                pin: pin, bankId: bank.bankId, uniqueId: options.cardholder, timestamp: transaction.timestamp,
                hostUrl: options.url)
            let hashMac = bank.hashMac(for: options.cardholder, transaction, binding: try binding(of: sealed))
            return await PINDefinition.postDefinePINRequest(
                DefinitionParameters(sealedPIN: sealed, hashMac: hashMac), hostUrl: options.url)
        }

        private func defineByToken(_ pin: String, _ bank: BankBackEnd) async throws -> DefinitionResponse {
            let transaction = bank.transaction()
            let sealed = await PINDefinition.seal(
                pin: pin, bankId: bank.bankId, uniqueId: options.cardholder, idTransaction: transaction.id,
                hostUrl: options.url)
            return await PINDefinition.postDefinePINECDHRequest(
                try parameters(sealed, transaction, bank), hostUrl: options.url)
        }

        private func defineOnKeypad(_ pin: String, _ bank: BankBackEnd) async throws -> DefinitionResponse {
            let request = KeyPadCoordinatesParameters(
                bankId: bank.bankId, uniqueId: options.cardholder, keypadSize: 12)
            let keypad = await PINDefinition.postGetKeyPadCoordinatesRequest(request, hostUrl: options.url)
            // A real app shows the keypad, and keeps the positions that the cardholder touches.
            guard let indexes = KeyPad.indexes(of: pin, in: keypad.keypad) else {
                throw Failure(step: "keypad", code: keypad.errorCode, message: keypad.errorMessage)
            }
            let transaction = bank.transaction()
            let sealed = await PINDefinition.seal(
                indexes: indexes, bankId: bank.bankId, uniqueId: options.cardholder, idTransaction: transaction.id,
                hostUrl: options.url)
            return await PINDefinition.postDefinePINECDHCBRequest(
                try parameters(sealed, transaction, bank), hostUrl: options.url)
        }

        private func parameters(
            _ sealed: SealedPIN, _ transaction: Transaction, _ bank: BankBackEnd
        ) throws -> DefinitionTokenParameters {
            let (token, signature) = try bank.token(
                for: options.cardholder, transaction, type: .definition, binding: try binding(of: sealed))
            return DefinitionTokenParameters(token: token, signature: signature, sealedPIN: sealed)
        }

        private func binding(of sealed: SealedPIN) throws -> String {
            try Failure.requireBinding(sealed.binding, "seal", sealed.errorCode, sealed.errorMessage)
        }
    }
}
