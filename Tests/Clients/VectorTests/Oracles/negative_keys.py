"""Public keys of clients, as in rsaPublicKey and ecdhPublicKey: base64 of a DER SubjectPublicKeyInfo."""

import itertools

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

import asn1
from asn1 import der, ec_info, rsa_info, sequence
from material import P256, base64_text, base64url, chosen, compact_json, octets
from positive import CLIENT_EC, CLIENT_RSA

INVALID_EC, INVALID_RSA = 207, 202


def case(name, text, code=0):
    return {"name": name, "publicKey": text, "verdict": "invalid" if code else "valid", "code": code}


# Points


def uncompressed(x, y):
    return b"\x04" + octets(x) + octets(y)


def right_side(x, b=P256.B):
    return (x**3 + P256.A * x + b) % P256.P


def square_root(square):
    """A square root, or None if there is none. This formula works because the prime is 3 modulo 4."""
    root = pow(square, (P256.P + 1) // 4, P256.P)
    return root if root * root % P256.P == square else None


def numbers(label):
    return (int.from_bytes(chosen(f"{label} {count}"), "big") % P256.P for count in itertools.count())


def twist_point():
    """A point on the twist: its x has no y on the curve."""
    x = next(x for x in numbers("twist") if square_root(right_side(x)) is None)
    return x, square_root(-right_side(x) % P256.P)


def point_of_order_two():
    """A point with y = 0 on y² = x³ - 3x + b' with another b'. Its multiples reveal whether the private key is even."""
    return next(x for x in numbers("order 2") if right_side(x) != 0), 0


def point_of_order_three():
    """A point on a curve with another b'. Its x is a root of the third division polynomial 3x⁴ + 6ax² + 12b'x - a²."""
    for x in numbers("order 3"):
        b = (P256.A**2 - 3 * x**4 - 6 * P256.A * x**2) * pow(12 * x, -1, P256.P) % P256.P
        if (y := square_root(right_side(x, b))) is not None and b != P256.B:
            return x, y


def point_with_small_x():
    """A point with x so small that x plus the prime also fits in 32 bytes."""
    return next((x, square_root(right_side(x))) for x in range(2**32) if square_root(right_side(x)))


def on(curve):
    key = ec.derive_private_key(int.from_bytes(chosen("another curve"), "big"), curve).public_key()
    return key.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)


def explicit_parameters(point):
    """RFC 3279 section 2.3.5: explicit curve parameters. A forger could use them to replace the generator."""
    field = sequence(bytes.fromhex("06072a8648ce3d0101"), asn1.integer(P256.P))
    curve = sequence(der(0x04, octets(P256.A)), der(0x04, octets(P256.B)))
    generator = bytes.fromhex(
        "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
        "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5")
    parameters = sequence(
        asn1.integer(1), field, curve, der(0x04, generator), asn1.integer(P256.ORDER), asn1.integer(1))
    return asn1.key_info(sequence(bytes.fromhex(asn1.EC_PUBLIC_KEY), parameters), point)


