"""Sealed values: the server's codes for definitions and the client's codes for deliveries."""

import json

from cryptography.hazmat.primitives import keywrap
from cryptography.hazmat.primitives.asymmetric import ec

import sealing
from material import P256, base64_text, base64url, chosen, compact_json, from_base64url, octets, p256, p256_where
from negative_keys import on, point_of_order_three, twist_point
from negative_primitives import flipped
from positive import CLIENT_EC, CLIENT_RSA, SERVER_EC, SERVER_RSA, delivery, png
from sealing import compact, parts_of, seal_ecdh, seal_rsa

PIN = b"4343".ljust(16)
NO_EPK, CRYPTO_ERROR, NO_KEY, BAD_POINT = 107, 200, 201, 207


# Functions that change a header


def adding(members):
    return lambda header: header[:-1] + "," + members + "}"


def before(members):
    return lambda header: "{" + members + "," + header[1:]


def replacing(old, new):
    def rewrite(header):
        assert old in header, (old, header)
        return header.replace(old, new)

    return rewrite


def with_member(name, value):
    """Replaces a member's value. None removes the member."""

    def rewrite(header):
        members = json.loads(header)
        changed = members | {name: value}
        return compact_json({key: value for key, value in changed.items() if value is not None})

    return rewrite


def spaced(header):
    members = dict(reversed(json.loads(header).items()))
    return json.dumps(members, indent=2)


# Definitions


def case(name, operation, text, code=CRYPTO_ERROR):
    verdict = "invalid" if code else "valid"
    return {"name": name, "operation": f"pin-definition/{operation}", "compact": text, "verdict": verdict, "code": code}


def definitions():
    yield from (to_rsa(*arguments) for arguments in rsa_forms())
    yield from (to_ec(*arguments) for arguments in ec_forms())
    yield from (to_ec("epk: " + name, header, code) for name, header, code in ephemeral_keys())
    yield from texts("token/pin", sealed_to_ec("texts"), ", to an EC key")
    yield from texts("pin", sealed_to_rsa("texts to RSA"), ", to an RSA key")
    yield from encrypted_keys_to_ec()
    yield from encrypted_keys_to_rsa()
    yield from first_of_two()


def sealed_to_rsa(label, **options):
    return seal_rsa("negative: " + label, PIN, SERVER_RSA, **{"kid": SERVER_RSA.kid} | options)


def sealed_to_ec(label, **options):
    return seal_ecdh("negative: " + label, PIN, SERVER_EC, **{"kid": SERVER_EC.kid} | options)


def to_rsa(name, rewrite, code=CRYPTO_ERROR):
    return case(name + ", to an RSA key", "pin", sealed_to_rsa(name, rewrite=rewrite)["compact"], code)


def to_ec(name, rewrite, code=CRYPTO_ERROR):
    return case(name + ", to an EC key", "token/pin", sealed_to_ec(name, rewrite=rewrite)["compact"], code)


