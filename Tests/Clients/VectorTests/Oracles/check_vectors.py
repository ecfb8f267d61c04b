"""Checks docs/vectors. It shares no code with the generator.

The argument is the name of a file. PythonOracle runs this script. The answer has "ok" or an error message for each key,
vector or case. jwcrypto and cryptography check keys and sealed values. OAEP, the key derivation and HMAC are also
computed from their definitions, with hashlib and integers. check_negative.py checks the negative cases,
check_documents.py the sessions of document verification, and check_signatures.py signed messages.
"""

import base64
import hashlib
import json
import pathlib
import sys

import check_documents
import check_negative
import check_signatures
from checking import Keys, b64, b64url, concat_kdf, equal, hmac_sha256, oaep_key, other_info, unb64url
from cryptography.hazmat.primitives import hashes, keywrap, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hmac import HMAC
from cryptography.hazmat.primitives.kdf.concatkdf import ConcatKDFHash
from jwcrypto import jwe, jwk

FOLDER = pathlib.Path(__file__).resolve().parents[4] / "docs" / "vectors"
HEADER_ORDER = ["alg", "enc", "kid", *check_negative.NAMES, "epk", "apu", "apv"]
# The names that the header must have for each operation, besides cty.
BINDINGS = {
    "pin-definition/pin": ["iss", "sub", "jti"],
    "pin-definition/token/pin": ["iss", "sub", "jti"],
    "pin-definition/token/pin-indexes": ["iss", "sub", "jti", "keypadId"],
    "banks/{bankId}/cardholders/{uniqueId}": ["iss", "sub"],
}


# Sealed values


def check_sealed(vector, keys):
    header = json.loads(vector["header"])
    equal("alg", header["alg"], vector["alg"])
    equal("enc", header["enc"], "A256GCM")
    steps = check_rsa if vector["alg"] == "RSA-OAEP-256" else check_ecdh
    content_key = steps(vector, keys, header)
    equal("contentKey", content_key.hex(), vector["contentKey"])
    check_content(vector, content_key)
    sealed = jwe.JWE()
    sealed.deserialize(vector["compact"], keys.jwk(vector["recipient"]))
    equal("the plaintext from jwcrypto", sealed.payload, vector["plaintext"].encode())


def check_content(vector, content_key):
    equal("protectedHeader", vector["protectedHeader"], b64url(vector["header"].encode()))
    data = vector["protectedHeader"].encode("ascii")
    equal("additionalData", vector["additionalData"], data.hex())
    iv, ciphertext, tag = (bytes.fromhex(vector[name]) for name in ["iv", "ciphertext", "tag"])
    equal("the length of iv", len(iv), 12)
    equal("the length of tag", len(tag), 16)
    plaintext = AESGCM(content_key).decrypt(iv, ciphertext + tag, data)
    equal("plaintext", plaintext, vector["plaintext"].encode())
    parts = [bytes.fromhex(vector["encryptedKey"]), iv, ciphertext, tag]
    equal("compact", vector["compact"], ".".join([vector["protectedHeader"], *map(b64url, parts)]))


def check_ecdh(vector, keys, header):
    ephemeral = jwk.JWK(**vector["ephemeral"])
    private = ephemeral.get_op_key("unwrapKey")
    recipient = keys.private(vector["recipient"])
    equal("epk", header["epk"], json.loads(ephemeral.export_public()))
    secret = private.exchange(ec.ECDH(), recipient.public_key())
    equal("sharedSecret", secret.hex(), vector["sharedSecret"])
    equal("the recipient's sharedSecret", recipient.exchange(ec.ECDH(), private.public_key()), secret)
    for party in ["apu", "apv"]:
        equal(party, unb64url(header.get(party, "")).hex(), vector[party])
    info = other_info(bytes.fromhex(vector["apu"]), bytes.fromhex(vector["apv"]))
    equal("otherInfo", info.hex(), vector["otherInfo"])
    equal("derivationInput", (b"\0\0\0\x01" + secret + info).hex(), vector["derivationInput"])
    wrapping_key = concat_kdf(secret, info)
    equal("wrappingKey", wrapping_key.hex(), vector["wrappingKey"])
    equal("cryptography's wrappingKey", ConcatKDFHash(hashes.SHA256(), 32, info).derive(secret), wrapping_key)
    return keywrap.aes_key_unwrap(wrapping_key, bytes.fromhex(vector["encryptedKey"]))


