"""Opens deliveries with jwcrypto and decodes their images with nothing but zlib: an argument names the question, standard
input holds its arguments as a JSON object of strings, standard output gets the answer in the same form.
"""

import base64
import json
import struct
import sys
import zlib

from cryptography.hazmat.primitives import serialization
from jwcrypto import jwe, jwk


def open_delivery(arguments):
    """The header and the plaintext, and what the images are."""
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
    """Width, height and the brightness of each pixel (ISO/IEC 15948), every checksum checked; images with a palette."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n", "no signature"
    position, parts = 8, {}
    while position < len(data):
        length, kind = struct.unpack_from(">I4s", data, position)
        body = data[position + 8 : position + 8 + length]
        (checksum,) = struct.unpack_from(">I", data, position + 8 + length)
        assert checksum == zlib.crc32(kind + body), "wrong checksum"
        parts[kind] = parts.get(kind, b"") + body
        position += 12 + length
    width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", parts[b"IHDR"])
    assert colour == 3 and interlaced == 0, "a form that this does not read"
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
    """How many pixels are much darker than the paper."""
    paper = sorted(pixels)[len(pixels) * 9 // 10]
    return sum(1 for pixel in pixels if paper - pixel > 60)


if __name__ == "__main__":
    questions = {question.__name__: question for question in [open_delivery]}
    json.dump(questions[sys.argv[1]](json.load(sys.stdin)), sys.stdout)
