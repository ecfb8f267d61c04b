"""Valid vectors: sealed values, MACs, tokens, bound proofs, thumbprints, keypads."""

import base64
import hashlib
import hmac
import itertools
import json
import struct
import zlib

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding

import sealing
from material import (
    base64_text, base64url, chosen, compact_json, p256, p256_where, rsa_key, thumbprint, thumbprint_input)

CLIENT_RSA, CLIENT_EC = rsa_key("client-rsa"), p256("client-ec")
SERVER_RSA, SERVER_EC = rsa_key("server-rsa"), p256("server-ec")
BANK, BANK_BY_ALIAS = rsa_key("bank-default"), rsa_key("bank-2027", 3072)
BANK_ID, UNIQUE_ID, TIMESTAMP, TRANSACTION_ID = "BANK_ID", "102456", "1562320989", "4567891"
PROVISIONING = "banks/{bankId}/cardholders/{uniqueId}"


def file_of(about, keys, **content):
    return {"about": about, "keys": [key.described() for key in keys]} | content


# Sealed values


def png(grey):
    """A PNG of one pixel. Its data is stored, not compressed, so that the bytes do not depend on the zlib version."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    pixel = bytes([0, grey])
    stored = b"\x78\x01\x01" + struct.pack("<HH", 2, 0xFFFD) + pixel + struct.pack(">I", zlib.adler32(pixel))
    header = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", stored) + chunk(b"IEND", b"")


def delivery(label, picture_format, length, free_field=None, block=4096):
    """The plaintext of a delivered PIN, and the values that a client reads from it."""
    shown = [base64_text(png(20 * place + 10)) for place in range(length if picture_format == "digits" else 1)]
    sent = sorted(range(len(shown)), key=lambda place: chosen(f"{label}: image {place}"))
    notify_key = chosen(label + ": notify key")
    members = {"format": picture_format, "length": length, "images": [shown[place] for place in sent]}
    if picture_format == "digits":
        members["order"] = [sent.index(place) for place in range(length)]
    members["notifyKey"] = base64url(notify_key)
    if free_field is not None:
        members["freeField"] = free_field
    unpadded = compact_json(members | {"padding": ""}).encode()
    plaintext = compact_json(members | {"padding": " " * (-len(unpadded) % block)}).encode()
    delivered = {"format": picture_format, "length": length, "imagesInOrder": shown, "notifyKey": notify_key.hex()}
    return plaintext, delivered | ({} if free_field is None else {"freeField": free_field})


def sealed_vector(name, member, operation, recipient, plaintext, expected, **options):
    seal, alg = (
        (sealing.seal_rsa, "RSA-OAEP-256")
        if recipient in (CLIENT_RSA, SERVER_RSA)
        else (sealing.seal_ecdh, "ECDH-ES+A256KW"))
    steps = seal(name, plaintext, recipient, **options)
    vector = {"name": name, "operation": operation, "member": member, "alg": alg, "recipient": recipient.name}
    return vector | expected | {"plaintext": plaintext.decode()} | steps


def delivered_pins():
    free_field = "Carte n° 2 \"maison\"\nJusqu'au 31/12 \\ €"

    def vector(name, recipient, picture_format, length, free_field=None, **options):
        operation = "pin-distribution/captcha" if recipient is CLIENT_RSA else "pin-distribution/token/captcha"
        plaintext, delivered = delivery(name, picture_format, length, free_field)
        return sealed_vector(name, "pin", operation, recipient, plaintext, {"delivered": delivered}, **options)

    leading_zero = p256_where("ephemeral of Z with a leading zero", lambda key: key.agree(CLIENT_EC)[0] == 0)
    return file_of(
        "PINs as the server delivers them, sealed to the client's key of one fetch",
        [CLIENT_RSA, CLIENT_EC],
        vectors=[
            vector("a captcha to an RSA key", CLIENT_RSA, "captcha", 4),
            vector("digits to an RSA key, with a freeField", CLIENT_RSA, "digits", 4, free_field),
            vector("a captcha to an EC key", CLIENT_EC, "captcha", 4),
            vector("digits to an EC key, with a freeField", CLIENT_EC, "digits", 6, free_field),
            vector(
                "a captcha to an EC key, with apu and apv", CLIENT_EC, "captcha", 5, party_u=b"Alice", party_v=b"Bob"),
            vector(
                "a captcha to an EC key, Z with a leading zero", CLIENT_EC, "captcha", 12, ephemeral=leading_zero),
        ])


def names_of(content, bank_id=BANK_ID, unique_id=UNIQUE_ID, request_id=None, keypad_id=None):
    """The header parameters that name what a value is and which request it is for. None: absent."""
    names = {"cty": content, "iss": bank_id, "sub": unique_id, "jti": request_id, "keypadId": keypad_id}
    return {name: value for name, value in names.items() if value is not None}


def keypad_id(name):
    """An opaque text. A real one has another content."""
    return base64url(chosen(f"keypadId of {name}", 64))


def defined_pins():
    keypads = {keypad["name"]: keypad for keypad in keypad_vectors()}

    def defined(name, operation, recipient, text, byte_count, binding, expected, **options):
        plaintext = text.encode().ljust(byte_count)
        return sealed_vector(
            name, binding["cty"], operation, recipient, plaintext, expected | {"binding": binding}, kid=recipient.kid,
            binding=binding, **options)

    def pin(name, text, recipient, byte_count=16, bank_id=BANK_ID, unique_id=UNIQUE_ID, **options):
        operation, request_id = (
            ("pin-definition/pin", TIMESTAMP)
            if recipient is SERVER_RSA
            else ("pin-definition/token/pin", TRANSACTION_ID))
        binding = names_of("pin", bank_id, unique_id, request_id)
        return defined(name, operation, recipient, text, byte_count, binding, {"pin": text}, **options)

    def indexes(name, keypad_name, form, byte_count=64, **options):
        keypad = keypads[keypad_name]
        expected = {"keypad": keypad["keypad"], "pin": keypad["pin"], "indexes": keypad["indexes"]}
        text, operation = form(keypad["indexes"]), "pin-definition/token/pin-indexes"
        binding = names_of("indexes", request_id=TRANSACTION_ID, keypad_id=keypad_id(keypad_name))
        return defined(name, operation, SERVER_EC, text, byte_count, binding, expected, **options)

    def provisioned(name, content, text, recipient):
        return defined(name, PROVISIONING, recipient, text, 16, names_of(content), {content: text})

    def with_commas(places):
        return ",".join(map(str, places))

    leading_zero = p256_where("ephemeral of Z' with a leading zero", lambda key: key.agree(SERVER_EC)[0] == 0)
    short_y = p256_where("ephemeral with a leading zero in y", lambda key: key.y >> 248 == 0)
    return file_of(
        "PINs, indexes and authentication codes for the server, sealed to its published keys",
        [SERVER_RSA, SERVER_EC],
        vectors=[
            pin("a PIN to an RSA key", "4343", SERVER_RSA),
            pin("a PIN to an RSA key, without padding", "595959", SERVER_RSA, byte_count=0),
            pin("a PIN to an EC key", "4343", SERVER_EC),
            pin("a PIN to an EC key, without padding", "59595", SERVER_EC, byte_count=0),
            pin("a PIN to an EC key, with apu and apv", "4343", SERVER_EC, party_u=b"Alice", party_v=b"Bob"),
            pin("a PIN to an EC key, with apv only", "4343", SERVER_EC, party_v=bytes([0, 255])),
            pin("a PIN to an EC key, Z with a leading zero", "4343", SERVER_EC, ephemeral=leading_zero),
            pin("a PIN to an EC key, y of epk with a leading zero", "4343", SERVER_EC, ephemeral=short_y),
            pin(
                "a PIN to an RSA key, with names beyond ASCII", "4343", SERVER_RSA, bank_id="CRÉDIT",
                unique_id="çé-€-\U0001f600"),
            pin(
                "a PIN to an EC key, with names beyond ASCII", "4343", SERVER_EC, bank_id="CRÉDIT",
                unique_id="çé-€-\U0001f600"),
            indexes("indexes to an EC key", "twelve places", with_commas),
            indexes(
                "indexes to an EC key, in brackets, with apu and apv", "fifteen places", json.dumps,
                party_u=b"Alice", party_v=b"Bob"),
            indexes("indexes to an EC key, without padding", "sixty places", with_commas, byte_count=0),
            indexes(
                "indexes to an EC key, plain digits", "ten places", lambda places: "".join(map(str, places))),
            provisioned("a provisioned PIN to an RSA key", "pin", "4391", SERVER_RSA),
            provisioned("a provisioned PIN to an EC key", "pin", "4391", SERVER_EC),
            provisioned("a provisioned code to an RSA key", "authenticationCode", "K7P2M9", SERVER_RSA),
            provisioned("a provisioned code to an EC key", "authenticationCode", "K7P2M9", SERVER_EC),
        ])


# MACs


def hmac_of(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def macs():
    def hash_mac(name, key_bytes, bank_id, unique_id, timestamp):
        key, message = chosen(name + ": key", key_bytes), bank_id + unique_id + timestamp
        inputs = {"name": name, "key": key.hex(), "bankId": bank_id, "uniqueId": unique_id, "timestamp": timestamp}
        return inputs | {"message": message.encode().hex(), "hashMac": hmac_of(key, message)}

    def check_value(name, key):
        whole = hmac_of(key, "")
        return {"name": name, "key": key.hex(), "hmacOfNothing": whole, "keyCheckValue": whole[:6].upper()}

    return {
        "about": "The HMACs of the protocol, all of them HMAC-SHA-256",
        "hashMacs": [
            hash_mac("a key of 32 bytes", 32, "BANK_ID", "102456", "1562320989"),
            hash_mac("the shortest key, 16 bytes", 16, "BANK_ID", "102456", "1562320989"),
            hash_mac("a key as long as the hash's block, 64 bytes", 64, "BANK_ID", "102456", "1562320989"),
            hash_mac("a key longer than the block, 128 bytes", 128, "BANK_ID", "102456", "1562320989"),
            hash_mac("identifiers beyond ASCII", 32, "CRÉDIT", "çé-€-\U0001f600", "1475255010"),
        ],
        "notifyHashes": list(notify_hashes()),
        "keyCheckValues": [
            check_value("a key of 16 bytes", chosen("key to check 16", 16)),
            check_value("a key of 32 bytes", chosen("key to check 32", 32)),
            check_value("a key of 128 bytes", chosen("key to check 128", 128)),
            check_value("16 bytes of zero", bytes(16)),
        ],
    }


def notify_hashes():
    text = token({"Type": "00"})
    flows = {
        "pin-distribution/notify": ("a captcha to an RSA key", {"bankId": "BANK_ID", "uniqueId": "102456"}),
        "pin-distribution/token/notify": ("a captcha to an EC key", {"token": text}),
    }
    for (operation, (fetched, inputs)), status in itertools.product(flows.items(), range(3)):
        key, session_id = chosen(fetched + ": notify key"), base64url(chosen(operation + ": session", 18))
        who = "BANK_ID" + "102456"
        message = f"{who}{session_id}{status}"
        yield {"name": f"{operation}, status {status}", "operation": operation, "delivered": fetched} | inputs | {
            "notifyKey": key.hex(),
            "sessionId": session_id,
            "status": status,
            "message": message.encode().hex(),
            "hash": hmac_of(key, message),
        }


# Tokens


def token(members=(), number=1):
    """A token as in the SDK document's section 5.4.1."""
    usual = {
        "IdBEL": "BANK_ID", "IdPorteur": "102456", "IdFournisseur": "ServiceProvider",
        "IdTransaction": str(4567890 + number), "Timestamp": "1562320989", "Type": "01",
    }
    return compact_json(usual | dict(members))


