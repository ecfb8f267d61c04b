"""Checks negative.json with cryptography's parsers and primitives, and an independent implementation of the protocol's
checks."""

from checking import concat_kdf, equal, oaep_key, other_info, strict_json, unb64, unb64url
from cryptography.hazmat.primitives import hashes, keywrap, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

PRIME = 2**256 - 2**224 + 2**192 + 2**96 - 1
B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
NAMES = ["cty", "iss", "sub", "jti", "keypadId"]
KNOWN_PARAMETERS = {"alg", "enc", "kid", "epk", "apu", "apv", "typ", *NAMES}


class Refused(Exception):
    def __init__(self, code):
        super().__init__(code)
        self.code = code


def refusing(code):
    """Calls a function and converts any exception to Refused with this code."""

    def call(function, *arguments):
        try:
            return function(*arguments)
        except Exception as error:
            raise Refused(code) from error

    return call


def judged(judge):
    """Returns a check that runs `judge` and compares its code and verdict with the case's."""

    def check(case, keys):
        try:
            judge(case, keys)
            code = 0
        except Refused as refusal:
            code = refusal.code
        equal("code", code, case.get("code", 0 if case["verdict"] == "valid" else code))
        equal("verdict", "invalid" if code else "valid", case["verdict"])

    return check


def require(code, condition):
    if not condition:
        raise Refused(code)


# Public keys of clients


def public_key(text):
    """Parses a SubjectPublicKeyInfo. It must be encoded exactly as cryptography encodes the key."""
    octets = unb64(text)
    key = serialization.load_der_public_key(octets)
    form = serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    equal("the canonical encoding", octets, key.public_bytes(*form))
    return key


def judge_ecdh_public_key(case, _):
    key = refusing(207)(public_key, case["publicKey"])
    require(207, isinstance(key, ec.EllipticCurvePublicKey) and isinstance(key.curve, ec.SECP256R1))


def judge_rsa_public_key(case, _):
    key = refusing(202)(public_key, case["publicKey"])
    require(202, isinstance(key, rsa.RSAPublicKey) and 2048 <= key.key_size <= 4096)
    numbers = key.public_numbers()
    require(202, numbers.n & 1 and numbers.e & 1 and 65537 <= numbers.e < 2**64)


# Tokens


def judge_token(case, _):
    refusing(208)(strict_json, case["token"].encode("utf-8"))


def judge_signature(case, keys):
    key = keys.private(case["key"]).public_key()
    signature = refusing(206)(unb64, case["signature"])
    refusing(206)(key.verify, signature, case["token"].encode(), padding.PKCS1v15(), hashes.SHA256())


# Sealed values


def parts(text):
    """Splits a compact JWE: the header's members, the encoded header, and the other four parts."""
    encoded = text.split(".")
    equal("parts", len(encoded), 5)
    equal("a header of at most 4096 bytes", len(encoded[0]) <= 4096, True)
    header = strict_json(unb64url(encoded[0]))
    key, iv, ciphertext, tag = map(unb64url, encoded[1:])
    equal("the lengths of iv and tag", (len(iv), len(tag)), (12, 16))
    return header, encoded[0].encode(), key, iv, ciphertext, tag


def point(epk):
    equal("the type of epk", type(epk), dict)
    equal("kty, crv and whether d is present", (epk["kty"], epk["crv"], "d" in epk), ("EC", "P-256", False))
    coordinates = [unb64url(epk[name]) for name in "xy"]
    equal("the coordinates' lengths", [len(value) for value in coordinates], [32, 32])
    x, y = (int.from_bytes(value, "big") for value in coordinates)
    equal("whether the coordinates are less than the prime", x < PRIME and y < PRIME, True)
    equal("the curve equation", (y * y - x**3 + 3 * x - B) % PRIME, 0)
    return ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1()).public_key()


def header_parameters(header, alg):
    equal("unknown header parameters", set(header) - KNOWN_PARAMETERS, set())
    equal("alg and enc", (header["alg"], header["enc"]), (alg, "A256GCM"))
    texts = [header.get(name, "") for name in ["kid", "apu", "apv", "typ", *NAMES]]
    equal("the type of all parameters that are texts", {type(text) for text in texts}, {str})
    return unb64url(header.get("apu", "")), unb64url(header.get("apv", ""))


def unwrap(key, alg, encrypted, header, parties):
    if alg == "RSA-OAEP-256":
        return oaep_key(key, encrypted)[0]
    secret = key.exchange(ec.ECDH(), point(header["epk"]))
    return keywrap.aes_key_unwrap(concat_kdf(secret, other_info(*parties)), encrypted)


def decrypt(content_key, iv, ciphertext, tag, data):
    equal("the length of the content key", len(content_key), 32)
    return AESGCM(content_key).decrypt(iv, ciphertext + tag, data)