def ecdh_public_keys():
    key, small = CLIENT_EC, point_with_small_x()
    point, info = uncompressed(key.x, key.y), ec_info(uncompressed(key.x, key.y))
    parity = key.y & 1
    text = base64_text(info)
    outer_long = der(0x30, info[2:], long_form=True)
    pem = key.key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo).decode()
    wrong = {
        "y of another point": ec_info(uncompressed(key.x, key.y ^ 1)),
        "x and y swapped": ec_info(uncompressed(key.y, key.x)),
        "a point of the twist": ec_info(uncompressed(*twist_point())),
        "a point of order 2 of another curve": ec_info(uncompressed(*point_of_order_two())),
        "a point of order 3 of another curve": ec_info(uncompressed(*point_of_order_three())),
        "x and y both zero": ec_info(uncompressed(0, 0)),
        "infinity, one byte": ec_info(b"\0"),
        "infinity, padded to 65 bytes": ec_info(bytes(65)),
        "no point at all": ec_info(b""),
        "x plus the prime": ec_info(uncompressed(small[0] + P256.P, small[1])),
        "x the prime itself": ec_info(uncompressed(P256.P, square_root(P256.B))),
        "all coordinates 0xff": ec_info(b"\x04" + b"\xff" * 64),
        "compressed": ec_info(bytes([2 | parity]) + octets(key.x)),
        "hybrid": ec_info(bytes([6 | parity]) + point[1:]),
        "uncompressed under the octet 5": ec_info(b"\x05" + point[1:]),
        "a coordinate of 31 bytes": ec_info(point[:-1]),
        "coordinates of 33 bytes": ec_info(b"\x04\0" + octets(key.x) + b"\0" + octets(key.y)),
        "a point of P-384": ec_info(on(ec.SECP384R1()), asn1.CURVES["P-384"]),
        "a point of secp256k1": ec_info(on(ec.SECP256K1()), asn1.CURVES["secp256k1"]),
        "a point of secp256k1 under the name of P-256": ec_info(on(ec.SECP256K1())),
        "the point under the name of secp256k1": ec_info(point, asn1.CURVES["secp256k1"]),
        "explicit parameters": explicit_parameters(point),
        "no parameters": ec_info(point, curve=""),
        "parameters NULL": ec_info(point, curve=asn1.NULL),
        "the algorithm id-ecDH": ec_info(point, algorithm=asn1.EC_DH),
        "an RSA key": rsa_info(CLIENT_RSA.n, CLIENT_RSA.e),
        "the bare point": point,
        "a private key": key.key.private_bytes(
            serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()),
        "a byte behind it": info + b"\0",
        "a byte missing": info[:-1],
        "a length in BER's long form": outer_long,
        "the BIT STRING with unused bits": ec_info(point, unused=1),
    }
    cases = [case("as it should be", text)]
    cases.append(case("the point's negative is a point too", base64_text(ec_info(uncompressed(key.x, P256.P - key.y)))))
    cases.append(case("a point with the smallest x", base64_text(ec_info(uncompressed(*small)))))
    cases += [case(name, base64_text(value), INVALID_EC) for name, value in wrong.items()]
    return cases + [case(name, value, INVALID_EC) for name, value in wrong_texts(text, info).items()] + [
        case("PEM", pem, INVALID_EC), case("a JWK", compact_json(key.public_jwk), INVALID_EC)]


def wrong_texts(text, info):
    return {
        "base64url, unpadded": base64url(info),
        "base64 with a line end": text[:64] + "\n" + text[64:],
        "base64 with a space behind it": text + " ",
        "base64 with more padding": text + "====",
        "hex": info.hex(),
    }


def rsa_public_keys():
    n, e = CLIENT_RSA.n, CLIENT_RSA.e
    info = rsa_info(n, e)
    text = base64_text(info)
    large = {bits: int.from_bytes(chosen(f"{bits} bits", bits // 8), "big") | 1 | 1 << bits - 1 for bits in SIZES}
    wrong = {
        "1024 bits": rsa_info(large[1024], e),
        "2040 bits": rsa_info(large[2040], e),
        "4104 bits": rsa_info(large[4104], e),
        "8192 bits": rsa_info(large[8192], e),
        "an even modulus": rsa_info(n - 1, e),
        "a modulus of zero": rsa_info(0, e),
        "a negative modulus": rsa_info_of_octets(octets(n, 256), octets(e, 3)),
        "a modulus with a zero too many": rsa_info_of_octets(b"\0\0" + octets(n, 256), octets(e, 3)),
        "the exponent 1": rsa_info(n, 1),
        "the exponent 3": rsa_info(n, 3),
        "the exponent 65535": rsa_info(n, 65535),
        "an even exponent": rsa_info(n, 65538),
        "an exponent of zero": rsa_info(n, 0),
        "an exponent as long as the modulus": rsa_info(n, n - 2),
        "PKCS#1 without its SubjectPublicKeyInfo": sequence(asn1.integer(n), asn1.integer(e)),
        "the algorithm without its parameters NULL": rsa_info(n, e, asn1.RSA_ENCRYPTION),
        "the algorithm RSASSA-PSS": rsa_info(n, e, asn1.RSA_PSS),
        "an EC key": ec_info(uncompressed(CLIENT_EC.x, CLIENT_EC.y)),
        "a byte behind it": info + b"\0",
        "a byte missing": info[:-1],
        "nothing": sequence(),
    }
    cases = [case("as it should be", text)]
    cases += [case(f"{bits} bits", base64_text(rsa_info(large[bits], e))) for bits in (3072, 4096)]
    cases.append(case("the exponent 65539", base64_text(rsa_info(n, 65539))))
    cases += [case(name, base64_text(value), INVALID_RSA) for name, value in wrong.items()]
    return cases + [case(name, value, INVALID_RSA) for name, value in wrong_texts(text, info).items()]


SIZES = (1024, 2040, 3072, 4096, 4104, 8192)


def rsa_info_of_octets(n, e):
    algorithm = sequence(bytes.fromhex(asn1.RSA_ENCRYPTION + asn1.NULL))
    return asn1.key_info(algorithm, sequence(der(0x02, n), der(0x02, e)))
