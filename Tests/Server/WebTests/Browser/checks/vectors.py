"""The vectors of docs/vectors, in the browser.

The lists of negative.json that only a server reads have no counterpart in the client: public keys of clients,
signatures, definitions and their bindings.
"""

import base64
import hashlib
import hmac
import json

from jwcrypto import jwe, jwk

from checks import equal, equal_each

INVALID_INPUT = 90000


def read(scene, name):
    return json.loads((scene.root / f"docs/vectors/{name}.json").read_text())


def with_keys(document, cases):
    """Each case with the private key of its recipient."""
    keys = {key["name"]: key["jwk"] for key in document["keys"]}
    return [case | {"jwk": keys[case["recipient"]]} for case in cases]


def sealed_values(scene):
    for name in ("delivered-pins", "defined-pins"):
        document = read(scene, name)
        yield from with_keys(document, document["vectors"])


def by_name(cases, value):
    names = [case["name"] for case in cases]
    equal(len(set(names)), len(names), "distinct names")
    return {case["name"]: value(case) for case in cases}


def mac_of(key, message):
    return hmac.new(key, message.encode(), hashlib.sha256).hexdigest()


def check_open(scene):
    """each sealed value opens to its plaintext"""
    cases = list(sealed_values(scene))
    given = [{"name": case["name"], "compact": case["compact"], "jwk": case["jwk"]} for case in cases]
    equal_each(scene.page.run("openVectors", given), by_name(cases, lambda case: case["plaintext"].encode().hex()))


def check_deliver(scene):
    """a delivered PIN has its images in order, its notify key and its freeField"""
    document = read(scene, "delivered-pins")
    cases = with_keys(document, document["vectors"])

    def expected(case):
        delivered = case["delivered"]
        return {
            "format": delivered["format"], "images": delivered["imagesInOrder"],
            "freeField": delivered.get("freeField"), "mac": mac_of(bytes.fromhex(delivered["notifyKey"]), "a message"),
        }

    equal_each(scene.page.run("deliverVectors", cases, "a message"), by_name(cases, expected))


def check_agree(scene):
    """each shared secret and each wrapping key is the vector's"""
    cases = [case for case in sealed_values(scene) if case["alg"] == "ECDH-ES+A256KW"]
    given = [
        {name: case[name] for name in ("name", "jwk", "apu", "apv")} | {"epk": json.loads(case["header"])["epk"]}
        for case in cases]
    expected = by_name(cases, lambda case: {name: case[name] for name in ("sharedSecret", "wrappingKey")})
    equal_each(scene.page.run("agreeVectors", given), expected)


def check_seal(scene):
    """what the client seals opens with jwcrypto, and its header names the request as the vector's does"""
    document = read(scene, "defined-pins")
    cases = with_keys(document, document["vectors"])
    public = {key["name"]: public_key(key) for key in document["keys"]}
    given = [
        {name: case[name] for name in ("name", "alg", "plaintext", "binding")}
        | {"keySet": {"keys": [public[case["recipient"]]]}} for case in cases]
    sealed = scene.page.run("sealVectors", given)
    opened = by_name(cases, lambda case: opened_by_jwcrypto(sealed[case["name"]], case))
    equal_each(opened, by_name(cases, lambda case: (case["plaintext"], named_in(json.loads(case["header"])))))


def public_key(key):
    members = {name: value for name, value in key["jwk"].items() if name in ("kty", "crv", "x", "y", "n", "e")}
    return members | {"kid": key["thumbprint"], "use": "enc"}


def opened_by_jwcrypto(compact, case):
    token = jwe.JWE()
    token.deserialize(compact, jwk.JWK(**case["jwk"]))
    return token.payload.decode(), named_in(token.jose_header)


def named_in(header):
    """The header without what is new in each value, or belongs to other senders."""
    return {name: value for name, value in header.items() if name not in ("epk", "apu", "apv")}


def check_write(scene):
    """the plaintext of each PIN and of each list of indexes is the vector's, padded"""
    cases = [case for case in read(scene, "defined-pins")["vectors"] if case["member"] != "authenticationCode"]
    given = [
        {"name": case["name"]} | ({"indexes": case["plaintext"].rstrip()} if "keypad" in case else {"pin": case["pin"]})
        for case in cases]
    equal_each(scene.page.run("writeVectors", given), by_name(cases, written))