def signed(name, text, key):
    info = sealing.digest_info(text.encode())
    signature = sealing.sign(text.encode(), key)
    return {
        "name": name,
        "key": key.name,
        "token": text,
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
        "digestInfo": info.hex(),
        "encodedMessage": sealing.encoded_message(info, key).hex(),
        "signatureOctets": signature.hex(),
        "signature": base64_text(signature),
    }


def token_with_short_signature():
    """A token whose signature, as a number, is one byte shorter than the modulus."""
    return token_whose_signature(lambda signature: signature[0] == 0)


def token_whose_signature(fits):
    """The first token whose signature fits. cryptography signs the candidates, because it is faster."""
    texts = (token(number=number) for number in itertools.count(1000))
    scheme = padding.PKCS1v15(), hashes.SHA256()
    return next(text for text in texts if fits(BANK.key.sign(text.encode(), *scheme)))


def tokens():
    spaced = json.dumps(json.loads(token({"Type": "02"})), indent=1)
    escaped = token({"IdPorteur": "çé\u20ac"}).replace("\u20ac", "\\u20AC").replace('":"', '" : "')
    alias = {"Type": "00", "SignatureCertAlias": "bank-2027"}
    return file_of(
        "Tokens and their signatures, RSASSA-PKCS1-v1_5 with SHA-256",
        [BANK, BANK_BY_ALIAS],
        vectors=[
            signed("a delivery", token({"Type": "00"}), BANK),
            signed("a reminder", token(), BANK),
            signed("a definition", token({"Type": "02"}), BANK),
            signed("an empty SignatureCertAlias is the default certificate", token({"SignatureCertAlias": ""}), BANK),
            signed("with SignatureCertAlias", token(alias), BANK_BY_ALIAS),
            signed(
                "with SignatureCertAlias and AuthenticationCode", token(alias | {"AuthenticationCode": "48151623"}),
                BANK_BY_ALIAS),
            signed("with AuthenticationCode", token({"AuthenticationCode": "pass\\\"é"}), BANK),
            signed("with Timestamp and Type as numbers", token({"Timestamp": 1562320989, "Type": 1}), BANK),
            signed("with white space, which is signed too", spaced, BANK),
            signed("with escapes and letters beyond ASCII", escaped, BANK),
            signed("a signature with a leading zero", token_with_short_signature(), BANK),
        ])


