/// Finds what somebody may have meant.
enum Spelling {
    /// The word that differs least from `word`; nil if each differs too much to be meant.
    static func nearest(to word: String, among words: [String]) -> String? {
        let distances = words.map { ($0, distance(Array(word.utf8), Array($0.utf8))) }
        guard let (nearest, distance) = distances.min(by: { $0.1 < $1.1 }), distance <= max(1, word.utf8.count / 4)
        else {
            return nil
        }
        return nearest
    }

    /// How many characters must be put in, taken out or replaced (Levenshtein).
    private static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
        var row = Array(0...other.count)
        for (index, character) in one.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for place in other.indices {
                let replaced = diagonal + (character == other[place] ? 0 : 1)
                diagonal = row[place + 1]
                row[place + 1] = min(replaced, row[place] + 1, diagonal + 1)
            }
        }
        return row[other.count]
    }
}