def check_rsa(vector, keys, header):
    equal("whether the header has epk", "epk" in header, False)
    key = keys.private(vector["recipient"])
    encrypted = bytes.fromhex(vector["encryptedKey"])
    opened, encoded, seed, data_block = oaep_key(key, encrypted)
    equal("oaepEncodedMessage", encoded.hex(), vector["oaepEncodedMessage"])
    equal("oaepSeed", seed.hex(), vector["oaepSeed"])
    equal("oaepDataBlock", data_block.hex(), vector["oaepDataBlock"])
    oaep = padding.OAEP(padding.MGF1(hashes.SHA256()), hashes.SHA256(), None)
    equal("the content key from cryptography", key.decrypt(encrypted, oaep), opened)
    return opened


def check_delivered(vector, keys):
    check_sealed(vector, keys)
    equal("the plaintext's length modulo 4096", len(vector["plaintext"].encode()) % 4096, 0)
    plain, wanted = json.loads(vector["plaintext"]), vector["delivered"]
    order = plain.get("order", [0])
    equal("order", sorted(order), list(range(len(plain["images"]))))
    equal("images", [plain["images"][place] for place in order], wanted["imagesInOrder"])
    equal("notifyKey", unb64url(plain["notifyKey"]).hex(), wanted["notifyKey"])
    equal("the length of notifyKey", len(unb64url(plain["notifyKey"])), 32)
    for member in ["format", "length", "freeField"]:
        equal(member, plain.get(member), wanted.get(member))
    equal("the number of images", len(plain["images"]), plain["length"] if plain["format"] == "digits" else 1)


def check_defined(vector, keys):
    check_sealed(vector, keys)
    header = json.loads(vector["header"])
    equal("kid", header["kid"], keys.jwk(vector["recipient"]).thumbprint())
    check_binding(vector, header)
    text = vector["plaintext"].rstrip(" ")
    if vector["member"] != "indexes":
        return equal(vector["member"], text, vector[vector["member"]])
    places = [int(place) for place in (text.strip("[]").split(",") if "," in text else text)]
    equal("indexes", places, vector["indexes"])
    equal("pin", "".join(vector["keypad"][place] for place in places), vector["pin"])


def check_binding(vector, header):
    equal("the order of the header's members", list(header), [name for name in HEADER_ORDER if name in header])
    required = {"cty": vector["member"]} | {name: header[name] for name in BINDINGS[vector["operation"]]}
    equal("binding", vector["binding"], required)
    equal("the header's names", {name: header[name] for name in check_negative.NAMES if name in header}, required)


# MACs


def check_mac(message, key, wanted):
    equal("HMAC", hmac_sha256(key, message).hex(), wanted)
    other = HMAC(key, hashes.SHA256())
    other.update(message)
    equal("cryptography's HMAC", other.finalize().hex(), wanted)


def check_hash_mac(vector, _):
    message = (vector["bankId"] + vector["uniqueId"] + vector["timestamp"]).encode()
    equal("message", message.hex(), vector["message"])
    check_mac(message, bytes.fromhex(vector["key"]), vector["hashMac"])


def check_notify_hash(vector, _):
    names = ("IdBEL", "IdPorteur") if "token" in vector else ("bankId", "uniqueId")
    source = json.loads(vector["token"]) if "token" in vector else vector
    message = f"{source[names[0]]}{source[names[1]]}{vector['sessionId']}{vector['status']}".encode()
    equal("message", message.hex(), vector["message"])
    check_mac(message, bytes.fromhex(vector["notifyKey"]), vector["hash"])
    deliveries = json.loads((FOLDER / "delivered-pins.json").read_text(encoding="utf-8"))["vectors"]
    delivered = next(other["delivered"] for other in deliveries if other["name"] == vector["delivered"])
    equal("notifyKey", vector["notifyKey"], delivered["notifyKey"])


def check_key_check_value(vector, _):
    check_mac(b"", bytes.fromhex(vector["key"]), vector["hmacOfNothing"])
    equal("keyCheckValue", bytes.fromhex(vector["keyCheckValue"]), bytes.fromhex(vector["hmacOfNothing"])[:3])


# Tokens, thumbprints, keypads


