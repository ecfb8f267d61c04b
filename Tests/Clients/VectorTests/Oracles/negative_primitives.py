"""AES-GCM and AES key wrap alone, to test libraries that are easy to misuse."""

from cryptography.hazmat.primitives import keywrap
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

import sealing
from material import chosen

INITIAL_VALUE = b"\xa6" * 8


def flipped(value, bit):
    changed = bytearray(value)
    changed[bit // 8] ^= 0x80 >> bit % 8
    return bytes(changed)


def case(name, plaintext, members):
    verdict = {"verdict": "invalid"} if plaintext is None else {"verdict": "valid", "plaintext": plaintext.hex()}
    return {"name": name} | {member: value.hex() for member, value in members.items()} | verdict


def aes_gcm():
    right = gcm(chosen("gcm key"), chosen("gcm iv", 12), chosen("gcm plaintext", 37), chosen("gcm data", 20))
    plaintext = chosen("gcm plaintext", 37)
    tag, ciphertext = right["tag"], right["ciphertext"]
    yield case("as it should be", plaintext, right)
    yield case("no data", plaintext, gcm(right["key"], right["iv"], plaintext, b""))
    yield case("no plaintext", b"", gcm(right["key"], right["iv"], b"", right["additionalData"]))
    yield case("neither", b"", gcm(right["key"], right["iv"], b"", b""))
    yield case("an iv of 0xff", plaintext, gcm(right["key"], b"\xff" * 12, plaintext, b""))
    for bit in [0, 7, 8, 31, 32, 63, 64, 96, 120, 127]:
        yield case(f"bit {bit} of the tag changed", None, right | {"tag": flipped(tag, bit)})
    others = {"zeros": bytes(16), "0xff": b"\xff" * 16, "complement": bytes(byte ^ 0xFF for byte in tag)}
    for name, other in others.items():
        yield case(f"the tag replaced: {name}", None, right | {"tag": other})
    for count in [0, 1, 4, 8, 12, 13, 14, 15]:
        yield case(f"the tag cut to {count} bytes", None, right | {"tag": tag[:count]})
    yield case("a byte behind the tag", None, right | {"tag": tag + b"\0"})
    for bit in [0, 8 * len(ciphertext) - 1]:
        yield case(f"bit {bit} of the ciphertext changed", None, right | {"ciphertext": flipped(ciphertext, bit)})
    yield case("the ciphertext cut", None, right | {"ciphertext": ciphertext[:-1]})
    yield case("no ciphertext left", None, right | {"ciphertext": b""})
    yield case("a byte behind the ciphertext", None, right | {"ciphertext": ciphertext + b"\0"})
    yield case("other data", None, right | {"additionalData": flipped(right["additionalData"], 0)})
    yield case("the data left out", None, right | {"additionalData": b""})
    yield case("data moved into the ciphertext", None, right | {
        "additionalData": b"", "ciphertext": right["additionalData"] + ciphertext})
    yield case("another iv", None, right | {"iv": flipped(right["iv"], 95)})
    yield case("another key", None, right | {"key": flipped(right["key"], 255)})
    for count in [8, 11, 13, 16]:
        iv = chosen("gcm iv", count)
        yield case(f"an iv of {count} bytes", None, gcm(right["key"], iv, plaintext, right["additionalData"]))
    for count in [16, 24]:
        key = right["key"][:count]
        yield case(f"a key of {count} bytes", None, gcm(key, right["iv"], plaintext, right["additionalData"]))


def gcm(key, iv, plaintext, data):
    sealed = AESGCM(key).encrypt(iv, plaintext, data)
    return {"key": key, "iv": iv, "additionalData": data, "ciphertext": sealed[:-16], "tag": sealed[-16:]}


def aes_key_wrap():
    wrapping_key, key = chosen("kw wrapping key"), chosen("kw key")
    wrapped = keywrap.aes_key_wrap(wrapping_key, key)

    def kw(name, value, plaintext=None, wrapping_key=wrapping_key):
        return case(name, plaintext, {"wrappingKey": wrapping_key, "wrappedKey": value})

    yield kw("as it should be", wrapped, key)
    for count in [16, 24, 48]:
        other = chosen("kw key", count)
        yield kw(f"a key of {count} bytes", keywrap.aes_key_wrap(wrapping_key, other), other)
    for bit in [0, 63, 64, 8 * len(wrapped) - 1]:
        yield kw(f"bit {bit} changed", flipped(wrapped, bit))
    yield kw("two blocks swapped", wrapped[:8] + wrapped[16:24] + wrapped[8:16] + wrapped[24:])
    for name, value in [
        ("zeros", bytes(8)), ("one bit off", flipped(INITIAL_VALUE, 63)),
        ("that of RFC 5649 for 32 bytes", bytes.fromhex("a65959a600000020")),
    ]:
        yield kw(f"another initial value: {name}", sealing.wrap_with_initial_value(wrapping_key, key, value))
    yield kw("wrapped with padding (RFC 5649)", keywrap.aes_key_wrap_with_padding(wrapping_key, key[:31]))
    yield kw("nothing", b"")
    yield kw("8 bytes", wrapped[:8])
    yield kw("a key of 8 bytes", sealing.wrap_with_initial_value(wrapping_key, key[:8], INITIAL_VALUE))
    yield kw("cut by a byte", wrapped[:-1])
    yield kw("cut by a block", wrapped[:-8])
    yield kw("a byte behind it", wrapped + b"\0")
    yield kw("a block behind it", wrapped + bytes(8))
    yield kw("not wrapped", key)
    yield kw("another wrapping key", wrapped, wrapping_key=flipped(wrapping_key, 255))
    for count in [16, 24]:
        shorter = wrapping_key[:count]
        yield kw(f"a wrapping key of {count} bytes", keywrap.aes_key_wrap(shorter, key), wrapping_key=shorter)
