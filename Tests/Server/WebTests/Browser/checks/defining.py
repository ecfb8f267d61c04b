"""PIN definition, against the real server. The bank opens the PIN that it was given."""

import json

from checks import equal, failed, succeeded
from checks.operations import DEFINE, KEYPAD, KEYPAD_DEFINE, TOKEN_DEFINE


def digits(pin):
    return {"bytes": list(pin.encode())}


def keypad(scene, session, size=10, unique_id="carol"):
    parameters = {"bankId": scene.bank.id, "uniqueId": unique_id, "keypadSize": size}
    return succeeded(scene.page.call(KEYPAD, parameters, scene.origin.url, session))


def indexes(pin, places):
    return ",".join(str(places.index(digit)) for digit in pin)


def define_by_keypad(scene, session, **more):
    return scene.page.call(KEYPAD_DEFINE, scene.bank.token("carol", "02") | more, scene.origin.url, session)


def bank_got(scene, pin):
    """The bank's back-end reads the event and opens the PIN, which only its private key can."""
    events = scene.events("pin.defined", "carol")
    equal([scene.bank.defined_pin(event) for event in events], [pin], "the PINs that the bank opened")


def check_define_by_hmac(scene):
    """a PIN defined by HMAC reaches the bank"""
    scene.events("pin.defined", "carol")
    succeeded(scene.page.call(DEFINE, scene.claim("carol") | {"pin": "4391"}, scene.origin.url))
    bank_got(scene, "4391")


def check_define_by_token(scene):
    """a PIN defined by token reaches the bank, and the token is sent as it was signed"""
    scene.events("pin.defined", "carol")
    signed = scene.bank.token("carol", "02")
    succeeded(scene.page.call(TOKEN_DEFINE, signed | {"pin": "284651"}, scene.origin.url))
    equal(scene.sent("/v1/pin-definition/token/pin")["token"], signed["token"], "the token that was sent")
    bank_got(scene, "284651")


def check_define_by_bytes(scene):
    """a PIN in a Uint8Array reaches the bank, and the client leaves the bytes to the app"""
    scene.events("pin.defined", "carol")
    parameters = scene.bank.token("carol", "02") | {"pin": digits("7305")}
    answer = scene.page.run("pinBytesAfter", TOKEN_DEFINE, parameters, scene.origin.url)
    equal(answer, {"errorCode": 0, "bytes": digits("7305")["bytes"]}, "the answer")
    bank_got(scene, "7305")


def check_define_by_keypad(scene):
    """a PIN defined by positions on keypads of 10, 12 and 60 places reaches the bank"""
    scene.events("pin.defined", "carol")
    for size, pin in ((10, "9174"), (12, "6029"), (60, "831502")):
        session = scene.session()
        response = keypad(scene, session, size)
        equal(len(response["keypad"]), size, "the number of places")
        positions = indexes(pin, response["keypad"])
        succeeded(define_by_keypad(scene, session, indexes=positions))
        sent = scene.sent("/v1/pin-definition/token/pin-indexes")
        equal(sent["keypadId"], response["keypadId"], "the keypadId that was sent")
        bank_got(scene, pin)


def check_keypad_is_forgotten_after_use(scene):
    """the keypad is remembered after a refusal, so that the PIN can be corrected, and forgotten after a success"""
    session = scene.session()
    places = keypad(scene, session)["keypad"]
    failed(define_by_keypad(scene, session, indexes=indexes("1111", places)), 131)
    succeeded(define_by_keypad(scene, session, indexes=indexes("9271", places)))
    failed(define_by_keypad(scene, session, indexes=indexes("9271", places)), 214)
    equal(scene.sent("/v1/pin-definition/token/pin-indexes").get("keypadId"), None, "the keypadId after the success")


def check_several_keypads(scene):
    """the newest keypad is the one, unless the app names another one or discards it"""
    session = scene.session()
    first = keypad(scene, session)
    second = keypad(scene, session)
    succeeded(define_by_keypad(scene, session, indexes=indexes("9271", second["keypad"])))
    named = {"indexes": indexes("6382", first["keypad"]), "keypadId": first["keypadId"]}
    succeeded(define_by_keypad(scene, session, **named))

    places = keypad(scene, session)["keypad"]
    scene.page.run("discardKeypads", scene.bank.id, "carol", session)
    failed(define_by_keypad(scene, session, indexes=indexes("5829", places)), 214)


def check_newer_keypad_stays(scene):
    """a definition on an older keypad leaves the newer one"""
    session = scene.session()
    first = keypad(scene, session)
    second = keypad(scene, session)
    named = {"indexes": indexes("9271", first["keypad"]), "keypadId": first["keypadId"]}
    succeeded(define_by_keypad(scene, session, **named))
    succeeded(define_by_keypad(scene, session, indexes=indexes("6382", second["keypad"])))


def check_sealed_before(scene):
    """what was sealed before is defined; what could not be sealed has its code, and another token is 90000"""
    answers = scene.page.run("sealedBefore", scene.bank.id, "carol", scene.origin.url, {
        name: scene.bank.token("carol", "02", request_id=request_id)
        for name, request_id in (("right", "sealed-before"), ("other", "another"))})
    equal(answers, {"right": 0, "other": 90000, "short": 90007, "unreachable": 90001}, "codes")


