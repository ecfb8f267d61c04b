"""The test vectors of sealed values, step by step, computed from the primitives of Python's cryptography.

`vectors.py make` writes ../Vectors/sealed-values.json anew; `vectors.py check` computes it again and answers which
vectors of the file are right. RSA-OAEP is randomised: its encrypted key is checked by opening it.
"""

import base64
import hashlib
import json
import pathlib
import sys

from cryptography.hazmat.primitives import hashes, keywrap, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.concatkdf import ConcatKDFHash

FILE = pathlib.Path(__file__).parent.parent / "Vectors" / "sealed-values.json"
OAEP = padding.OAEP(padding.MGF1(hashes.SHA256()), hashes.SHA256(), None)


def text(value):
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


def chosen(label, count=32):
    """Bytes that nobody has picked."""
    return hashlib.shake_256(label.encode()).digest(count)


def p256_key(label):
    order = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
    return ec.derive_private_key(int.from_bytes(chosen(label), "big") % (order - 1) + 1, ec.SECP256R1())


def p256_jwk(key):
    numbers = key.private_numbers()
    point = numbers.public_numbers
    parts = {"x": point.x, "y": point.y, "d": numbers.private_value}
    return {"crv": "P-256", "kty": "EC", **{name: text(part.to_bytes(32, "big")) for name, part in parts.items()}}


def content(vector, header, content_key, plaintext, label):
    """The steps that both algorithms share."""
    nonce = chosen(label + " nonce", 12)
    protected = text(json.dumps(header, separators=(",", ":")).encode())
    sealed = AESGCM(content_key).encrypt(nonce, plaintext, protected.encode())
    parts = [protected, vector["encryptedKey"], text(nonce), text(sealed[:-16]), text(sealed[-16:])]
    return vector | {
        "contentKey": text(content_key),
        "plaintext": plaintext.decode(),
        "nonce": parts[2],
        "ciphertext": parts[3],
        "tag": parts[4],
        "header": json.dumps(header, separators=(",", ":")),
        "compact": ".".join(parts),
    }


def ecdh(name, plaintext, key_id, party_u, party_v):
    recipient, ephemeral = p256_key(name + " recipient"), p256_key(name + " ephemeral")
    shared_secret = ephemeral.exchange(ec.ECDH(), recipient.public_key())
    other_info = b"".join(len(part).to_bytes(4, "big") + part for part in [b"ECDH-ES+A256KW", party_u, party_v])
    other_info += (256).to_bytes(4, "big")
    wrapping_key = ConcatKDFHash(hashes.SHA256(), 32, other_info).derive(shared_secret)
    content_key = chosen(name + " content key")
    epk = {name: value for name, value in p256_jwk(ephemeral).items() if name != "d"}
    header = {"alg": "ECDH-ES+A256KW", "enc": "A256GCM", "kid": key_id, "epk": epk}
    parties = {"apu": party_u, "apv": party_v}
    header |= {member: text(party) for member, party in parties.items() if party}
    vector = {
        "name": name,
        "alg": "ECDH-ES+A256KW",
        "recipient": p256_jwk(recipient),
        "ephemeral": p256_jwk(ephemeral),
        "kid": key_id,
        "apu": text(party_u),
        "apv": text(party_v),
        "sharedSecret": text(shared_secret),
        "otherInfo": text(other_info),
        "wrappingKey": text(wrapping_key),
        "encryptedKey": text(keywrap.aes_key_wrap(wrapping_key, content_key)),
    }
    return content(vector, header, content_key, plaintext, name)


def oaep(name, plaintext, key_id, made):
    """`made` is the vector as it was made before, whose key and encrypted key are kept; None makes new ones."""
    content_key = chosen(name + " content key")
    if made is None:
        key = rsa.generate_private_key(65537, 2048)
        pkcs8 = key.private_bytes(
            serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        encrypted_key = key.public_key().encrypt(content_key, OAEP)
        made = {"recipientPKCS8": text(pkcs8), "encryptedKey": text(encrypted_key)}
    key = serialization.load_der_private_key(base64.urlsafe_b64decode(made["recipientPKCS8"] + "=="), None)
    assert key.decrypt(base64.urlsafe_b64decode(made["encryptedKey"] + "=="), OAEP) == content_key
    vector = {
        "name": name,
        "alg": "RSA-OAEP-256",
        "recipientPKCS8": made["recipientPKCS8"],
        "kid": key_id,
        "encryptedKey": made["encryptedKey"],
    }
    header = {"alg": "RSA-OAEP-256", "enc": "A256GCM", "kid": key_id}
    return content(vector, header, content_key, plaintext, name)


def vectors(made):
    pin, indexes = b"1234".ljust(16), b"2,9,3,6".ljust(64)
    rsa_name = "a PIN to an RSA key"
    return [
        ecdh("a PIN to an EC key", pin, "server-ec-1", b"", b""),
        ecdh("indexes to an EC key, both parties named", indexes, "server-ec-1", b"Alice", b"Bob"),
        ecdh("an empty plaintext, one party named", b"", "server-ec-1", b"", b"\x00\xff"),
        oaep(rsa_name, pin, "server-rsa-1", made.get(rsa_name)),
    ]


def main():
    made = json.loads(FILE.read_text()) if FILE.exists() else []
    now = vectors({vector["name"]: vector for vector in made})
    if sys.argv[1] == "make":
        FILE.write_text(json.dumps(now, indent=2) + "\n")
    else:
        json.dump({new["name"]: str(new == old).lower() for new, old in zip(now, made, strict=True)}, sys.stdout)


if __name__ == "__main__":
    main()
