"""A server that has too much to do: only its own answer lets the client send the same request again."""

import json

from checks import equal, failed, succeeded
from checks.operations import DEFINE, FETCH, GOOD, KEYPAD, SENDING
from origin import Reply

PROBLEM = {"type": "urn:card-companion:problem:overloaded", "title": "Service Unavailable", "status": 503}
MEDIA_TYPE = "application/problem+json"
KEYPAD_ANSWER = {"errorCode": 0, "errorMessage": "Success", "keypad": list("0123456789"), "keypadId": "k"}
# The random number is from 0 to 1, and the factor half more.
ALMOST_ONE = 0.999999


def overloaded(retry_after="2", media_type=MEDIA_TYPE, status=503, body=PROBLEM):
    headers = {"Content-Type": media_type} if media_type else {}
    return Reply(body, status, headers | ({"Retry-After": retry_after} if retry_after else {}))


def call(scene, operation, react, random=0):
    """The response, the waits, and the bodies of the requests."""
    scene.page.run("takeWaits", random)
    before = len(scene.origin.bodies)
    with scene.origin.reaction(react) as host:
        response = scene.page.call(operation, GOOD[operation], host, scene.session())
    return response, scene.page.run("takeWaits", 0), scene.origin.bodies[before:]


def check_retries(scene):
    """a request is sent twice more with the same bytes, and the third answer is returned"""
    for operation in SENDING:
        response, waits, bodies = call(scene, operation, lambda *_: overloaded("7"))
        failed(response, 90015)
        equal((operation, response["retryAfterSeconds"]), (operation, 7), "retryAfterSeconds")
        equal((operation, len(bodies), len(set(bodies))), (operation, 3, 1), "requests and different ones")
        equal((operation, waits), (operation, [2.5, 2.5]), "waits")


def check_answer_after_overload(scene):
    """an answer after an overload counts"""
    for overloads in (1, 2):
        left = [overloads]

        def react(*_):
            left[0] -= 1
            return overloaded() if left[0] >= 0 else Reply(KEYPAD_ANSWER)

        response, waits, bodies = call(scene, KEYPAD, react)
        succeeded(response)
        equal((len(waits), len(bodies)), (overloads, overloads + 1), "waits and requests")


def check_other_refusals(scene):
    """nothing else is sent again"""
    others = {
        "another type": lambda *_: overloaded(body=PROBLEM | {"type": "about:blank"}),
        "no type": lambda *_: overloaded(body={"status": 503}),
        "no body": lambda *_: overloaded(body=b""),
        "no JSON": lambda *_: overloaded(body=b"<html>"),
        "a type twice": lambda *_: overloaded(body=json.dumps(PROBLEM)[:-1].encode() + b',"type":"about:blank"}'),
        "another media type": lambda *_: overloaded(media_type="application/json"),
        "no media type": lambda *_: overloaded(media_type=None),
        "429": lambda *_: overloaded(status=429),
        "500": lambda *_: overloaded(status=500),
        "a body that is cut off": lambda *_: Reply(PROBLEM, 503, {"Content-Type": MEDIA_TYPE}, cut=10),
    }
    for operation in (FETCH, DEFINE):
        for name, react in others.items():
            response, waits, bodies = call(scene, operation, react)
            failed(response, 90015)
            equal((name, waits, len(bodies)), (name, [], 1), "waits and requests")


def check_jitter(scene):
    """the wait is between half and one and a half of Retry-After"""
    for random, low, high in ((0, 0.5, 0.5), (0.5, 1, 1), (ALMOST_ONE, 1.4999, 1.5)):
        for retry_after, seconds in ((None, 1), ("4", 4)):
            _, waits, _ = call(scene, KEYPAD, lambda *_: overloaded(retry_after), random)
            assert len(waits) == 2 and all(low * seconds <= wait <= high * seconds for wait in waits), waits


def check_rule(scene):
    """Retry-After counts from 1 to 5 seconds, as 1 if it cannot be read, and the third answer is for the caller"""
    right = {"status": 503, "contentType": MEDIA_TYPE, "retryAfter": "2", "body": json.dumps(PROBLEM), "sendCount": 1}
    expected = [
        ({}, 2), ({"sendCount": 2}, 2), ({"sendCount": 3}, None), ({"sendCount": 4}, None),
        ({"contentType": "Application/Problem+JSON; charset=utf-8"}, 2), ({"contentType": f"{MEDIA_TYPE}x"}, None),
        ({"contentType": None}, None), ({"status": 200}, None), ({"body": "[]"}, None),
    ]
    retry_after = {
        "1": 1, "5": 5, " 3 ": 3, "6": 5, "99999999999999999999": 5, "0": 1, None: 1, "": 1, "-2": 1, "+2": 1, "1.5": 1,
        "soon": 1, "Wed, 21 Oct 2026 07:28:00 GMT": 1,
    }
    expected += [({"retryAfter": text}, seconds) for text, seconds in retry_after.items()]
    found = scene.page.run("overloadWaits", [right | changes for changes, _ in expected])
    for (changes, seconds), wait in zip(expected, found, strict=True):
        equal((changes, wait), (changes, seconds), "seconds")
