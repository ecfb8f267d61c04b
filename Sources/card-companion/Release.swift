/// The release of this program, as in CHANGELOG.md.
enum Release {
    static let version = "0.1.0"
}
