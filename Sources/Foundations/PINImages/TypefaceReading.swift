internal import CCairo

extension Typeface {
    /// The font family for drawing, from Debian's fonts-dejavu-core. Its 1 has a foot, its 6 and 9 are open, and no two of its
    /// digits are alike. If it is missing, the system's font configuration replaces it with another.
    private static let preferredFamily = "DejaVu Sans"

    /// The bold face that the system has for the preferred family.
    ///
    /// - Throws: `.noFont`.
    static func installed() throws(PINImageError) -> Typeface {
        guard let typeface = Typeface(family: preferredFamily) else { throw .noFont }
        return typeface
    }

    /// Reads the bold face of a font family; nil if the system has no font with the ten digits.
    init?(family: String) {
        let surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1)
        defer { cairo_surface_destroy(surface) }
        let context = cairo_create(surface)
        defer { cairo_destroy(context) }
        cairo_select_font_face(context, family, CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_BOLD)
        cairo_set_font_size(context, Self.readingSize)
        cairo_set_tolerance(context, Self.readingTolerance)
        // If no font is installed, cairo uses its own stroke font (a "user font"), whose digits are not good enough.
        guard cairo_scaled_font_get_type(cairo_get_scaled_font(context)) != CAIRO_FONT_TYPE_USER else { return nil }
        self.init(outlines: (0...9).map { Self.readOutline(of: $0, from: context) })
    }

    private static let readingSize = 1000.0
    /// How far a polygon may be from the curve. A digit is 730 high at the reading size, and at most 330 pixels in an image.
    private static let readingTolerance = 1.0

    private static func readOutline(of digit: Int, from context: OpaquePointer?) -> [Contour] {
        cairo_new_path(context)
        cairo_move_to(context, 0, 0)
        cairo_text_path(context, String(digit))
        guard let path = cairo_copy_path_flat(context) else { return [] }
        defer { cairo_path_destroy(path) }
        return contours(UnsafeBufferPointer(start: path.pointee.data, count: Int(path.pointee.num_data)))
    }

    private static func contours(_ path: UnsafeBufferPointer<cairo_path_data_t>) -> [Contour] {
        var contours: [Contour] = []
        var index = 0
        while index < path.count {
            let header = path[index].header
            if header.type == CAIRO_PATH_MOVE_TO { contours.append([]) }
            if header.length > 1, !contours.isEmpty {
                let point = path[index + 1].point
                contours[contours.count - 1].append(Point(x: point.x, y: point.y))
            }
            index += Int(header.length)
        }
        return contours.filter { $0.count > 2 }
    }
}