def written(case):
    if "keypad" not in case:
        return case["pin"].ljust(16)
    separator = "," if "," in case["plaintext"] else ""
    return separator.join(map(str, case["indexes"])).ljust(64)


def check_keypads(scene):
    """each keypad is complete, and the indexes on it are the vector's"""
    cases = read(scene, "keypads")["vectors"]
    expected = by_name(cases, lambda case: [True, ",".join(map(str, case["indexes"]))])
    equal_each(scene.page.run("keypadVectors", cases), expected)


def check_hash_macs(scene):
    """each hashMac is the vector's"""
    cases = read(scene, "macs")["hashMacs"]
    equal_each(scene.page.run("hashMacVectors", cases), by_name(cases, lambda case: case["hashMac"]))


def check_bound_proofs(scene):
    """each binding is the vector's, and each bound hashMac"""
    document = read(scene, "bindings")
    cases = document["bindings"]
    equal_each(scene.page.run("bindingVectors", cases), by_name(cases, lambda case: case["binding"]))
    cases = document["hashMacs"]
    equal_each(scene.page.run("hashMacVectors", cases), by_name(cases, lambda case: case["hashMac"]))


def check_notify_hashes(scene):
    """each notify hash is the vector's, with names from the request or from the token"""
    cases = read(scene, "macs")["notifyHashes"]
    equal_each(scene.page.run("notifyVectors", cases), by_name(cases, lambda case: case["hash"]))


def check_thumbprints(scene):
    """each thumbprint is the vector's"""
    cases = read(scene, "thumbprints")["vectors"]
    equal_each(scene.page.run("thumbprintVectors", cases), by_name(cases, lambda case: case["thumbprint"]))


def check_tokens(scene):
    """the client reads the names in each token, and refuses what is not one strict JSON object"""
    # How deep a token may be nested is the server's limit: it reads what everybody sends.
    refused = [case for case in read(scene, "negative")["tokens"] if case["name"] != "nested 40 deep"]
    cases = read(scene, "tokens")["vectors"] + refused

    def expected(case):
        if case.get("verdict") == "invalid":
            return INVALID_INPUT
        members = json.loads(case["token"])
        return [members[name] for name in ("IdBEL", "IdPorteur", "IdTransaction")]

    equal_each(scene.page.run("tokenVectors", cases), by_name(cases, expected))


def check_refused_deliveries(scene):
    """each delivery of negative.json gives its code, and the valid ones open"""
    document = read(scene, "negative")
    cases = with_keys(document, document["deliveries"])
    results = scene.page.run("deliverVectors", cases, "a message")
    codes = {name: 0 if isinstance(result, dict) else result for name, result in results.items()}
    equal_each(codes, by_name(cases, lambda case: case["code"]))


def check_aes_gcm(scene):
    """Chromium's AES-GCM accepts only the valid inputs. The client checks the lengths of keys and IVs before"""
    cases = [
        case for case in read(scene, "negative")["aesGCM"]
        if (len(case["key"]), len(case["iv"]), len(case["tag"])) == (64, 24, 32)]
    equal_each(scene.page.run("gcmVectors", cases), by_name(cases, lambda case: case.get("plaintext")))


def check_aes_key_wrap(scene):
    """Chromium's AES key wrap accepts only the valid inputs"""
    cases = [case for case in read(scene, "negative")["aesKeyWrap"] if len(case["wrappingKey"]) == 64]
    equal_each(scene.page.run("keyWrapVectors", cases), by_name(cases, lambda case: case.get("plaintext")))


def check_base64url(scene):
    """base64url is read in its canonical form only"""
    octets = [bytes(range(count)) for count in range(70)] + [b"\xfb\xff\xbf"]
    texts = {base64.urlsafe_b64encode(each).decode().rstrip("="): each.hex() for each in octets}
    refused = ["Zg==", "Zm8=", "Zh", "Z", "A+z/4ME", "Zm 9v", "Zm9v\n", "Zmé", "=", "Zm9v=", "Z-9"]
    cases = [{"name": text, "text": text} for text in [*texts, *refused]]
    equal_each(scene.page.run("base64URLVectors", cases), texts | dict.fromkeys(refused))