def common_forms():
    """Headers for both algorithms."""
    yield "as it should be", lambda header: header, 0
    yield "typ and cty", adding('"typ":"JOSE","cty":"pin"'), 0
    yield "white space in the header, members in another order", spaced, 0
    yield "kid with an escape", lambda header: header.replace('"kid":"', '"\\u006bid":"'), 0
    for algorithm in ["none", "dir", "RSA1_5", "RSA-OAEP", "A256KW", "ECDH-ES", "PBES2-HS256+A128KW", "HS256", ""]:
        yield f'alg "{algorithm}"', with_member("alg", algorithm)
    yield "alg in lower case", lambda header: with_member("alg", json.loads(header)["alg"].lower())(header)
    yield "alg null", replacing_value("alg", "null")
    yield "alg a list", lambda header: with_member("alg", [json.loads(header)["alg"]])(header)
    yield "no alg", with_member("alg", None)
    for encryption in ["A128GCM", "A256CBC-HS512", "none", "a256gcm"]:
        yield f'enc "{encryption}"', with_member("enc", encryption)
    yield "no enc", with_member("enc", None)
    yield "alg twice, none the first", before('"alg":"none"')
    yield "alg twice, none the last", adding('"alg":"none"')
    yield "alg twice, the same", lambda header: adding(f'"alg":"{json.loads(header)["alg"]}"')(header)
    yield "alg twice, once with an escape", adding('"\\u0061lg":"none"')
    yield "enc twice", adding('"enc":"A128GCM"')
    yield "kid twice", adding('"kid":"another"')
    yield "crit with what nobody knows", adding('"crit":["exp"],"exp":1')
    yield "crit with what is known", adding('"crit":["kid"]')
    yield "crit empty", adding('"crit":[]')
    yield "zip", adding('"zip":"DEF"')
    yield "an unknown parameter", adding('"x-app":"1"')
    yield "b64", adding('"b64":false')
    yield "a jwk to open it with", lambda header: adding(f'"jwk":{compact_json(CLIENT_EC.public_jwk)}')(header)
    yield "jku", adding('"jku":"https://example.org/keys"')
    yield "x5c", adding('"x5c":[]')
    yield "p2c, a count to be kept busy with", adding('"p2s":"AAAA","p2c":1000000000')
    yield "no kid", with_member("kid", None)
    yield "kid empty", with_member("kid", "")
    yield "a kid that is not published", with_member("kid", "no-such-key")
    yield "kid a number", with_member("kid", 1)
    yield "kid null", replacing_value("kid", "null")
    yield "typ a number", adding('"typ":1')
    for name in ["iss", "sub", "jti", "keypadId"]:
        for kind, value in [("a number", "1"), ("null", "null"), ("an array", '["1"]')]:
            yield f"{name} {kind}", adding(f'"{name}":{value}')
    yield "iss twice", adding('"iss":"BANK_ID","iss":"BANK_ID"')
    yield "iss in upper case", adding('"ISS":"BANK_ID"')
    yield "apu not base64url", adding('"apu":"Q"')
    yield "apv padded", adding('"apv":"QQ=="')
    yield "apu a number", adding('"apu":1')
    yield "a header of 4100 bytes", adding(f'"cty":"{"a" * 4100}"')
    yield "nested 40 deep", adding('"cty":' + "[" * 40 + "]" * 40)
    yield "a byte order mark before the header", lambda header: "\ufeff" + header
    yield "text behind the header", lambda header: header + "{}"
    yield "a comma before the header's end", lambda header: header[:-1] + ",}"
    yield "the header an array", lambda header: f"[{header}]"
    yield "the header null", lambda header: "null"
    yield "the header nothing", lambda header: ""
    yield "half of a surrogate pair in the header", adding('"cty":"\\ud83d"')
    yield "the header not UTF-8", adding('"cty":"\udc80"')


def replacing_value(name, text):
    """Replaces a member's value by JSON text, such as null."""
    return lambda header: with_member(name, "\0")(header).replace('"\\u0000"', text)


def rsa_forms():
    yield from common_forms()
    yield "an epk where none is needed", adding(f'"epk":{compact_json(CLIENT_EC.public_jwk)}'), 0
    yield "alg of the other kind of key", with_member("alg", "ECDH-ES+A256KW")
    yield "the kid of the EC key", with_member("kid", SERVER_EC.kid)


def ec_forms():
    yield from common_forms()
    yield "alg of the other kind of key", with_member("alg", "RSA-OAEP-256")
    yield "the kid of the RSA key", with_member("kid", SERVER_RSA.kid)
    yield "apu added later", lambda header: with_member("apu", "QWxpY2U")(header)


