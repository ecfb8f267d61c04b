import ArgumentParser
internal import CardCompanionModel
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
extension CodeAlphabet: ExpressibleByArgument {}
extension DataKeyPurpose: ExpressibleByArgument {}
extension DefinedPINRule: ExpressibleByArgument {}
extension DeliveryFormat: ExpressibleByArgument {}
extension ImageStyle: ExpressibleByArgument {}
extension HMACKeyUsage: ExpressibleByArgument {}
extension IdentityAssurance: ExpressibleByArgument {}
extension IdentityRequirement: ExpressibleByArgument {}
extension Retention: ExpressibleByArgument {}
extension Scheme: ExpressibleByArgument {}
extension SealedValueRule: ExpressibleByArgument {}
extension ServerKeyKind: ExpressibleByArgument {}
extension SignatureAlgorithm: ExpressibleByArgument {}
