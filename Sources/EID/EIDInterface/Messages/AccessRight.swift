/// What a service may read or write (document 000, section 6.1; the names are those of documents 000 and 002).
public enum AccessRight: String, Sendable, CaseIterable, Decodable {
    case Address
    case BirthName
    case FamilyName
    case GivenNames
    case PlaceOfBirth
    case DateOfBirth
    case DoctoralDegree
    case ArtisticName
    case Pseudonym
    case ValidUntil
    case Nationality
    case IssuingCountry
    case DocumentType
    case ResidencePermitI
    case ResidencePermitII
    case CommunityID
    case AddressVerification
    case AgeVerification
    case WriteAddress
    case WriteCommunityID
    case WriteResidencePermitI
    case WriteResidencePermitII
    case CanAllowed
    case PinManagement
}