def ephemeral_keys():
    def changed(**members):
        def rewrite(header):
            epk = json.loads(header)["epk"] | members
            return with_member("epk", {name: value for name, value in epk.items() if value is not None})(header)

        return rewrite

    zero, prime = base64url(bytes(32)), base64url(octets(P256.P))
    p384 = on(ec.SECP384R1())
    twist, small_order = twist_point(), point_of_order_three()
    yield "more members in it", changed(use="enc", kid="a", alg="ECDH-ES+A256KW"), 0
    yield "absent", with_member("epk", None), NO_EPK
    yield "null", replacing_value("epk", "null"), BAD_POINT
    yield "a string", with_member("epk", base64_text(b"point")), BAD_POINT
    yield "an empty object", with_member("epk", {}), BAD_POINT
    yield "an array", lambda header: with_member("epk", [json.loads(header)["epk"]])(header), BAD_POINT
    for member in ["kty", "crv", "x", "y"]:
        yield f"without {member}", changed(**{member: None}), BAD_POINT
    yield "kty RSA", changed(kty="RSA"), BAD_POINT
    yield "kty OKP, crv X25519", changed(kty="OKP", crv="X25519", y=None), BAD_POINT
    yield "crv P-384", changed(crv="P-384"), BAD_POINT
    yield "crv secp256k1", changed(crv="secp256k1"), BAD_POINT
    yield "a point of P-384", changed(crv="P-384", x=base64url(p384[1:49]), y=base64url(p384[49:])), BAD_POINT
    yield "a point of P-384 as one of P-256", changed(x=base64url(p384[1:49]), y=base64url(p384[49:])), BAD_POINT
    yield "a point of the twist", changed(x=base64url(octets(twist[0])), y=base64url(octets(twist[1]))), BAD_POINT
    yield (
        "a point of order 3 of another curve",
        changed(x=base64url(octets(small_order[0])), y=base64url(octets(small_order[1]))), BAD_POINT)
    yield "x and y both zero", changed(x=zero, y=zero), BAD_POINT
    yield "x and y empty", changed(x="", y=""), BAD_POINT
    yield "y of another point", changed(y=CLIENT_EC.public_jwk["y"]), BAD_POINT
    yield "x the prime itself", changed(x=prime), BAD_POINT
    yield "a compressed point in x", changed(x=base64url(b"\x02" + octets(CLIENT_EC.x)), y=None), BAD_POINT
    yield "x of 33 bytes", with_x(lambda x: base64url(b"\0" + from_base64url(x))), BAD_POINT
    yield "x padded", with_x(lambda x: x + "="), BAD_POINT
    yield "x in standard base64", with_x(lambda x: base64_text(from_base64url(x)).rstrip("=")), BAD_POINT
    yield "x in hex", changed(x=octets(CLIENT_EC.x).hex()), BAD_POINT
    yield "x a number", changed(x=1), BAD_POINT
    yield "with a private key", changed(d=base64url(chosen("d"))), BAD_POINT
    yield "x twice", replacing('"crv":"P-256",', f'"crv":"P-256","x":"{zero}",'), CRYPTO_ERROR
    yield "twice", adding(f'"epk":{compact_json(CLIENT_EC.public_jwk)}'), CRYPTO_ERROR


def with_x(rewrite_x):
    def rewrite(header):
        epk = json.loads(header)["epk"]
        other = rewrite_x(epk["x"])
        assert other != epk["x"]
        return with_member("epk", epk | {"x": other})(header)

    return rewrite


def texts(operation, steps, suffix):
    """Texts that are not five parts of canonical base64url, and values with a changed part."""
    header, key, iv, ciphertext, tag = parts_of(steps)
    whole = steps["compact"]
    encoded = whole.split(".")
    json_form = dict(zip(["protected", "encrypted_key", "iv", "ciphertext", "tag"], encoded, strict=True))
    other_header = compact_json(json.loads(steps["header"]) | {"typ": "JOSE"})
    wrong = {
        "four parts": ".".join(encoded[:4]),
        "six parts": whole + ".",
        "no header": "." + ".".join(encoded[1:]),
        "an empty text between dots": "....",
        "the JSON serialization": compact_json(json_form),
        "a space before it": " " + whole,
        "a line end behind it": whole + "\n",
        "the tag padded": whole + "==",
        "the header padded": compact([header + "=" * (-len(header) % 4 or 4), key, iv, ciphertext, tag]),
        "stray bits at the tag's end": whole[:-1] + chr(ord(whole[-1]) + 1),
        "the header in other words": compact([base64url(spaced(steps["header"]).encode()), key, iv, ciphertext, tag]),
        "a member added to the header": compact([base64url(other_header.encode()), key, iv, ciphertext, tag]),
        "a bit of the encrypted key changed": compact([header, flipped(key, 77), iv, ciphertext, tag]),
        "a byte of the encrypted key missing": compact([header, key[:-1], iv, ciphertext, tag]),
        "a byte behind the encrypted key": compact([header, key + b"\0", iv, ciphertext, tag]),
        "a bit of the iv changed": compact([header, key, flipped(iv, 0), ciphertext, tag]),
        "no iv": compact([header, key, b"", ciphertext, tag]),
        "an iv of 11 bytes": compact([header, key, iv[:-1], ciphertext, tag]),
        "a bit of the ciphertext changed": compact([header, key, iv, flipped(ciphertext, 0), tag]),
        "a byte of the ciphertext missing": compact([header, key, iv, ciphertext[:-1], tag]),
        "no ciphertext": compact([header, key, iv, b"", tag]),
        "a bit of the tag changed": compact([header, key, iv, ciphertext, flipped(tag, 127)]),
        "a tag of zeros": compact([header, key, iv, ciphertext, bytes(16)]),
        "no tag": compact([header, key, iv, ciphertext, b""]),
        "a tag of 12 bytes": compact([header, key, iv, ciphertext, tag[:12]]),
        "a tag of 17 bytes": compact([header, key, iv, ciphertext, tag + b"\0"]),
    }
    yield case("no encrypted key" + suffix, operation, compact([header, b"", iv, ciphertext, tag]), NO_KEY)
    for name, text in wrong.items():
        yield case(name + suffix, operation, text)


