"""Servers that are gone, slow, or answer with something else."""

import base64
import json
import time

from jwcrypto.jwk import JWK

from checks import equal, failed, sealed_answer, succeeded
from checks.operations import DEFINE, FETCH, GOOD, KEYPAD, KEYPAD_DEFINE, SENDING, TOKEN_DEFINE, TOKEN_FETCH
from origin import Reply

BAD_ANSWERS = [
    b"[]", b"null", b"7", b"{", b"<html>",
    b'{"errorCode":300}', b'{"errorMessage":""}', b'{"errorCode":"0","errorMessage":""}',
    b'{"errorCode":0.5,"errorMessage":""}', b'{"errorCode":null,"errorMessage":""}',
    b'{"errorCode":300,"errorMessage":7}',
    b'{"errorCode":300,"errorCode":300,"errorMessage":""}',
    b'{"errorCode":300,"error\\u0043ode":300,"errorMessage":""}',
    b'{"errorCode":300,"errorMessage":"","a":{"b":1,"b":2}}', b'{"errorCode":300,"errorMessage":""}{}',
    b'\xef\xbb\xbf{"errorCode":300,"errorMessage":""}', b'{"errorCode":300,"errorMessage":"\xff"}',
    b'{"errorCode":0,"errorMessage":""}',  # a success without its members; no key set
]
DIGITS = list("0123456789")
BAD_KEYPADS = [
    None, "0123456789", [*range(10)], DIGITS[:9], DIGITS[:9] + ["8"], DIGITS[:9] + [None], DIGITS[:9] + ["10"],
    DIGITS + [None], ["0 1", *DIGITS[2:], None], ["01", *DIGITS[1:]],
]


def expect_each(scene, react, expected, **settings):
    """Every operation that sends something gives the code, with a server that answers like this."""
    with scene.origin.reaction(react) as host:
        session = scene.session(settings)
        for operation in SENDING:
            response = scene.page.call(operation, GOOD[operation], host, session)
            equal((operation, response["errorCode"]), (operation, expected), response["errorMessage"])
    return response


def key_set(*keys, **more):
    """A server with this key set, which takes every PIN, and answers with more members."""
    return lambda path, _: Reply(
        {"keys": list(keys)} if path.endswith("jwks.json") else {"errorCode": 0, "errorMessage": ""} | more)


def check_server_gone(scene):
    """a server that is gone gives 90001"""
    with scene.origin.closed_port() as gone:
        for operation in SENDING:
            failed(scene.page.call(operation, GOOD[operation], gone), 90001)


def check_slow_server(scene):
    """an answer that does not end before the timeout gives 90006"""
    expect_each(scene, lambda *_: Reply(b'{"errorCode":', cut=None), 90006, timeoutSeconds=0.5)
    with scene.origin.reaction(lambda *_: time.sleep(2) or Reply({})) as host:
        session = scene.session({"timeoutSeconds": 0.5})
        failed(scene.page.call(FETCH, GOOD[FETCH], host, session), 90006)


def check_cut_off(scene):
    """a connection that ends before the answer's end gives 90006"""
    expect_each(scene, lambda *_: Reply(b'{"errorCode":0', cut=10), 90006)


def check_other_status(scene):
    """every status except 200 gives 90015, and redirects are not followed"""
    for status in (201, 204, 400, 404, 500, 502):
        expect_each(scene, lambda *_: Reply({} if status != 204 else b"", status), 90015)
    elsewhere = {"Location": f"{scene.origin.url}/v1/pin-distribution/captcha"}
    forwarded = scene.origin.forwarded
    for status in (301, 302, 307, 308):
        expect_each(scene, lambda *_: Reply(b"", status, elsewhere), 90015)
    equal(scene.origin.forwarded, forwarded, "requests that followed a redirect")


def check_retry_after(scene):
    """the seconds of Retry-After are given for 429 and 503 only, and only if they are seconds"""
    cases = [(429, "7", 7), (503, "120", 120), (500, "7", None), (429, "Wed, 21 Oct 2026 07:28:00 GMT", None),
             (429, "-1", None), (503, "1.5", None), (429, "99999999999", None), (503, None, None)]
    for status, text, seconds in cases:
        headers = {"Retry-After": text} if text else {}
        response = expect_each(scene, lambda *_: Reply({}, status, headers), 90015)
        equal((status, text, response["retryAfterSeconds"]), (status, text, seconds), "retryAfterSeconds")


def check_empty_answer(scene):
    """an empty body gives 90002"""
    expect_each(scene, lambda *_: Reply(b""), 90002)


def check_malformed_answers(scene):
    """a malformed answer gives 90003"""
    for body in BAD_ANSWERS:
        expect_each(scene, lambda *_: Reply(body), 90003)
    for members in ({"pin": ""}, {"pin": 7}, {"sessionId": ""}, {"sessionId": None}):
        with scene.origin.reaction(lambda _, request: Reply(sealed_answer(request, "{}") | members)) as host:
            failed(scene.page.call(FETCH, GOOD[FETCH], host), 90003)
            failed(scene.page.call(TOKEN_FETCH, GOOD[TOKEN_FETCH], host), 90003)


