internal import CCairo

/// A sheet for cairo to draw on, in memory of the caller's: one byte a pixel, 0 for paper to 255 for ink.
///
/// cairo keeps no pixels elsewhere. What it does keep, in heap memory that it frees without wiping, are points of the
/// path that was drawn last and edges of the scan conversion; each drawing writes over those of the one before.
struct InkSurface: ~Copyable {
    private let surface: OpaquePointer?
    private let context: OpaquePointer?

    /// How many bytes lie between the beginnings of two rows.
    static func stride(width: Int) -> Int {
        Int(cairo_format_stride_for_width(CAIRO_FORMAT_A8, Int32(width)))
    }

    /// - Parameter pixels: `stride` × height zeros, which must outlive the surface.
    init(size: PixelSize, pixels: UnsafeMutableRawBufferPointer) {
        let stride = Self.stride(width: size.width)
        precondition(pixels.count >= stride * size.height, "the memory holds all rows")
        surface = cairo_image_surface_create_for_data(
            pixels.baseAddress?.assumingMemoryBound(to: UInt8.self), CAIRO_FORMAT_A8, Int32(size.width),
            Int32(size.height), Int32(stride))
        context = cairo_create(surface)
    }

    deinit {
        cairo_destroy(context)
        cairo_surface_destroy(surface)
    }

    /// Fills polygons, each of whose points goes where `place` puts it.
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

    /// Draws a stroke.
    borrowing func draw(_ stroke: Clutter.Stroke) {
        let points = stroke.points
        cairo_move_to(context, points[0].x, points[0].y)
        cairo_curve_to(
            context, points[1].x, points[1].y, points[2].x, points[2].y, points[3].x, points[3].y)
        cairo_set_line_width(context, stroke.width)
        apply(stroke.effect)
        cairo_stroke(context)
    }

    /// Draws a speckle.
    borrowing func draw(_ speckle: Clutter.Speckle) {
        cairo_arc(context, speckle.center.x, speckle.center.y, speckle.radius, 0, 2 * .pi)
        apply(speckle.effect)
        cairo_fill(context)
    }

    /// Completes the drawing.
    consuming func finish() throws(PINImageError) {
        cairo_surface_flush(surface)
        guard cairo_status(context) == CAIRO_STATUS_SUCCESS else { throw .drawingFailed }
    }

    private borrowing func apply(_ effect: Clutter.Effect) {
        cairo_set_operator(context, effect == .ink ? CAIRO_OPERATOR_OVER : CAIRO_OPERATOR_DEST_OUT)
    }
}
