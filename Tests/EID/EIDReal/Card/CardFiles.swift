internal import EMRTD

/// The files that a card shows to everybody.
enum CardFiles {
    /// The application of the eID card (TR-03110 part 3).
    static let application: [UInt8] = [0xE8, 0x07, 0x04, 0x00, 0x7F, 0x00, 0x07, 0x03, 0x02]
    static let masterFile: [UInt8] = [0x3F, 0x00]

    /// A file by its short identifier: EF.CardAccess or EF.DIR.
    static func file(short: UInt8) -> [UInt8]? {
        switch short {
        case 0x1C: cardAccess
        case 0x1E: directory
        default: nil
        }
    }

    /// A file by its identifier.
    static func file(_ identifier: [UInt8]) -> [UInt8]? {
        switch identifier {
        case [0x01, 0x1C]: cardAccess
        case [0x2F, 0x00]: directory
        default: nil
        }
    }

    /// EF.DIR (ISO/IEC 7816-4): the applications.
    private static let directory = DERWriter.element(0x61, DERWriter.element(0x4F, application))

    /// EF.CardAccess (TR-03110 part 3, section A.1): terminal authentication 2, chip authentication 2 and PACE.
    private static let cardAccess = DERWriter.set([
        DERWriter.sequence(
            DERWriter.objectIdentifier(ObjectIdentifier("0.4.0.127.0.7.2.2.2")), DERWriter.integer(2)),
        DERWriter.sequence(
            DERWriter.objectIdentifier(ObjectIdentifier("0.4.0.127.0.7.2.2.3.2.2")), DERWriter.integer(2),
            DERWriter.integer(65)),
        DERWriter.sequence(
            DERWriter.objectIdentifier(ObjectIdentifier("0.4.0.127.0.7.2.2.3.2")),
            DERWriter.sequence(
                DERWriter.objectIdentifier(ObjectIdentifier("0.4.0.127.0.7.1.2")),
                DERWriter.integer(PACE.parameterIdentifier)), DERWriter.integer(65)),
        DERWriter.sequence(
            DERWriter.objectIdentifier(PACE.identifier), DERWriter.integer(2),
            DERWriter.integer(PACE.parameterIdentifier)),
    ])
}
