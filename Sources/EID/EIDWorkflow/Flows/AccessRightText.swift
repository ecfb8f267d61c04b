public import EIDInterface

/// What a right is called on a screen, in the words of the AusweisApp (TR-03127, annex C). It has none for the rights to write;
/// theirs are made of the words for reading.
public struct AccessRightText: Sendable, Equatable {
    /// In German.
    public let german: String
    /// In English.
    public let english: String

    /// The texts of a right.
    public init(_ right: AccessRight) {
        (german, english) =
            switch right {
            case .Address: ("Anschrift", "Address")
            case .BirthName: ("Geburtsname", "Birth name")
            case .FamilyName: ("Familienname", "Family name")
            case .GivenNames: ("Vorname(n)", "Given name(s)")
            case .PlaceOfBirth: ("Geburtsort", "Place of birth")
            case .DateOfBirth: ("Geburtsdatum", "Date of birth")
            case .DoctoralDegree: ("Doktorgrad", "Doctoral degree")
            case .ArtisticName: ("Ordens- / Künstlername", "Religious / artistic name")
            case .Pseudonym: ("Pseudonym", "Pseudonym")
            case .ValidUntil: ("Gültig bis", "Valid until")
            case .Nationality: ("Staatsangehörigkeit", "Nationality")
            case .IssuingCountry: ("Ausstellender Staat", "Issuing country")
            case .DocumentType: ("Dokumentenart", "Document type")
            case .ResidencePermitI: ("Nebenbestimmungen I", "Residence permit I")
            case .ResidencePermitII: ("Nebenbestimmungen II", "Residence permit II")
            case .CommunityID: ("Wohnort-ID", "Community-ID")
            case .AddressVerification: ("Wohnortbestätigung", "Address verification")
            case .AgeVerification: ("Altersbestätigung", "Age verification")
            case .WriteAddress: ("Anschrift ändern", "Change of address")
            case .WriteCommunityID: ("Wohnort-ID ändern", "Change of community-ID")
            case .WriteResidencePermitI: ("Nebenbestimmungen I ändern", "Change of residence permit I")
            case .WriteResidencePermitII: ("Nebenbestimmungen II ändern", "Change of residence permit II")
            case .CanAllowed: ("CAN erlaubt", "CAN allowed")
            case .PinManagement: ("PIN-Verwaltung", "PIN Management")
            }
    }
}