# Thumbprints


RFC7638_KEY = {
    "kty": "RSA",
    "n": "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjB"
    "ZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8"
    "KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_"
    "xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw",
    "e": "AQAB",
    "alg": "RS256",
    "kid": "2011-04-29",
}


# Proofs that are bound to a key or to a sealed PIN (protocol, section 2.2.1)


def bindings():
    def binding_of(octets):
        return base64url(hashlib.sha256(octets).digest())

    def key(name, operation, member, recipient):
        sent = recipient.described()["publicKey"]
        binding = binding_of(base64.b64decode(sent))
        return {"name": name, "operation": operation, "member": member, "sent": sent, "binding": binding}

    def sealed(name, operation, member):
        compact = next(vector["compact"] for vector in defined_pins()["vectors"] if vector["name"] == name)
        binding = binding_of(compact.encode())
        return {"name": name, "operation": operation, "member": member, "sent": compact, "binding": binding}

    def hash_mac(bound):
        key, message = chosen("bound: key"), f"{BANK_ID}{UNIQUE_ID}{TIMESTAMP}.{bound['binding']}."
        inputs = {"key": key.hex(), "bankId": BANK_ID, "uniqueId": UNIQUE_ID, "timestamp": TIMESTAMP}
        inputs |= {"binding": bound["binding"]}
        return {"name": bound["name"]} | inputs | {"message": message.encode().hex(), "hashMac": hmac_of(key, message)}

    def bound_token(bound, type):
        members = {"IdTransaction": TRANSACTION_ID, "Type": type, "Binding": bound["binding"]}
        return signed(bound["name"], token(members), BANK)

    rsa = key("an RSA key", "pin-distribution/captcha", "rsaPublicKey", CLIENT_RSA)
    ec = key("an EC key", "pin-distribution/token/captcha", "ecdhPublicKey", CLIENT_EC)
    by_hmac = sealed("a PIN to an RSA key", "pin-definition/pin", "pin")
    by_token = sealed("a PIN to an EC key", "pin-definition/token/pin", "pin")
    by_keypad = sealed("indexes to an EC key", "pin-definition/token/pin-indexes", "indexes")
    return file_of(
        "Proofs that are bound to what the app sends", [CLIENT_RSA, CLIENT_EC, BANK],
        bindings=[rsa, ec, by_hmac, by_token, by_keypad],
        hashMacs=[hash_mac(rsa), hash_mac(by_hmac)],
        tokens=[bound_token(ec, "00"), bound_token(by_token, "02"), bound_token(by_keypad, "02")])


