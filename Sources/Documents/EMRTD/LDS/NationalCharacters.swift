/// How letters with accents are written in an MRZ: the first transliteration that Doc 9303-3 section 6.A recommends for each
/// Latin letter. States may use others (`A` for `Ä`): then the name must be given as the MRZ has it.
enum NationalCharacters {
    /// The MRZ characters for one character of a name; nil if there are none.
    static func transliterated(_ scalar: Unicode.Scalar) -> [UInt8]? {
        switch scalar {
        case " ", "-", "\u{2010}", "\u{2011}", "<", "\u{A0}": [UInt8(ascii: "<")]
        case "'", "\u{2019}", ".": []
        default: UInt8(exactly: scalar.value).flatMap(MRZText.letterOrDigit).map { [$0] } ?? letters[scalar]
        }
    }

    private static let letters: [Unicode.Scalar: [UInt8]] = table.reduce(into: [:]) { letters, row in
        for scalar in row.0.unicodeScalars { letters[scalar] = Array(row.1.utf8) }
    }

    private static let table: [(String, String)] = [
        ("ÀÁÂÃàáâãĀāĂăĄą", "A"),
        ("Åå", "AA"),
        ("ÄÆäæ", "AE"),
        ("ÇçĆćĈĉĊċČč", "C"),
        ("ÐðĎďĐđ", "D"),
        ("ÈÉÊËèéêëĒēĔĕĖėĘęĚě", "E"),
        ("ĜĝĞğĠġĢģ", "G"),
        ("ĤĥĦħ", "H"),
        ("ÌÍÎÏìíîïĨĩĪīĬĭĮįİı", "I"),
        ("Ĳĳ", "IJ"),
        ("Ĵĵ", "J"),
        ("Ķķ", "K"),
        ("ĹĺĻļĽľĿŀŁł", "L"),
        ("ÑñŃńŅņŇňŊŋ", "N"),
        ("ÒÓÔÕòóôõŌōŎŏŐő", "O"),
        ("ÖØöøŒœ", "OE"),
        ("ĸ", "Q"),
        ("ŔŕŖŗŘř", "R"),
        ("ŚśŜŝŞşŠšȘ", "S"),
        ("ßẞ", "SS"),
        ("ŢţŤťŦŧȚ", "T"),
        ("Þþ", "TH"),
        ("ÙÚÛùúûŨũŪūŬŭŮůŰűŲų", "U"),
        ("Üü", "UE"),
        ("Ŵŵ", "W"),
        ("ÝýÿŶŷŸ", "Y"),
        ("ŹźŻżŽž", "Z"),
    ]
}
