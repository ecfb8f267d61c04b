internal import CCairo

/// A cairo surface in memory of the caller: one byte per pixel, from 0 (paper) to 255 (ink).
///
/// cairo stores no pixels elsewhere. It does store the points of the last path and the edges of the scan conversion in
/// heap memory that it frees without wiping. Each drawing overwrites those of the drawing before.
struct InkSurface: ~Copyable {
    private let surface: OpaquePointer?
    private let context: OpaquePointer?

    /// The distance between the starts of two rows, in bytes.
    static func stride(width: Int) -> Int {
        Int(cairo_format_stride_for_width(CAIRO_FORMAT_A8, Int32(width)))
    }

    /// - Parameter pixels: `stride` × height zeros, which must outlive the surface.
    init(size: PixelSize, pixels: UnsafeMutableRawBufferPointer) {
        let stride = Self.stride(width: size.width)
        precondition(pixels.count >= stride * size.height, "the memory must be large enough for all rows")
        surface = cairo_image_surface_create_for_data(
            pixels.baseAddress?.assumingMemoryBound(to: UInt8.self), CAIRO_FORMAT_A8, Int32(size.width),
            Int32(size.height), Int32(stride))
        context = cairo_create(surface)
    }

    deinit {
        cairo_destroy(context)
        cairo_surface_destroy(surface)
    }

    /// Fills polygons. `place` gives the position of each point.
    borrowing func fill(_ contours: [Typeface.Contour], place: (Point) -> Point) {
        for contour in contours {
            for point in contour {
                let placed = place(point)
                cairo_line_to(context, placed.x, placed.y)
            }
            cairo_close_path(context)
            cairo_new_sub_path(context)
        }
        apply(.ink)
        cairo_fill(context)
    }

    borrowing func draw(_ stroke: Clutter.Stroke) {
        let points = stroke.points
        cairo_move_to(context, points[0].x, points[0].y)
        cairo_curve_to(
            context, points[1].x, points[1].y, points[2].x, points[2].y, points[3].x, points[3].y)
        cairo_set_line_width(context, stroke.width)
        apply(stroke.effect)
        cairo_stroke(context)
    }

    borrowing func draw(_ speckle: Clutter.Speckle) {
        cairo_arc(context, speckle.center.x, speckle.center.y, speckle.radius, 0, 2 * .pi)
        apply(speckle.effect)
        cairo_fill(context)
    }

    /// Completes the drawing.
    ///
    /// - Throws: `.drawingFailed`.
    consuming func finish() throws(PINImageError) {
        cairo_surface_flush(surface)
        guard cairo_status(context) == CAIRO_STATUS_SUCCESS else { throw .drawingFailed }
    }

    private borrowing func apply(_ effect: Clutter.Effect) {
        cairo_set_operator(context, effect == .ink ? CAIRO_OPERATOR_OVER : CAIRO_OPERATOR_DEST_OUT)
    }
}
