import ArgumentParser
internal import CardCompanionModel
package import DualControl
package import HTTPSignatures

// Types of other modules as arguments.

extension Identifier: ExpressibleByArgument {
    package init?(argument: String) {
        self.init(argument)
    }
}

extension Authority: ExpressibleByArgument {
    package init?(argument: String) {
        self.init(argument)
    }
}

extension Activity: ExpressibleByArgument {}
extension BankKeyAlgorithm: ExpressibleByArgument {}
extension BankKeyDirection: ExpressibleByArgument {}
extension BankKeyUsage: ExpressibleByArgument {}
extension CardholderStatus: ExpressibleByArgument {}
extension EventType: ExpressibleByArgument {}
extension CertificatePurpose: ExpressibleByArgument {}
extension DataKeyPurpose: ExpressibleByArgument {}
extension NewDataKeyState: ExpressibleByArgument {}
extension HMACKeyUsage: ExpressibleByArgument {}
extension ServerKeyKind: ExpressibleByArgument {}
extension SignatureAlgorithm: ExpressibleByArgument {}