def encrypted_keys_to_ec():
    """Content keys with a wrong derivation of the wrapping key, a wrong wrapping or a wrong length."""

    def sealed(name, **options):
        return case(name + ", to an EC key", "token/pin", sealed_to_ec(name, **options)["compact"])

    def given_key(name, wrap):
        steps = sealed_to_ec(name)
        header, _, *rest = parts_of(steps)
        wrapped = wrap(bytes.fromhex(steps["wrappingKey"]), bytes.fromhex(steps["contentKey"]))
        return case(name + ", to an EC key", "token/pin", compact([header, wrapped, *rest]))

    ephemeral = p256("derivations")
    secret = ephemeral.agree(SERVER_EC)
    cross = ephemeral.key.exchange(ec.ECDH(), CLIENT_EC.key.public_key())
    short = p256_where("ephemeral of Z with a leading zero, stripped", lambda key: key.agree(SERVER_EC)[0] == 0)
    yield sealed("sealed to another key", secret=cross, ephemeral=ephemeral)
    yield sealed("AlgorithmID of enc", algorithm_id="A256GCM")
    yield sealed("AlgorithmID without its length", info=b"ECDH-ES+A256KW" + bytes(8) + octets(256, 4))
    yield sealed("AlgorithmID of A128KW", algorithm_id="ECDH-ES+A128KW")
    yield sealed("SuppPubInfo in bytes", bit_count=32)
    yield sealed("no OtherInfo", info=b"")
    yield sealed("Z without its leading zero", ephemeral=short, secret=short.agree(SERVER_EC)[1:])
    yield sealed("Z in reverse", ephemeral=ephemeral, secret=secret[::-1])
    yield sealed("apu in the derivation, not in the header", party_u=b"Alice", rewrite=with_member("apu", None))
    yield sealed("apu in the header, not in the derivation", rewrite=with_member("apu", base64url(b"Alice")))
    yield sealed("apu and apv exchanged", info=sealing.other_info("ECDH-ES+A256KW", b"Bob", b"Alice", 256),
                 party_u=b"Alice", party_v=b"Bob")
    yield sealed("apu as text in the derivation", party_u=b"Alice",
                 info=sealing.other_info("ECDH-ES+A256KW", base64url(b"Alice").encode(), b"", 256))
    yield sealed("an iv of 16 bytes", iv_bytes=16)
    yield given_key("a content key of 16 bytes", lambda wrapping, key: keywrap.aes_key_wrap(wrapping, key[:16]))
    yield given_key("a content key of 40 bytes", lambda wrapping, key: keywrap.aes_key_wrap(wrapping, key + key[:8]))
    yield given_key("a content key not wrapped", lambda wrapping, key: key)
    yield given_key("wrapped with padding (RFC 5649)", keywrap.aes_key_wrap_with_padding)
    yield given_key(
        "the initial value of zeros", lambda wrapping, key: sealing.wrap_with_initial_value(wrapping, key, bytes(8)))
    yield given_key(
        "wrapped under half of the wrapping key", lambda wrapping, key: keywrap.aes_key_wrap(wrapping[:16], key))
    steps = sealed_to_ec("AES-128 all through", content_key=chosen("short", 16), rewrite=with_member("enc", "A128GCM"))
    yield case("A128GCM all through, to an EC key", "token/pin", steps["compact"])


