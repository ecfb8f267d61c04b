internal import CardCompanionAPI
internal import CardCompanionModel
internal import StrictJSON

extension JSONText {
    borrowing func requiredIdentifier(_ name: String) throws(DistributionError) -> Identifier {
        guard let identifier = identifier(name) else {
            throw DistributionError(
                .badParameter,
                detail: "\(name) must be a string of \(Identifier.rule)")
        }
        return identifier
    }
}
