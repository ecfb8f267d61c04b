"""Sealed values that decrypt, and whether their headers name the request in which they are sent.

Each case has two verdicts: `bound` if the bank requires these names, `any` if it also takes values without them.
"""

import json
import unicodedata

from negative_jwe import replacing, spaced, with_member
from positive import SERVER_EC, SERVER_RSA, TIMESTAMP, TRANSACTION_ID, keypad_id, names_of
from sealing import seal_ecdh, seal_rsa

PLAINTEXTS = {
    "pin": b"4343".ljust(16), "indexes": b"0,1,0,1".ljust(64), "authenticationCode": b"K7P2M9".ljust(16)}
KEYPAD_ID = keypad_id("twelve places")
REQUESTS = {
    "a PIN with an HMAC": (SERVER_RSA, names_of("pin", request_id=TIMESTAMP)),
    "a PIN with a token": (SERVER_EC, names_of("pin", request_id=TRANSACTION_ID)),
    "indexes": (SERVER_EC, names_of("indexes", request_id=TRANSACTION_ID, keypad_id=KEYPAD_ID)),
    "a provisioned PIN": (SERVER_RSA, names_of("pin")),
    "a provisioned code": (SERVER_EC, names_of("authenticationCode")),
}
LETTERS = {"bank_id": "CRÉDIT", "unique_id": "çé-€-\U0001f600", "request_id": TRANSACTION_ID}


def bindings():
    for what, (recipient, wanted) in REQUESTS.items():
        yield from named(what, recipient, wanted)
    yield from unexpected()
    yield from written()
    yield from letters()


def case(name, recipient, wanted, header, bound, taken, rewrite=lambda header: header):
    """`wanted` are the names that the request requires, `header` those that the header has."""
    seal = seal_rsa if recipient is SERVER_RSA else seal_ecdh
    steps = seal(
        "binding: " + name, PLAINTEXTS[wanted["cty"]], recipient, kid=recipient.kid, binding=header, rewrite=rewrite)
    return {
        "name": name,
        "content": wanted["cty"],
        "bankId": wanted["iss"],
        "uniqueId": wanted["sub"],
        "requestId": wanted.get("jti"),
        "keypadId": wanted.get("keypadId"),
        "recipient": recipient.name,
        "compact": steps["compact"],
        "bound": "valid" if bound else "invalid",
        "any": "valid" if taken else "invalid",
    }


def good(name, recipient, wanted, **options):
    return case(name, recipient, wanted, wanted, True, True, **options)


def wrong(name, recipient, wanted, **changes):
    return case(name, recipient, wanted, wanted | changes, False, False)


def without(name, recipient, wanted, absent):
    header = {parameter: value for parameter, value in wanted.items() if parameter not in absent}
    return case(name, recipient, wanted, header, False, True)


def named(what, recipient, wanted):
    """Each parameter absent, and each with another value."""
    others = {
        "cty": ["indexes", "authenticationCode"] if wanted["cty"] == "pin" else ["pin"],
        "iss": ["OTHER_BANK"],
        "sub": ["102457"],
        "jti": ["1562320990" if wanted.get("jti") == TIMESTAMP else "4567892"],
        "keypadId": [keypad_id("fifteen places")],
    }
    yield good(what, recipient, wanted)
    for parameter in wanted:
        yield without(f"{what}: no {parameter}", recipient, wanted, [parameter])
        for other in others[parameter]:
            yield wrong(f"{what}: {parameter} {other[:20]}", recipient, wanted, **{parameter: other})
    yield without(f"{what}: no names", recipient, wanted, wanted)
    yield without(f"{what}: only cty", recipient, wanted, set(wanted) - {"cty"})
    yield case(f"{what}: only a wrong sub", recipient, wanted, {"sub": "102457"}, False, False)


def unexpected():
    """Parameters that the header of this request's value must not have."""
    for what in ["a provisioned PIN", "a provisioned code"]:
        yield wrong(f"{what}: jti of a token", *REQUESTS[what], jti=TRANSACTION_ID)
        yield wrong(f"{what}: jti empty", *REQUESTS[what], jti="")
    for what in ["a PIN with an HMAC", "a PIN with a token", "a provisioned PIN", "a provisioned code"]:
        yield wrong(f"{what}: a keypadId", *REQUESTS[what], keypadId=KEYPAD_ID)
    recipient, wanted = REQUESTS["indexes"]
    unnamed = {name: value for name, value in wanted.items() if name != "keypadId"}
    yield case("indexes: a keypadId, but none in the request", recipient, unnamed, wanted, False, False)