def check_token(vector, keys):
    key, token = keys.private(vector["key"]), vector["token"].encode()
    signature = bytes.fromhex(vector["signatureOctets"])
    equal("signature", vector["signature"], b64(signature))
    equal("cryptography's signature", key.sign(token, padding.PKCS1v15(), hashes.SHA256()), signature)
    digest = hashlib.sha256(token)
    equal("sha256", digest.hexdigest(), vector["sha256"])
    sha256_with_null = bytes.fromhex("300d06096086480165030402010500")
    info = b"\x30\x31" + sha256_with_null + b"\x04\x20" + digest.digest()
    equal("digestInfo", info.hex(), vector["digestInfo"])
    numbers, size = key.public_key().public_numbers(), key.key_size // 8
    encoded = pow(int.from_bytes(signature, "big"), numbers.e, numbers.n).to_bytes(size, "big")
    equal("encodedMessage", encoded.hex(), vector["encodedMessage"])
    equal("padding", encoded, b"\0\x01" + b"\xff" * (size - 3 - len(info)) + b"\0" + info)
    alias = json.loads(vector["token"]).get("SignatureCertAlias")
    equal("SignatureCertAlias", alias or "bank-default", vector["key"])


def check_bound(vector, _):
    sent = vector["sent"]
    is_key = vector["member"].endswith("PublicKey")
    octets = base64.b64decode(sent) if is_key else sent.encode()
    equal("binding", vector["binding"], b64url(hashlib.sha256(octets).digest()))
    if is_key:
        public = serialization.load_der_public_key(base64.b64decode(sent))
        kind = rsa.RSAPublicKey if vector["member"] == "rsaPublicKey" else ec.EllipticCurvePublicKey
        equal("the key's kind", isinstance(public, kind), True)


def check_bound_hash_mac(vector, _):
    message = "{bankId}{uniqueId}{timestamp}.{binding}.".format(**vector).encode()
    equal("message", message.hex(), vector["message"])
    check_mac(message, bytes.fromhex(vector["key"]), vector["hashMac"])


def check_bound_token(vector, keys):
    check_token(vector, keys)
    bindings = json.loads((FOLDER / "bindings.json").read_text(encoding="utf-8"))["bindings"]
    bound = next(other for other in bindings if other["name"] == vector["name"])
    equal("Binding", json.loads(vector["token"])["Binding"], bound["binding"])


def check_thumbprint(vector, _):
    key = jwk.JWK(**vector["jwk"])
    equal("thumbprint", key.thumbprint(), vector["thumbprint"])
    equal("sha256", hashlib.sha256(vector["hashedText"].encode()).hexdigest(), vector["sha256"])
    equal("thumbprint of sha256", b64url(bytes.fromhex(vector["sha256"])), vector["thumbprint"])
    members = json.loads(vector["hashedText"])
    equal("members", list(members), {"EC": ["crv", "kty", "x", "y"], "RSA": ["e", "kty", "n"]}[vector["jwk"]["kty"]])
    equal("the members' values", members, {name: vector["jwk"][name] for name in members})


def check_keypad(vector, _):
    keypad = vector["keypad"]
    equal("keypadSize", len(keypad), vector["keypadSize"])
    equal("digits", sorted(filter(None, keypad)), list("0123456789"))
    equal("pin", "".join(keypad[index] for index in vector["indexes"]), vector["pin"])
    forms = [",".join(map(str, vector["indexes"])), "[" + ", ".join(map(str, vector["indexes"])) + "]"]
    forms += ["".join(map(str, vector["indexes"]))] if len(keypad) == 10 else []
    equal("plaintexts", [f"{form:<64}" for form in forms], vector["plaintexts"])


CHECKS = {
    "delivered-pins": {"vectors": check_delivered},
    "defined-pins": {"vectors": check_defined},
    "macs": {
        "hashMacs": check_hash_mac, "notifyHashes": check_notify_hash, "keyCheckValues": check_key_check_value},
    "tokens": {"vectors": check_token},
    "bindings": {"bindings": check_bound, "hashMacs": check_bound_hash_mac, "tokens": check_bound_token},
    "thumbprints": {"vectors": check_thumbprint},
    "keypads": {"vectors": check_keypad},
    "documents": {"sessions": check_documents.check_session},
    "negative": check_negative.CHECKS,
    "signatures": check_signatures.CHECKS,
}


def answer(check, *arguments):
    try:
        check(*arguments)
    except Exception as error:  # any exception from a library is a failed check
        return f"{type(error).__name__}: {error}"
    return "ok"


def main():
    name = sys.argv[1]
    content = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    keys = Keys(content.get("keys", []))
    answers = {f"keys: {key['name']}": answer(keys.check, key) for key in content.get("keys", [])}
    for group, check in CHECKS[name].items():
        answers |= {f"{group}: {vector['name']}": answer(check, vector, keys) for vector in content[group]}
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
