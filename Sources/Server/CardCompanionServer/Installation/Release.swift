/// The release of this program, as in CHANGELOG.md.
package enum Release {
    package static let version = "0.2.0"
}