def check_unknown_members(scene):
    """members and codes that the client does not know are passed over"""
    body = {"errorCode": 777, "errorMessage": "from the future", "retryAfterSeconds": 5, "more": {"a": ["}\\\"{"]}}
    with scene.origin.reaction(lambda *_: Reply(body)) as host:
        response = failed(scene.page.call(FETCH, GOOD[FETCH], host), 777)
    equal(response["errorMessage"], "from the future", "errorMessage")
    equal(response["retryAfterSeconds"], None, "retryAfterSeconds, which only HTTP can give")


def check_large_answer(scene):
    """an answer larger than the limit gives 90003"""
    body = json.dumps({"errorCode": 300, "errorMessage": "x" * 5000}).encode()
    expect_each(scene, lambda *_: Reply(body), 90003, maximumAnswerByteCount=5000)
    with scene.origin.reaction(lambda *_: Reply(body)) as host:
        failed(scene.page.call(FETCH, GOOD[FETCH], host, scene.session({"maximumAnswerByteCount": len(body)})), 300)


def check_bad_keypads(scene):
    """a keypad of another size or with other digits gives 90003"""
    for keypad in BAD_KEYPADS:
        body = {"errorCode": 0, "errorMessage": "", "keypad": keypad, "keypadId": "k"}
        with scene.origin.reaction(lambda *_: Reply(body)) as host:
            failed(scene.page.call(KEYPAD, GOOD[KEYPAD], host), 90003)
    body = {"errorCode": 0, "errorMessage": "", "keypad": [*DIGITS, "0"], "keypadId": "k"}
    with scene.origin.reaction(lambda *_: Reply(body)) as host:
        failed(scene.page.call(KEYPAD, GOOD[KEYPAD] | {"keypadSize": 11}, host), 90003)
    for keypad_id in ("", None, 7):
        body = {"errorCode": 0, "errorMessage": "", "keypad": DIGITS, "keypadId": keypad_id}
        with scene.origin.reaction(lambda *_: Reply(body)) as host:
            failed(scene.page.call(KEYPAD, GOOD[KEYPAD], host), 90003)


def check_bad_key_sets(scene):
    """a key set without a usable key gives 90003; a bad EC key gives 90014 or 90009"""
    right = {key["kty"]: key for key in scene.server_keys() if key["use"] == "enc"}
    rsa, ec = right["RSA"], right["EC"]
    short = json.loads(JWK.generate(kty="RSA", size=1024).export_public())["n"]
    for keys in (
        [], ["a"], [ec], [rsa | {"kid": 7}], [rsa | {"use": "sig"}], [rsa | {"alg": "RSA-OAEP"}], [rsa | {"n": short}],
        [rsa | {"n": rsa["n"] + "="}], [rsa | {"e": ""}],
    ):
        with scene.origin.reaction(key_set(*keys)) as host:
            failed(scene.page.call(DEFINE, GOOD[DEFINE], host), 90003)
    for change, code in (
        ({"x": ec["x"][:-2]}, 90014), ({"crv": "P-384"}, 90014), ({"y": None}, 90014),
        ({"x": ec["y"], "y": ec["x"]}, 90009), ({"x": "A" * 43, "y": "A" * 43}, 90009),
        ({"kty": "OKP"}, 90003), ({"use": "sig"}, 90003), ({"kid": None}, 90003),
    ):
        with scene.origin.reaction(key_set(ec | change)) as host:
            failed(scene.page.call(TOKEN_DEFINE, GOOD[TOKEN_DEFINE], host), code)


def check_effect_of_a_definition(scene):
    """the result of every definition says when the PIN works, if the bank does"""
    keys = [key for key in scene.server_keys() if key["use"] == "enc"]
    for more, expected in (
        ({"effective": "now"}, "now"), ({"effective": "later"}, "later"), ({}, None), ({"effective": "tomorrow"}, None),
        ({"effective": 1}, None),
    ):
        with scene.origin.reaction(key_set(*keys, **more)) as host:
            for operation in (DEFINE, TOKEN_DEFINE, KEYPAD_DEFINE):
                answer = scene.page.call(operation, GOOD[operation], host)
                succeeded(answer)
                equal(answer["effective"], expected, f"what {operation} says of {more}")


def check_other_keys_in_the_set(scene):
    """keys of other kinds and uses are passed over"""
    ec = next(key for key in scene.server_keys() if (key["kty"], key["use"]) == ("EC", "enc"))
    other = {"kty": "OKP", "crv": "X25519", "x": "AA", "kid": "first"}
    with scene.origin.reaction(key_set(other, ec | {"use": "sig", "kid": "second"}, ec)) as host:
        succeeded(scene.page.call(TOKEN_DEFINE, GOOD[TOKEN_DEFINE], host))
    header = scene.origin.requests[-1][1]["pin"].partition(".")[0]
    equal(json.loads(base64.urlsafe_b64decode(header + "=="))["kid"], ec["kid"], "the kid of the key that was used")
