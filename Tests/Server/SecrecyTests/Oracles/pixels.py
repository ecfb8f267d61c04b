"""Reads the pixels of PNG images with Python's standard library only.

Standard input: {"images": [hex]}. Standard output: {"rows": [hex]}, with one row of pixels per element and one byte per
pixel.
"""

import json
import struct
import sys
import zlib


def pixels(image):
    """Yields the rows of a palette image (PNG, third edition, sections 7.2 and 9)."""
    position, data = 8, b""
    while position < len(image):
        length, kind = struct.unpack(">I4s", image[position : position + 8])
        chunk = image[position + 8 : position + 8 + length]
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack(">IIBB", chunk[:10])
            assert color == 3, "not a palette image"
        elif kind == b"IDAT":
            data += chunk
        position += 12 + length
    data = zlib.decompress(data)
    stride = (width * depth + 7) // 8
    above = bytes(stride)
    for row in range(height):
        start = row * (stride + 1)
        above = unfiltered(data[start], data[start + 1 : start + 1 + stride], above)
        yield bytes(above[x * depth // 8] >> (8 - depth - x * depth % 8) & ((1 << depth) - 1) for x in range(width))


def unfiltered(kind, line, above):
    line = bytearray(line)
    for x in range(len(line)):
        left, up = line[x - 1] if x else 0, above[x]
        corner = above[x - 1] if x else 0
        line[x] = (line[x] + [0, left, up, (left + up) // 2, paeth(left, up, corner)][kind]) & 0xFF
    return bytes(line)


def paeth(left, up, corner):
    return min((left, up, corner), key=lambda value: abs(left + up - corner - value))


images = [bytes.fromhex(text) for text in json.load(sys.stdin)["images"]]
json.dump({"rows": [row.hex() for image in images for row in pixels(image)]}, sys.stdout)
