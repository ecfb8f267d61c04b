"""Bytes and keys for the vectors, and their text encodings.

Nothing is random: bytes and keys are derived from labels with SHAKE256, so that the generator always writes the same
files. Anyone can derive these keys. Use them for tests only.
"""

import base64
import dataclasses
import functools
import hashlib
import itertools
import json
import math

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa


def chosen(label, count=32):
    return hashlib.shake_256(("card-companion vectors: " + label).encode()).digest(count)


def base64_text(value):
    return base64.b64encode(value).decode()


def base64url(value):
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


def from_base64url(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def compact_json(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def thumbprint_input(jwk):
    names = {"EC": ["crv", "kty", "x", "y"], "OKP": ["crv", "kty", "x"], "RSA": ["e", "kty", "n"]}[jwk["kty"]]
    return compact_json({name: jwk[name] for name in names})


def thumbprint(jwk):
    return base64url(hashlib.sha256(thumbprint_input(jwk).encode()).digest())


def _described(name, key, jwk, public_names):
    public = {member: jwk[member] for member in public_names}
    pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    der = key.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    return {
        "name": name,
        "jwk": jwk,
        "pem": pem.decode(),
        "publicKey": base64_text(der),
        "thumbprint": thumbprint(public),
    }


# P-256


@dataclasses.dataclass(frozen=True)
class P256:
    """A key pair: the private number d and the point (x, y)."""

    name: str
    d: int
    x: int
    y: int

    ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
    P = 2**256 - 2**224 + 2**192 + 2**96 - 1
    A = P - 3
    B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B

    @property
    def key(self):
        return ec.derive_private_key(self.d, ec.SECP256R1())

    @property
    def public_jwk(self):
        return {"crv": "P-256", "kty": "EC", "x": base64url(octets(self.x)), "y": base64url(octets(self.y))}

    @property
    def jwk(self):
        return self.public_jwk | {"d": base64url(octets(self.d))}

    @property
    def kid(self):
        return thumbprint(self.public_jwk)

    def agree(self, other):
        """Z, the shared secret: the x coordinate of the shared point."""
        return self.key.exchange(ec.ECDH(), other.key.public_key())

    def described(self):
        return _described(self.name, self.key, self.jwk, ["crv", "kty", "x", "y"])


def octets(number, count=32):
    return number.to_bytes(count, "big")


@functools.cache
def p256(name):
    d = int.from_bytes(chosen(name), "big") % (P256.ORDER - 1) + 1
    point = ec.derive_private_key(d, ec.SECP256R1()).public_key().public_numbers()
    return P256(name, d, point.x, point.y)


def p256_where(name, fits):
    """The first of the keys `name 1`, `name 2`, … that fits."""
    return next(key for key in (p256(f"{name} {number}") for number in itertools.count(1)) if fits(key))


# Ed25519


@dataclasses.dataclass(frozen=True)
class Ed25519:
    """A key pair, made from 32 bytes."""

    name: str

    @property
    def key(self):
        return ed25519.Ed25519PrivateKey.from_private_bytes(chosen(self.name))

    @property
    def jwk(self):
        x = self.key.public_key().public_bytes_raw()
        return {"crv": "Ed25519", "kty": "OKP", "x": base64url(x), "d": base64url(chosen(self.name))}

    def described(self):
        return _described(self.name, self.key, self.jwk, ["crv", "kty", "x"])


# RSA


@dataclasses.dataclass(frozen=True)
class RSA:
    name: str
    p: int
    q: int
    e: int = 65537

    @functools.cached_property
    def n(self):
        return self.p * self.q

    @functools.cached_property
    def d(self):
        return pow(self.e, -1, math.lcm(self.p - 1, self.q - 1))

    @property
    def byte_count(self):
        return (self.n.bit_length() + 7) // 8

    @functools.cached_property
    def key(self):
        dmp1, dmq1, iqmp = self.d % (self.p - 1), self.d % (self.q - 1), pow(self.q, -1, self.p)
        public = rsa.RSAPublicNumbers(self.e, self.n)
        return rsa.RSAPrivateNumbers(self.p, self.q, self.d, dmp1, dmq1, iqmp, public).private_key()

    @property
    def jwk(self):
        numbers = self.key.private_numbers()
        members = {
            "n": self.n, "e": self.e, "d": self.d, "p": self.p, "q": self.q, "dp": numbers.dmp1, "dq": numbers.dmq1,
            "qi": numbers.iqmp,
        }
        texts = {name: base64url(octets(number, (number.bit_length() + 7) // 8)) for name, number in members.items()}
        return {"kty": "RSA"} | texts

    @property
    def public_jwk(self):
        return {name: self.jwk[name] for name in ["e", "kty", "n"]}

    @property
    def kid(self):
        return thumbprint(self.public_jwk)

    def public_operation(self, message):
        """RSAEP (RFC 8017 section 5.1.1). The block is as long as the modulus."""
        return octets(pow(int.from_bytes(message, "big"), self.e, self.n), self.byte_count)

    def private_operation(self, message):
        """RSASP1 (RFC 8017 section 5.2.1), with the Chinese remainder theorem."""
        number = int.from_bytes(message, "big")
        at_p, at_q = (pow(number, self.d % (prime - 1), prime) for prime in (self.p, self.q))
        lifted = (at_p - at_q) * pow(self.q, -1, self.p) % self.p
        return octets(at_q + lifted * self.q, self.byte_count)

    def described(self):
        return _described(self.name, self.key, self.jwk, ["e", "kty", "n"])


@functools.cache
def rsa_key(name, bits=2048):
    return RSA(name, _prime(name + " p", bits // 2), _prime(name + " q", bits // 2))


def _prime(label, bits):
    for number in itertools.count():
        candidate = int.from_bytes(chosen(f"{label} {number}", bits // 8), "big")
        candidate |= 0b11 << (bits - 2) | 1
        if math.gcd(candidate - 1, 65537) == 1 and _is_prime(candidate):
            return candidate


_SMALL_PRIMES = [n for n in range(3, 2000) if all(n % m for m in range(2, math.isqrt(n) + 1))]


def _is_prime(number):
    """Trial division, then Miller-Rabin with 24 fixed bases. This is enough, because no attacker chose the number."""
    if any(number % prime == 0 for prime in _SMALL_PRIMES):
        return False
    twos = (number - 1 & 1 - number).bit_length() - 1
    odd = number - 1 >> twos
    return all(_passes(number, base, odd, twos) for base in [2, *_SMALL_PRIMES[:23]])


def _passes(number, base, odd, twos):
    power = pow(base, odd, number)
    if power in (1, number - 1):
        return True
    for _ in range(twos - 1):
        power = power * power % number
        if power == number - 1:
            return True
    return False