def encrypted_keys_to_rsa():
    def sealed(name, **options):
        return case(name + ", to an RSA key", "pin", sealed_to_rsa(name, **options)["compact"])

    def given_key(name, encrypted_key, content_key=None):
        header, _, *rest = parts_of(sealed_to_rsa(name, content_key=content_key))
        return case(name + ", to an RSA key", "pin", compact([header, encrypted_key, *rest]))

    def block_type_two(name):
        key = bytes.fromhex(sealed_to_rsa(name)["contentKey"])
        fill = chosen(name, 4 * SERVER_RSA.byte_count).replace(b"\0", b"")[: SERVER_RSA.byte_count - 3 - len(key)]
        return SERVER_RSA.public_operation(b"\0\x02" + fill + b"\0" + key)

    other = sealed_to_rsa("sealed to another key")
    wrong_key = sealing.oaep(bytes.fromhex(other["contentKey"]), CLIENT_RSA, chosen("seed"))["encryptedKey"]
    yield given_key("sealed to another key", bytes.fromhex(wrong_key))
    yield sealed("OAEP with SHA-1", digest="sha1", mgf_digest="sha1")
    yield sealed("OAEP with SHA-256, MGF1 with SHA-1", mgf_digest="sha1")
    yield sealed("OAEP with SHA-1, MGF1 with SHA-256", digest="sha1")
    yield sealed("OAEP with SHA-512", digest="sha512", mgf_digest="sha512")
    yield sealed("OAEP with a label", oaep_label=b"JWE")
    yield sealed("an iv of 16 bytes", iv_bytes=16)
    yield given_key("PKCS#1 v1.5 encryption", block_type_two("PKCS#1 v1.5 encryption"))
    yield given_key("an encrypted key of zeros", bytes(SERVER_RSA.byte_count))
    yield given_key("an encrypted key of one", octets(1, SERVER_RSA.byte_count))
    yield given_key("the modulus as encrypted key", octets(SERVER_RSA.n, SERVER_RSA.byte_count))
    yield given_key("one byte of encrypted key", b"\x01")
    plus = int.from_bytes(bytes.fromhex(sealed_to_rsa("the modulus added")["encryptedKey"]), "big") + SERVER_RSA.n
    yield given_key("the modulus added", octets(plus, SERVER_RSA.byte_count + 1))
    for count in [0, 16, 31, 33, 64]:
        name = f"a content key of {count} bytes"
        padded = sealing.oaep(chosen(name, count), SERVER_RSA, chosen("seed"))
        content_key = chosen(name, count) if count == 16 else None
        yield given_key(name, bytes.fromhex(padded["encryptedKey"]), content_key)


def first_of_two():
    """Values with two errors: the code is that of the first check in the protocol's order."""
    steps = sealed_to_ec("two faults")

    def both(rewrite, *others):
        return compact([base64url(rewrite(steps["header"]).encode()), *others])

    _, key, *rest = parts_of(steps)
    bad_point = with_member("epk", {})
    no_epk = with_member("epk", None)
    yield case("no epk, and no encrypted key", "token/pin", both(no_epk, b"", *rest), NO_EPK)
    yield case("no epk, and alg none", "token/pin", both(
        lambda header: no_epk(with_member("alg", "none")(header)), key, *rest), NO_EPK)
    to_rsa_key = sealed_to_rsa("an RSA value to token/pin")["compact"]
    yield case("no epk, and an RSA key's alg", "token/pin", to_rsa_key, NO_EPK)
    yield case("a bad point, and no encrypted key", "token/pin", both(bad_point, b"", *rest), NO_KEY)
    yield case("a bad point, and an unknown parameter", "token/pin", both(
        lambda header: adding('"zip":"DEF"')(bad_point(header)), key, *rest), BAD_POINT)
    yield case("a bad point, and an unknown kid", "token/pin", both(
        lambda header: bad_point(with_member("kid", "no-such-key")(header)), key, *rest), BAD_POINT)
    yield case("no encrypted key, and an unknown kid", "token/pin", both(
        with_member("kid", "no-such-key"), b"", *rest), NO_KEY)
    yield case("no epk, and a member twice", "token/pin", both(
        lambda header: adding('"enc":"A256GCM"')(no_epk(header)), key, *rest), CRYPTO_ERROR)
    yield case("an EC value to pin-definition/pin", "pin", steps["compact"], CRYPTO_ERROR)


# Deliveries


UNDECRYPTED, BAD_SERVER_POINT, UNPARSED, NOT_UNWRAPPED, INCOMPLETE, UNREADABLE = (
    90005, 90009, 90011, 90012, 90013, 90014)


