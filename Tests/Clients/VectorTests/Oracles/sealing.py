"""Seals values and records every step: JWE with RSA-OAEP-256 or ECDH-ES+A256KW, and A256GCM.

OAEP, the key derivation and the signature padding are implemented with integers and hashes, so that the caller can set
the values that libraries choose at random.
"""

import hashlib
import struct

from cryptography.hazmat.primitives import keywrap
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from material import base64url, chosen, compact_json, octets, p256

TAG_BYTES = 16
DIGEST_INFO = {
    "sha1": "3021300906052b0e03021a05000414",
    "sha256": "3031300d060960864801650304020105000420",
    "sha512": "3051300d060960864801650304020305000440",
}


def compact(parts):
    """Joins the parts with dots. Bytes are encoded in base64url, text is not changed."""
    return ".".join(part if isinstance(part, str) else base64url(part) for part in parts)


# The header and the content


def header_members(alg, kid, binding):
    """`binding` has cty, iss, sub, jti and keypadId, as far as the header has them."""
    return {"alg": alg, "enc": "A256GCM"} | ({"kid": kid} if kid else {}) | (binding or {})


def seal_content(steps, plaintext, rewrite, iv):
    """Adds the steps from the header on. `rewrite` changes the header's text before encoding."""
    header = rewrite(compact_json(steps.pop("headerMembers")))
    protected = base64url(header.encode("utf-8", "surrogateescape"))
    sealed = AESGCM(bytes.fromhex(steps["contentKey"])).encrypt(iv, plaintext, protected.encode())
    parts = [protected, bytes.fromhex(steps["encryptedKey"]), iv, sealed[:-TAG_BYTES], sealed[-TAG_BYTES:]]
    return steps | {
        "header": header,
        "protectedHeader": protected,
        "additionalData": protected.encode().hex(),
        "iv": iv.hex(),
        "ciphertext": parts[3].hex(),
        "tag": parts[4].hex(),
        "compact": compact(parts),
    }


def parts_of(steps):
    names = ["encryptedKey", "iv", "ciphertext", "tag"]
    return [steps["protectedHeader"], *(bytes.fromhex(steps[name]) for name in names)]


# RSA-OAEP-256


def mgf1(seed, count, digest):
    blocks = (hashlib.new(digest, seed + struct.pack(">I", number)).digest() for number in range(count))
    mask = b""
    while len(mask) < count:
        mask += next(blocks)
    return mask[:count]


def xor(one, other):
    return bytes(a ^ b for a, b in zip(one, other, strict=True))


def oaep(message, key, seed, digest="sha256", mgf_digest="sha256", oaep_label=b""):
    """RSAES-OAEP (RFC 8017 section 7.1.1), with the RFC's names. The seed is cut to the hash's length."""
    label_hash = hashlib.new(digest, oaep_label).digest()
    seed = seed[: len(label_hash)]
    data_block = label_hash.ljust(key.byte_count - len(seed) - 2 - len(message), b"\0") + b"\x01" + message
    masked_block = xor(data_block, mgf1(seed, len(data_block), mgf_digest))
    masked_seed = xor(seed, mgf1(masked_block, len(seed), mgf_digest))
    encoded = b"\0" + masked_seed + masked_block
    return {
        "oaepSeed": seed.hex(),
        "oaepDataBlock": data_block.hex(),
        "oaepEncodedMessage": encoded.hex(),
        "encryptedKey": key.public_operation(encoded).hex(),
    }


def seal_rsa(
    label, plaintext, recipient, kid=None, binding=None, rewrite=lambda header: header, content_key=None, iv_bytes=12,
    **padding,
):
    content_key = content_key or chosen(label + ": content key")
    header = header_members("RSA-OAEP-256", kid, binding)
    steps = {"contentKey": content_key.hex(), "headerMembers": header}
    steps |= oaep(content_key, recipient, chosen(label + ": OAEP seed", 64), **padding)
    return seal_content(steps, plaintext, rewrite, chosen(label + ": iv", iv_bytes))


# ECDH-ES+A256KW


def other_info(algorithm, party_u, party_v, bit_count):
    """RFC 7518 section 4.6.2."""
    parts = [algorithm.encode(), party_u, party_v]
    return b"".join(struct.pack(">I", len(part)) + part for part in parts) + struct.pack(">I", bit_count)


def concat_kdf(secret, info):
    return hashlib.sha256(struct.pack(">I", 1) + secret + info).digest()


def wrap_with_initial_value(wrapping_key, key, initial_value):
    """The wrapping function W (RFC 3394 section 2.2.1) with any initial value."""
    encryptor = Cipher(algorithms.AES(wrapping_key), modes.ECB()).encryptor()
    blocks = [key[start : start + 8] for start in range(0, len(key), 8)]
    register = initial_value
    for round_number in range(6):
        for index, block in enumerate(blocks):
            output = encryptor.update(register + block)
            register = xor(output[:8], octets(round_number * len(blocks) + index + 1, 8))
            blocks[index] = output[8:]
    return register + b"".join(blocks)


def seal_ecdh(
    label, plaintext, recipient, kid=None, binding=None, party_u=b"", party_v=b"", ephemeral=None,
    rewrite=lambda header: header, content_key=None, iv_bytes=12, algorithm_id="ECDH-ES+A256KW", bit_count=256,
    info=None, secret=None,
):
    ephemeral = ephemeral or p256(label + ": ephemeral key")
    content_key = content_key or chosen(label + ": content key")
    secret = secret or ephemeral.agree(recipient)
    info = other_info(algorithm_id, party_u, party_v, bit_count) if info is None else info
    wrapping_key = concat_kdf(secret, info)
    header = header_members("ECDH-ES+A256KW", kid, binding) | {"epk": ephemeral.public_jwk}
    header |= {name: base64url(party) for name, party in [("apu", party_u), ("apv", party_v)] if party}
    steps = {
        "ephemeral": ephemeral.jwk,
        "apu": party_u.hex(),
        "apv": party_v.hex(),
        "sharedSecret": secret.hex(),
        "otherInfo": info.hex(),
        "derivationInput": (struct.pack(">I", 1) + secret + info).hex(),
        "wrappingKey": wrapping_key.hex(),
        "contentKey": content_key.hex(),
        "encryptedKey": keywrap.aes_key_wrap(wrapping_key, content_key).hex(),
        "headerMembers": header,
    }
    return seal_content(steps, plaintext, rewrite, chosen(label + ": iv", iv_bytes))


# RSASSA-PKCS1-v1_5


def digest_info(message, digest="sha256"):
    return bytes.fromhex(DIGEST_INFO[digest]) + hashlib.new(digest, message).digest()


def encoded_message(info, key):
    """EMSA-PKCS1-v1_5 (RFC 8017 section 9.2) from step 3 on: `info` is the DigestInfo."""
    return b"\x00\x01" + b"\xff" * (key.byte_count - 3 - len(info)) + b"\x00" + info


def sign(message, key):
    return key.private_operation(encoded_message(digest_info(message), key))
