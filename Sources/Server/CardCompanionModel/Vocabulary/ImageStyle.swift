/// How the image of a PIN is protected against programs that read images.
package enum ImageStyle: String, CaseIterable, Codable, Sendable {
    case standard
    /// Harder for programs, and a little harder for people.
    case strong
    /// Large digits without distortion.
    case calm
}