def thumbprints():
    def vector(name, jwk):
        text = thumbprint_input(jwk)
        digest = hashlib.sha256(text.encode()).hexdigest()
        return {"name": name, "jwk": jwk, "hashedText": text, "sha256": digest, "thumbprint": thumbprint(jwk)}

    def published(key, alg):
        return key.public_jwk | {"use": "enc", "alg": alg, "kid": key.kid}

    ec = "ECDH-ES+A256KW"
    short_x = p256_where("short x", lambda key: key.x >> 248 == 0)
    return {
        "about": "Thumbprints of keys (RFC 7638), by which an app may pin the server's keys",
        "vectors": [
            vector("the example of RFC 7638 section 3.1", RFC7638_KEY),
            vector("an RSA key as it is published", published(SERVER_RSA, "RSA-OAEP-256")),
            vector("an EC key as it is published", published(SERVER_EC, ec)),
            vector("an EC key, x with a leading zero", published(short_x, ec)),
            vector("a key with no member but the required ones", SERVER_EC.public_jwk),
        ],
    }


# Keypads


def keypad_vectors():
    def vector(name, entries, pin):
        indexes = [entries.index(digit) for digit in pin]
        return {"name": name, "keypadSize": len(entries), "keypad": entries, "pin": pin, "indexes": indexes}

    def shuffled(size):
        places = sorted(range(size), key=lambda place: chosen(f"keypad of {size}: {place}"))
        return [str(place) if place < 10 else None for place in places]

    def written(text):
        return [None if entry == "null" else entry for entry in text.split(", ")]

    return [
        vector("twelve places", written("4, 3, 2, null, 6, 9, 0, 7, 5, null, 8, 1"), "4343"),
        vector("fifteen places", written("3, 8, null, 5, 1, 0, null, 9, null, 4, null, 7, 2, null, 6"), "5959"),
        vector("ten places", shuffled(10), "907315"),
        vector("sixty places", shuffled(60), "012345"),
    ]


def keypads():
    vectors = []
    for keypad in keypad_vectors():
        places = keypad["indexes"]
        forms = [",".join(map(str, places)), json.dumps(places)]
        if keypad["keypadSize"] == 10:
            forms.append("".join(map(str, places)))
        vectors.append(keypad | {"plaintexts": [form.ljust(64) for form in forms]})
    return {"about": "Where the digits of a PIN stand on a keypad, from 0", "vectors": vectors}