def deliveries():
    for recipient in (CLIENT_RSA, CLIENT_EC):
        yield from delivered_headers(recipient)
        yield from delivered_parts(recipient)
    yield from delivered_ephemeral_keys()
    yield from delivered_plaintexts()


def delivered(name, recipient, plaintext=None, **options):
    label = f"negative delivery to {recipient.name}: {name}"
    seal = seal_rsa if recipient is CLIENT_RSA else seal_ecdh
    return seal(label, plaintext or short_delivery(label, "captcha", 4), recipient, **options)


def short_delivery(label, picture_format, length):
    """A delivery with little padding. Clients do not check the padding."""
    return delivery(label, picture_format, length, block=16)[0]


def delivery_case(name, recipient, text, code):
    verdict = "invalid" if code else "valid"
    return {"name": name, "recipient": recipient.name, "compact": text, "verdict": verdict, "code": code}


def delivered_headers(recipient):
    forms = [
        ("as it should be", lambda header: header, 0),
        ("typ, and white space in the header", lambda header: spaced(adding('"typ":"JOSE"')(header)), 0),
        ("alg none", with_member("alg", "none"), UNDECRYPTED),
        ("alg dir", with_member("alg", "dir"), UNDECRYPTED),
        ("no alg", with_member("alg", None), UNDECRYPTED),
        ("enc A128GCM", with_member("enc", "A128GCM"), UNDECRYPTED),
        ("no enc", with_member("enc", None), UNDECRYPTED),
        ("alg twice, none the last", adding('"alg":"none"'), UNDECRYPTED),
        ("enc twice, none the last", adding('"enc":"none"'), UNDECRYPTED),
        ("crit", adding('"crit":["exp"],"exp":1'), UNDECRYPTED),
        ("crit empty", adding('"crit":[]'), UNDECRYPTED),
        ("zip", adding('"zip":"DEF"'), UNDECRYPTED),
        ("the header an array", lambda header: f"[{header}]", UNDECRYPTED),
        ("text behind the header", lambda header: header + "{}", UNDECRYPTED),
    ]
    other_algorithm = "ECDH-ES+A256KW" if recipient is CLIENT_RSA else "RSA-OAEP-256"
    forms.append(("alg of the other kind of key", with_member("alg", other_algorithm), UNDECRYPTED))
    for name, rewrite, code in forms:
        steps = delivered(name, recipient, rewrite=rewrite)
        yield delivery_case(f"{name}, to {recipient.name}", recipient, steps["compact"], code)


def delivered_parts(recipient):
    header, key, iv, ciphertext, tag = parts_of(delivered("parts", recipient))
    forms = [
        ("a bit of the encrypted key changed", [header, flipped(key, 77), iv, ciphertext, tag], NOT_UNWRAPPED),
        ("no encrypted key", [header, b"", iv, ciphertext, tag], NOT_UNWRAPPED),
        ("a byte behind the encrypted key", [header, key + b"\0", iv, ciphertext, tag], NOT_UNWRAPPED),
        ("an iv of 11 bytes", [header, key, iv[:-1], ciphertext, tag], UNDECRYPTED),
        ("a bit of the iv changed", [header, key, flipped(iv, 0), ciphertext, tag], UNDECRYPTED),
        ("a bit of the ciphertext changed", [header, key, iv, flipped(ciphertext, 0), tag], UNDECRYPTED),
        ("a bit of the tag changed", [header, key, iv, ciphertext, flipped(tag, 127)], UNDECRYPTED),
        ("a tag of 12 bytes", [header, key, iv, ciphertext, tag[:12]], UNDECRYPTED),
        ("no tag", [header, key, iv, ciphertext, b""], UNDECRYPTED),
        ("four parts", [header, key, iv, ciphertext], UNDECRYPTED),
        ("six parts", [header, key, iv, ciphertext, tag, b""], UNDECRYPTED),
        ("the tag padded", [header, key, iv, ciphertext, base64url(tag) + "=="], UNDECRYPTED),
    ]
    for name, parts, code in forms:
        yield delivery_case(f"{name}, to {recipient.name}", recipient, compact(parts), code)
    short = delivered("a short content key", recipient, content_key=chosen("short content key", 16))
    yield delivery_case(f"a content key of 16 bytes, to {recipient.name}", recipient, short["compact"], NOT_UNWRAPPED)