def written():
    """Values that differ by little, and other ways to write the same value."""
    what = "a PIN with a token"
    recipient, wanted = REQUESTS[what]
    yield wrong(f"{what}: cty in upper case", recipient, wanted, cty="PIN")
    yield wrong(f"{what}: cty application/pin", recipient, wanted, cty="application/pin")
    yield wrong(f"{what}: iss in lower case", recipient, wanted, iss="bank_id")
    yield wrong(f"{what}: iss empty", recipient, wanted, iss="")
    yield wrong(f"{what}: iss and sub exchanged", recipient, wanted, iss=wanted["sub"], sub=wanted["iss"])
    yield wrong(f"{what}: sub with a space behind it", recipient, wanted, sub="102456 ")
    yield wrong(f"{what}: sub with a leading zero", recipient, wanted, sub="0102456")
    yield wrong(f"{what}: sub without its last digit", recipient, wanted, sub="10245")
    yield wrong(f"{what}: sub with U+0000 behind it", recipient, wanted, sub="102456\0")
    yield wrong(f"{what}: jti the timestamp", recipient, wanted, jti=TIMESTAMP)
    yield wrong("indexes: keypadId in the other case", *REQUESTS["indexes"], keypadId=KEYPAD_ID.swapcase())
    yield wrong("indexes: keypadId padded", *REQUESTS["indexes"], keypadId=KEYPAD_ID + "==")
    yield wrong("a provisioned code: cty in lower case", *REQUESTS["a provisioned code"], cty="authenticationcode")
    yield good(f"{what}: members in another order, with white space", recipient, wanted, rewrite=spaced)
    yield good(f"{what}: with typ", recipient, wanted, rewrite=with_member("typ", "JOSE"))
    yield good(f"{what}: escapes", recipient, wanted, rewrite=replacing('"102456"', '"\\u0031\\u00302456"'))
    yield good(f"{what}: an escape in a name", recipient, wanted, rewrite=replacing('"sub"', '"s\\u0075b"'))
    slash = wanted | {"sub": "branch/102456", "iss": 'BANK "1"\\2'}
    yield good(f"{what}: escapes of / and of what must be escaped", recipient, slash, rewrite=replacing("/", "\\/"))
    upper = wanted | {"sub": "CH-102456"}
    yield wrong(f"{what}: sub in lower case", recipient, upper, sub="ch-102456")


def letters():
    """Names beyond ASCII. Texts that only Unicode treats as equal are different."""
    what = "names beyond ASCII"
    wanted = names_of("pin", **LETTERS)
    decomposed = {name: unicodedata.normalize("NFD", value) for name, value in wanted.items()}
    yield good(what, SERVER_EC, wanted)
    yield good(f"{what}, escaped", SERVER_EC, wanted, rewrite=escaped)
    yield good(f"{what}, decomposed on both sides", SERVER_EC, decomposed)
    for parameter, where in [("iss", "bankId"), ("sub", "uniqueId")]:
        yield wrong(
            f"{what}: {parameter} decomposed", SERVER_EC, wanted, **{parameter: decomposed[parameter]})
        yield wrong(
            f"{what}: {where} decomposed", SERVER_EC, decomposed, **{parameter: wanted[parameter]})
    yield wrong(f"{what}: iss in lower case", SERVER_EC, wanted, iss="crédit")
    yield wrong(f"{what}: iss without its accent", SERVER_EC, wanted, iss="CREDIT")
    yield wrong(f"{what}: a full-width digit", SERVER_EC, wanted | {"sub": "102456"}, sub="10245\uff16")
    yield wrong(f"{what}: a zero-width space", SERVER_EC, wanted | {"sub": "102456"}, sub="102456\u200b")


def escaped(header):
    """Escapes what is beyond ASCII, with surrogate pairs where needed."""
    return json.dumps(json.loads(header), separators=(",", ":"))
