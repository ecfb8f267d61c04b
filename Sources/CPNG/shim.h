#pragma once
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <png.h>
#include <zlib.h>

// libpng reports errors with longjmp, which must not cross Swift frames. Therefore card_companion_png_write makes every
// call that can fail. The functions that it gets must return normally.

static inline void card_companion_png_fail(png_structp png, png_const_charp message) {
    (void)message;
    png_longjmp(png, 1);
}

static inline void card_companion_png_ignore(png_structp png, png_const_charp message) {
    (void)png;
    (void)message;
}

// An image with one byte per pixel, without gaps between rows. Each byte is an index into a palette of at most 16 colors.
struct card_companion_png_image {
    const uint8_t *pixels;
    uint32_t width;
    uint32_t height;
    const png_color *palette;
    int palette_count;
};

// Most neighbors have the same color. zlib's strategy for runs of equal bytes makes such images only a few per cent longer
// than its search for longer matches at the best level, and is more than 40 times faster.
enum { card_companion_png_strategy = Z_RLE };

// How much memory zlib takes, 1 to 9. At 6 it still holds a captcha of six digits in one block. At its default, 8, all the
// memory of an image is so much that the C library returns it to the system each time: encoding takes a quarter longer.
enum { card_companion_png_memory_level = 6 };

// Writes the image with four bits per pixel, without filters. libpng and zlib get all memory from `allocate` and free it
// with `release`. The encoded bytes go to `write`, which gets `context` from png_get_io_ptr.
static inline bool card_companion_png_write(
    const struct card_companion_png_image *image, png_malloc_ptr allocate, png_free_ptr release, png_rw_ptr write,
    void *context) {
    png_structp png = png_create_write_struct_2(
        PNG_LIBPNG_VER_STRING, NULL, card_companion_png_fail, card_companion_png_ignore, NULL, allocate, release);
    if (png == NULL) return false;
    png_infop info = png_create_info_struct(png);
    if (info == NULL || setjmp(png_jmpbuf(png))) {
        png_destroy_write_struct(&png, &info);
        return false;
    }
    png_set_write_fn(png, context, write, NULL);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
    png_set_compression_strategy(png, card_companion_png_strategy);
    png_set_compression_mem_level(png, card_companion_png_memory_level);
    png_set_IHDR(
        png, info, image->width, image->height, 4, PNG_COLOR_TYPE_PALETTE, PNG_INTERLACE_NONE,
        PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_PLTE(png, info, image->palette, image->palette_count);
    png_write_info(png, info);
    png_set_packing(png);
    for (uint32_t row = 0; row < image->height; row++) {
        png_write_row(png, image->pixels + (size_t)row * image->width);
    }
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    return true;
}
