"""Helpers for the checks: encodings, keys, and the algorithms that are implemented from their definitions."""

import base64
import functools
import hashlib
import json

from cryptography.hazmat.primitives import serialization
from jwcrypto import jwk


class Difference(Exception):
    pass


def equal(what, found, wanted):
    if found != wanted:
        raise Difference(f"{what} is {found!r}, expected {wanted!r}")


# Encodings, canonical form only


def b64(value):
    return base64.standard_b64encode(value).decode()


def b64url(value):
    return base64.urlsafe_b64encode(value).decode().rstrip("=")


def unb64(text):
    value = base64.b64decode(text, validate=True)
    equal("base64", text, b64(value))
    return value


def unb64url(text):
    value = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    equal("base64url", text, b64url(value))
    return value


def strict_json(octets, depth=16):
    """Parses one JSON object: UTF-8, no duplicate members at any level, no lone surrogate, limited depth."""
    value = json.loads(octets.decode("utf-8"), object_pairs_hook=_unique, parse_constant=_refuse)
    equal("the type of the JSON value", type(value), dict)
    _check_depth(value, depth)
    return value


def _unique(pairs):
    names = [name for name, _ in pairs]
    equal("the number of distinct member names", len(set(names)), len(names))
    return dict(pairs)


def _refuse(constant):
    raise Difference(f"{constant} is not JSON")


def _check_depth(value, left):
    equal("whether the depth is within the limit", left >= 0, True)
    if isinstance(value, str):
        value.encode("utf-8")
    elements = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else []
    for name, element in elements:
        _check_depth(element, left - 1)
        if isinstance(name, str):
            name.encode("utf-8")


# Keys


class Keys:
    """The keys of a file, by name and by thumbprint."""

    def __init__(self, described):
        self._keys = {key["name"]: key for key in described}
        self._names = {key["thumbprint"]: key["name"] for key in described}

    @functools.cache
    def private(self, name):
        return serialization.load_pem_private_key(self._keys[name]["pem"].encode(), None)

    def jwk(self, name):
        return jwk.JWK(**self._keys[name]["jwk"])

    def name(self, thumbprint):
        return self._names.get(thumbprint)

    def check(self, key):
        """Checks that all encodings belong to the same key."""
        private, own = self.private(key["name"]), self.jwk(key["name"])
        read = json.loads(jwk.JWK.from_pyca(private).export()) | {"kid": None}
        equal("jwk", read, key["jwk"] | {"kid": None})
        form = serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
        equal("publicKey", b64(private.public_key().public_bytes(*form)), key["publicKey"])
        equal("thumbprint", own.thumbprint(), key["thumbprint"])


# Algorithms from their definitions


def hmac_sha256(key, message):
    """RFC 2104."""
    key = (hashlib.sha256(key).digest() if len(key) > 64 else key).ljust(64, b"\0")
    inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in key) + message).digest()
    return hashlib.sha256(bytes(byte ^ 0x5C for byte in key) + inner).digest()


def other_info(party_u, party_v):
    """RFC 7518 section 4.6.2: three values, each after its length, and the key's length in bits."""
    info = bytearray()
    for value in (b"ECDH-ES+A256KW", party_u, party_v):
        info += len(value).to_bytes(4, "big") + value
    return bytes(info + (256).to_bytes(4, "big"))


def concat_kdf(secret, info):
    """SP 800-56A section 5.8.1. One round of SHA-256 is enough for 256 bits."""
    hasher = hashlib.sha256()
    for part in ((1).to_bytes(4, "big"), secret, info):
        hasher.update(part)
    return hasher.digest()


def mgf1(seed, count):
    """RFC 8017 appendix B.2.1, with SHA-256."""
    rounds = range(-(-count // 32))
    return b"".join(hashlib.sha256(seed + number.to_bytes(4, "big")).digest() for number in rounds)[:count]


def oaep_key(key, encrypted):
    """RSAES-OAEP decryption (RFC 8017 section 7.1.2). Returns message, encoded message, seed and block."""
    numbers, size = key.private_numbers(), key.key_size // 8
    equal("the length of encryptedKey", len(encrypted), size)
    n = numbers.public_numbers.n
    encoded = pow(int.from_bytes(encrypted, "big"), numbers.d, n).to_bytes(size, "big")
    first, masked_seed, masked_block = encoded[0], encoded[1:33], encoded[33:]
    seed = bytes(a ^ b for a, b in zip(masked_seed, mgf1(masked_block, 32)))
    block = bytes(a ^ b for a, b in zip(masked_block, mgf1(seed, len(masked_block))))
    message = block[32:].lstrip(b"\0")
    equal("the OAEP padding", (first, block[:32], message[:1]), (0, hashlib.sha256(b"").digest(), b"\x01"))
    return message[1:], encoded, seed, block