def check_keypads_at_the_same_time(scene):
    """if two keypads are requested at the same time, the code is 90000 until one is requested alone"""
    session = scene.session()
    parameters = {"bankId": scene.bank.id, "uniqueId": "carol", "keypadSize": 12}
    first, second = scene.page.run("callTwice", KEYPAD, parameters, scene.origin.url, session)
    succeeded(first)
    succeeded(second)
    sent = len(scene.origin.requests)
    failed(define_by_keypad(scene, session, indexes=indexes("9271", first["keypad"])), 90000)
    equal(len(scene.origin.requests), sent, "requests")
    alone = keypad(scene, session)
    succeeded(define_by_keypad(scene, session, indexes=indexes("9271", alone["keypad"])))


def check_keypads_of_others(scene):
    """keypads of other cardholders do not count"""
    session = scene.session()
    keypad(scene, session, unique_id="alice")
    places = keypad(scene, session)["keypad"]
    succeeded(define_by_keypad(scene, session, indexes=indexes("5829", places)))


def check_lifetime_of_keypads(scene):
    """a keypad is remembered for five minutes"""
    session = scene.session()
    places = keypad(scene, session)["keypad"]
    scene.page.run("advance", 299)
    failed(define_by_keypad(scene, session, indexes=indexes("1111", places)), 131)
    scene.page.run("advance", 1)
    failed(define_by_keypad(scene, session, indexes=indexes("5829", places)), 214)


def check_codes_of_the_server(scene):
    """codes of the server are passed on: weak PIN, spent token, hashMac, keypad size, unknown bank"""
    failed(scene.page.call(DEFINE, scene.claim("carol") | {"pin": "1111"}, scene.origin.url), 131)
    signed = scene.bank.token("carol", "02")
    succeeded(scene.page.call(TOKEN_DEFINE, signed | {"pin": "7305"}, scene.origin.url))
    failed(scene.page.call(TOKEN_DEFINE, signed | {"pin": "7305"}, scene.origin.url), 211)
    claim = scene.claim("carol") | {"pin": "7305", "hashMac": "00" * 32}
    failed(scene.page.call(DEFINE, claim, scene.origin.url), 141)
    parameters = {"bankId": scene.bank.id, "uniqueId": "carol", "keypadSize": 61}
    failed(scene.page.call(KEYPAD, parameters, scene.origin.url), 212)
    failed(scene.page.call(KEYPAD, parameters | {"bankId": "NOBODY", "keypadSize": 10}, scene.origin.url), 101)


def check_bound_to_the_request(scene):
    """a sealed PIN that was seen on the way does not open for another request"""
    succeeded(scene.page.call(TOKEN_DEFINE, scene.bank.token("carol", "02") | {"pin": "7305"}, scene.origin.url))
    seen = scene.sent("/v1/pin-definition/token/pin")["pin"]
    answer = scene.origin.post("/v1/pin-definition/token/pin", scene.bank.token("carol", "02") | {"pin": seen})
    equal(answer["errorCode"], 200, "errorCode of the same sealed value with another token")


def check_pinned_key(scene):
    """a pinned key is used, and without a pinned key nothing is sealed"""
    keys = {key["kty"]: key["kid"] for key in scene.server_keys() if key["use"] == "enc"}  # kid is the thumbprint
    right = scene.session({"pinnedServerKeyThumbprints": [keys["EC"], keys["RSA"]]})
    wrong = scene.session({"pinnedServerKeyThumbprints": ["A" * 43]})
    succeeded(scene.page.call(TOKEN_DEFINE, scene.bank.token("carol", "02") | {"pin": "7305"}, scene.origin.url, right))
    for operation, proof in ((DEFINE, scene.claim("carol")), (TOKEN_DEFINE, scene.bank.token("carol", "02"))):
        failed(scene.page.call(operation, proof | {"pin": "7305"}, scene.origin.url, wrong), 90009)
    equal(scene.origin.requests[-1][0], "/.well-known/jwks.json", "the last request")


def check_longer_pins(scene):
    """longer PINs are sent if the configuration allows them, and the bank decides"""
    parameters = scene.bank.token("carol", "02") | {"pin": "73051982"}
    failed(scene.page.call(TOKEN_DEFINE, parameters, scene.origin.url), 90007)
    session = scene.session({"definedPINLengths": {"minimum": 4, "maximum": 12}})
    failed(scene.page.call(TOKEN_DEFINE, parameters, scene.origin.url, session), 131)


def check_token_names(scene):
    """names that the token lacks are not in the sealed value's header, and the server says what is missing"""
    members = json.loads(scene.bank.token("carol", "02")["token"])
    del members["IdTransaction"]
    parameters = {"token": json.dumps(members), "signature": "AA==", "pin": "7305"}
    failed(scene.page.call(TOKEN_DEFINE, parameters, scene.origin.url), 116)