def judge_definition(case, keys):
    """The order of checks in section 2.8: 107, 201, 207, then 200 for everything else."""
    alg, key_name = {
        "pin-definition/pin": ("RSA-OAEP-256", "server-rsa"),
        "pin-definition/token/pin": ("ECDH-ES+A256KW", "server-ec"),
    }[case["operation"]]
    crypto = refusing(200)
    header, data, encrypted, iv, ciphertext, tag = crypto(parts, case["compact"])
    if alg == "ECDH-ES+A256KW":
        require(107, "epk" in header)
        require(201, encrypted)
        refusing(207)(point, header["epk"])
    require(201, encrypted)
    parties = crypto(header_parameters, header, alg)
    require(200, keys.name(header.get("kid")) == key_name)
    content_key = crypto(unwrap, keys.private(key_name), alg, encrypted, header, parties)
    plaintext = crypto(decrypt, content_key, iv, ciphertext, tag, data)
    equal("plaintext", plaintext, b"4343            ")


def check_binding(case, keys):
    """Decrypts the value, and compares the names in its header with the request's."""
    header, data, encrypted, iv, ciphertext, tag = parts(case["compact"])
    alg = {"server-rsa": "RSA-OAEP-256", "server-ec": "ECDH-ES+A256KW"}[case["recipient"]]
    parties = header_parameters(header, alg)
    equal("kid", keys.name(header["kid"]), case["recipient"])
    content_key = unwrap(keys.private(case["recipient"]), alg, encrypted, header, parties)
    plaintext = decrypt(content_key, iv, ciphertext, tag, data)
    expected = {"pin": b"4343".ljust(16), "indexes": b"0,1,0,1".ljust(64), "authenticationCode": b"K7P2M9".ljust(16)}
    equal("plaintext", plaintext, expected[case["content"]])
    required = [case[member] for member in ["content", "bankId", "uniqueId", "requestId", "keypadId"]]
    failing = [name for name, value in zip(NAMES, required, strict=True) if header.get(name) != value]
    equal("bound", case["bound"], "invalid" if failing else "valid")
    equal("any", case["any"], "invalid" if set(failing) & set(header) else "valid")


def judge_delivery(case, keys):
    key = keys.private(case["recipient"])
    alg = {"client-rsa": "RSA-OAEP-256", "client-ec": "ECDH-ES+A256KW"}[case["recipient"]]
    header, data, encrypted, iv, ciphertext, tag = refusing(90005)(parts, case["compact"])
    if alg == "ECDH-ES+A256KW" and header.get("alg") == alg:
        require_readable_point(header)
    parties = refusing(90005)(header_parameters, header, alg)
    content_key = refusing(90012)(unwrap, key, alg, encrypted, header, parties)
    require(90012, len(content_key) == 32)
    plaintext = refusing(90005)(decrypt, content_key, iv, ciphertext, tag, data)
    judge_plaintext(plaintext)


def require_readable_point(header):
    """Refuses with 90014 if epk has not two valid coordinates, and with 90009 if they are not a point on the curve."""
    refusing(90014)(coordinates, header.get("epk"))
    refusing(90009)(point, header["epk"])


def coordinates(epk):
    equal("kty and crv", (epk["kty"], epk["crv"]), ("EC", "P-256"))
    equal("lengths", [len(unb64url(epk[name])) for name in "xy"], [32, 32])


def judge_plaintext(plaintext):
    parse = refusing(90011)
    members = parse(strict_json, plaintext)
    images = parse(delivered_images, members)
    length, order = members["length"], members.get("order", [0])
    require(90013, 4 <= length <= 12)
    require(90013, len(images) == (length if members["format"] == "digits" else 1))
    require(90013, sorted(order) == list(range(len(images))))


def delivered_images(members):
    equal("format", members["format"] in ("captcha", "digits"), True)
    equal("length", type(members["length"]), int)
    equal("the length of notifyKey", len(unb64url(members["notifyKey"])), 32)
    images = [unb64(image) for image in members["images"]]
    equal("images", [image[:8] for image in images], [b"\x89PNG\r\n\x1a\n"] * len(images))
    return images


# Primitives


def octets(case, *names):
    return [bytes.fromhex(case[name]) for name in names]


def judge_aes_gcm(case, _):
    key, iv, data, ciphertext, tag = octets(case, "key", "iv", "additionalData", "ciphertext", "tag")
    require(1, (len(key), len(iv), len(tag)) == (32, 12, 16))
    plaintext = refusing(1)(AESGCM(key).decrypt, iv, ciphertext + tag, data)
    equal("plaintext", plaintext.hex(), case["plaintext"])


def judge_aes_key_wrap(case, _):
    wrapping_key, wrapped = octets(case, "wrappingKey", "wrappedKey")
    require(1, len(wrapping_key) == 32)
    plaintext = refusing(1)(keywrap.aes_key_unwrap, wrapping_key, wrapped)
    equal("plaintext", plaintext.hex(), case["plaintext"])


CHECKS = {
    "ecdhPublicKeys": judged(judge_ecdh_public_key),
    "rsaPublicKeys": judged(judge_rsa_public_key),
    "tokens": judged(judge_token),
    "signatures": judged(judge_signature),
    "definitions": judged(judge_definition),
    "bindings": check_binding,
    "deliveries": judged(judge_delivery),
    "aesGCM": judged(judge_aes_gcm),
    "aesKeyWrap": judged(judge_aes_key_wrap),
}