def delivered_ephemeral_keys():
    def point(x, y):
        return {"crv": "P-256", "kty": "EC", "x": base64url(octets(x)), "y": base64url(octets(y))}

    epk = CLIENT_EC.public_jwk
    forms = [
        ("no epk", None, UNREADABLE),
        ("epk without y", {name: epk[name] for name in ["crv", "kty", "x"]}, UNREADABLE),
        ("epk of P-384", epk | {"crv": "P-384"}, UNREADABLE),
        ("epk of kty OKP", epk | {"kty": "OKP"}, UNREADABLE),
        ("x of epk of 33 bytes", epk | {"x": base64url(bytes(1) + octets(CLIENT_EC.x))}, UNREADABLE),
        ("x of epk padded", epk | {"x": epk["x"] + "="}, UNREADABLE),
        ("epk not on the curve", epk | {"y": SERVER_EC.public_jwk["y"]}, BAD_SERVER_POINT),
        ("epk of the twist", point(*twist_point()), BAD_SERVER_POINT),
        ("epk of order 3 on another curve", point(*point_of_order_three()), BAD_SERVER_POINT),
        ("epk all zeros", point(0, 0), BAD_SERVER_POINT),
        ("x of epk the prime itself", epk | {"x": base64url(octets(P256.P))}, BAD_SERVER_POINT),
        ("epk of another message", epk, NOT_UNWRAPPED),
    ]
    for name, other, code in forms:
        steps = delivered(name, CLIENT_EC, rewrite=with_member("epk", other))
        yield delivery_case(name, CLIENT_EC, steps["compact"], code)
    for name, value, code in [("apu not base64url", "Q", UNDECRYPTED), ("apu added later", "QWxpY2U", NOT_UNWRAPPED)]:
        steps = delivered(name, CLIENT_EC, rewrite=with_member("apu", value))
        yield delivery_case(name, CLIENT_EC, steps["compact"], code)


def delivered_plaintexts():
    def changed(name, code, picture_format="captcha", length=4, **members):
        plain = json.loads(short_delivery(name, picture_format, length)) | members
        plain = {member: value for member, value in plain.items() if value is not None}
        steps = delivered(name, CLIENT_EC, compact_json(plain).encode())
        return delivery_case("plaintext: " + name, CLIENT_EC, steps["compact"], code)

    image = base64_text(png(0))
    for name, plaintext in [("no JSON", b"1234"), ("an array", b"[]"), ("not UTF-8", b'{"format":"\xff"}')]:
        steps = delivered(name, CLIENT_EC, plaintext)
        yield delivery_case("plaintext: " + name, CLIENT_EC, steps["compact"], UNPARSED)
    yield changed("a member that is not known", 0, another={"a": 1})
    yield changed("no padding", 0, padding=None)
    for member in ["format", "length", "images", "notifyKey"]:
        yield changed(f"no {member}", UNPARSED, **{member: None})
    yield changed("another format", UNPARSED, format="text")
    yield changed("notifyKey of 31 bytes", UNPARSED, notifyKey=base64url(chosen("short", 31)))
    yield changed("notifyKey padded", UNPARSED, notifyKey=base64url(chosen("padded")) + "=")
    yield changed("an image that is not base64", UNPARSED, images=["*"])
    yield changed("an image that is not a PNG", UNPARSED, images=[base64_text(b"GIF89a")])
    yield changed("two captchas", INCOMPLETE, images=[image, image])
    yield changed("no captcha", INCOMPLETE, images=[])
    yield changed("a PIN of 3 digits", INCOMPLETE, "digits", 3)
    yield changed("a PIN of 13 digits", INCOMPLETE, "digits", 13)
    yield changed("a digit too few", INCOMPLETE, "digits", images=[image] * 3)
    yield changed("a digit too many", INCOMPLETE, "digits", images=[image] * 5)
    yield changed("no order", INCOMPLETE, "digits", order=None)
    yield changed("an order too short", INCOMPLETE, "digits", order=[0, 1, 2])
    yield changed("an order with a place twice", INCOMPLETE, "digits", order=[0, 1, 1, 3])
    yield changed("an order outside the images", INCOMPLETE, "digits", order=[0, 1, 2, 4])
    yield changed("an order below zero", INCOMPLETE, "digits", order=[0, 1, 2, -1])
