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
    assert parts[0][0] == b"IHDR" and parts[-1][0] == b"IEND"
    width, height, depth, colour, compression, filtering, interlace = struct.unpack(">IIBBBBB", parts[0][1])
    rows = zlib.decompress(b"".join(body for kind, body in parts if kind == b"IDAT"))
    stride = 1 + (width * depth + 7) // 8
    assert len(rows) == stride * height, "rows"
    assert all(rows[index * stride] <= 4 for index in range(height)), "filters"
    return {"width": str(width), "height": str(height), "depth": str(depth)}


def answer(request):
    return describe(base64.b64decode(request["png"]))


if __name__ == "__main__":
    print(json.dumps(answer(json.load(sys.stdin))))
