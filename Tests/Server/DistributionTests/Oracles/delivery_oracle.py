"""Opens deliveries with jwcrypto, and decodes their images with zlib only.

The command-line argument names the function. Standard input is its arguments, as a JSON object of strings. Standard
output is the result, in the same format.
"""

import base64
import json
import struct
import sys
import zlib

from cryptography.hazmat.primitives import serialization
from jwcrypto import jwe, jwk


def open_delivery(arguments):
    """Returns members of the header and the plaintext, and the size and darkness of each image."""
    key = serialization.load_pem_private_key(arguments["privateKey"].encode(), None)
    sealed = jwe.JWE()
    sealed.deserialize(arguments["pin"], jwk.JWK.from_pyca(key))
    delivered = json.loads(sealed.payload)
    images = [decode_png(base64.b64decode(image, validate=True)) for image in delivered["images"]]
    order = delivered.get("order", range(len(images)))
    return {
        "algorithm": sealed.jose_header["alg"],
        "notifyKey": delivered["notifyKey"],
        "freeField": delivered.get("freeField", ""),
        "sizes": " ".join(f"{width}x{height}" for width, height, _ in images),
        "darkness": " ".join(str(darkness(images[place][2])) for place in order),
    }


def decode_png(data):
    """Returns width, height and pixel brightness of a palette PNG (ISO/IEC 15948). Checks every checksum."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n", "no PNG signature"
    position, parts = 8, {}
    while position < len(data):
        length, kind = struct.unpack_from(">I4s", data, position)
        body = data[position + 8 : position + 8 + length]
        (checksum,) = struct.unpack_from(">I", data, position + 8 + length)
        assert checksum == zlib.crc32(kind + body), "wrong checksum"
        parts[kind] = parts.get(kind, b"") + body
        position += 12 + length
    width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", parts[b"IHDR"])
    assert colour == 3 and interlaced == 0, "not a non-interlaced palette image"
    rows = unfilter(zlib.decompress(parts[b"IDAT"]), height, (width * depth + 7) // 8)
    palette = [sum(parts[b"PLTE"][start : start + 3]) // 3 for start in range(0, len(parts[b"PLTE"]), 3)]
    return width, height, [palette[index] for row in rows for index in samples(row, depth)[:width]]


def samples(row, depth):
    shifts = range(8 - depth, -1, -depth)
    return [byte >> shift & ((1 << depth) - 1) for byte in row for shift in shifts]


def unfilter(data, height, row_length):
    assert len(data) == height * (row_length + 1), "too few or too many samples"
    rows, above = [], bytes(row_length)
    for number in range(height):
        start = number * (row_length + 1)
        kind, row = data[start], bytearray(data[start + 1 : start + 1 + row_length])
        for index in range(row_length):
            left = row[index - 1] if index > 0 else 0
            upper_left = above[index - 1] if index > 0 else 0
            row[index] = (row[index] + predicted(kind, left, above[index], upper_left)) & 0xFF
        rows.append(bytes(row))
        above = row
    return rows


def predicted(kind, left, above, upper_left):
    if kind == 4:
        estimate = left + above - upper_left
        return min((left, above, upper_left), key=lambda sample: abs(estimate - sample))
    return [0, left, above, (left + above) // 2][kind]


def darkness(pixels):
    """Returns the number of pixels that are much darker than the background."""
    paper = sorted(pixels)[len(pixels) * 9 // 10]
    return sum(1 for pixel in pixels if paper - pixel > 60)


if __name__ == "__main__":
    questions = {question.__name__: question for question in [open_delivery]}
    json.dump(questions[sys.argv[1]](json.load(sys.stdin)), sys.stdout)
