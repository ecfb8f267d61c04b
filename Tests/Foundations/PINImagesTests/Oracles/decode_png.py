"""Reads a PNG according to its specification, with Python's standard library only, to check our encoder."""

import base64
import json
import struct
import sys
import zlib


def chunks(data):
    assert data[:8] == b"\x89PNG\r\n\x1a\n", "signature"
    position = 8
    while position < len(data):
        length, kind = struct.unpack(">I4s", data[position : position + 8])
        body = data[position + 8 : position + 8 + length]
        (checksum,) = struct.unpack(">I", data[position + 8 + length : position + 12 + length])
        assert checksum == zlib.crc32(kind + body), f"checksum of {kind!r}"
        yield kind, body
        position += 12 + length


def describe(data):
    parts = list(chunks(data))
    assert [kind for kind, _ in parts] == [b"IHDR", b"PLTE", b"IDAT", b"IEND"], "chunks"
    header, palette, stream, _ = [body for _, body in parts]
    width, height, depth, colour, compression, filtering, interlace = struct.unpack(">IIBBBBB", header)
    assert (depth, colour, compression, filtering, interlace) == (2, 3, 0, 0, 0), "form"
    rows = zlib.decompress(stream)
    stride = 1 + (width * depth + 7) // 8
    assert len(rows) == stride * height, "rows"
    pixels = [pixel for row in range(height) for pixel in samples(rows[row * stride : (row + 1) * stride], width)]
    return {
        "width": str(width),
        "height": str(height),
        "palette": palette.hex(),
        "pixels": base64.b64encode(bytes(pixels)).decode(),
    }


def samples(row, width):
    assert row[0] == 0, "filter"
    return [row[1 + x // 4] >> (6 - 2 * (x % 4)) & 3 for x in range(width)]


def answer(request):
    return describe(base64.b64decode(request["png"]))


if __name__ == "__main__":
    print(json.dumps(answer(json.load(sys.stdin))))
