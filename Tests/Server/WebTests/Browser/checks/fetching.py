"""Fetch and notify, against the real server."""

import base64
import json

from checks import PNG, equal, failed, succeeded
from checks.operations import FETCH, NOTIFY, TOKEN_FETCH, TOKEN_NOTIFY


def fetched(scene, session="shared"):
    return succeeded(scene.page.call(FETCH, scene.fetch_parameters("alice"), scene.origin.url, session))


def notify_parameters(scene, response, status=0):
    return {"bankId": scene.bank.id, "uniqueId": "alice", "sessionId": response["sessionId"], "status": status}


def check_fetch_by_code(scene):
    """a fetch by authentication code gives an image, and its notify confirms the delivery"""
    scene.events("pin.delivered", "alice")
    response = fetched(scene)
    assert base64.b64decode(response["pin"], validate=True).startswith(PNG), "pin is not a PNG"
    equal(response["images"], [response["pin"]], "images")
    equal(response["text"], None, "text")
    equal(response["freeField"], "Welcome to the sandbox, alice", "freeField")
    [[width, height]] = scene.page.run("imageSizes", response["images"])
    assert width > 100 and height > 50, f"the browser shows an image of {width} x {height}"
    equal(scene.events("pin.delivered", "alice"), [], "events before the notify")

    succeeded(scene.page.call(NOTIFY, notify_parameters(scene, response), scene.origin.url))
    equal(len(scene.events("pin.delivered", "alice")), 1, "pin.delivered events after the notify")


def check_fetch_by_token(scene):
    """a fetch by token gives an image, and its notify confirms the delivery"""
    scene.events("pin.delivered", "bob")
    signed = scene.delivery_token("bob")
    response = succeeded(scene.page.call(TOKEN_FETCH, signed, scene.origin.url))
    assert base64.b64decode(response["pin"], validate=True).startswith(PNG), "pin is not a PNG"
    equal(scene.sent("/v1/pin-distribution/token/captcha")["token"], signed["token"], "the token that was sent")
    parameters = {"token": signed["token"], "sessionId": response["sessionId"], "status": 0}
    succeeded(scene.page.call(TOKEN_NOTIFY, parameters, scene.origin.url))
    equal(len(scene.events("pin.delivered", "bob")), 1, "pin.delivered events")


def check_new_key_each_time(scene):
    """each fetch sends a new key, and keys are of the forms that the server takes"""
    fetched(scene)
    first = scene.sent("/v1/pin-distribution/captcha")["rsaPublicKey"]
    fetched(scene)
    second = scene.sent("/v1/pin-distribution/captcha")["rsaPublicKey"]
    assert first != second, "two fetches sent the same key"


def check_notify_failure(scene):
    """a notify with status 2 tells the server that the app could not show the PIN"""
    scene.events("pin.delivery-failed", "alice")
    response = fetched(scene)
    succeeded(scene.page.call(NOTIFY, notify_parameters(scene, response, 2), scene.origin.url))
    equal(len(scene.events("pin.delivery-failed", "alice")), 1, "pin.delivery-failed events")


def check_notify_again(scene):
    """a notify that got lost can be sent again; after its answer the key is gone"""
    response = fetched(scene)
    parameters = notify_parameters(scene, response)
    with scene.origin.closed_port() as gone:
        failed(scene.page.call(NOTIFY, parameters, gone), 90001)
    succeeded(scene.page.call(NOTIFY, parameters, scene.origin.url))
    failed(scene.page.call(NOTIFY, parameters, scene.origin.url), 90000)


def check_notify_of_lost_answer(scene):
    """a notify whose answer got lost is answered 0 when it is sent again"""
    session = scene.session()
    response = fetched(scene, session)
    parameters = notify_parameters(scene, response)
    scene.page.run("storeReceipt", session)
    succeeded(scene.page.call(NOTIFY, parameters, scene.origin.url, session))
    assert scene.page.run("restoreReceipt", session), "the receipt was refused"
    succeeded(scene.page.call(NOTIFY, parameters, scene.origin.url, session))
    assert scene.page.run("restoreReceipt", session), "the receipt was refused"
    failed(scene.page.call(NOTIFY, parameters | {"status": 1}, scene.origin.url, session), 312)


def check_notify_of_another_session(scene):
    """another session has no key for the notify, and nothing is sent"""
    response = fetched(scene, scene.session())
    sent = len(scene.origin.requests)
    failed(scene.page.call(NOTIFY, notify_parameters(scene, response), scene.origin.url, scene.session()), 90000)
    equal(len(scene.origin.requests), sent, "requests")


def check_receipt(scene):
    """after a reload of the page, a receipt from IndexedDB brings the notify key back, which no script can read"""
    session = scene.session()
    response = fetched(scene, session)
    equal(scene.page.run("storeReceipt", session), False, "whether the key can be exported")
    scene.page.reload()
    session = scene.session()
    parameters = notify_parameters(scene, response)
    failed(scene.page.call(NOTIFY, parameters, scene.origin.url, session), 90000)
    equal(scene.page.run("restoreReceipt", session), True, "restore")
    succeeded(scene.page.call(NOTIFY, parameters, scene.origin.url, session))


def check_bad_receipts(scene):
    """what is not a receipt is refused"""
    session = scene.session()
    fetched(scene, session)
    scene.page.run("storeReceipt", session)
    for changes in ({"version": 2}, {"sessionId": ""}, {"sessionId": 7}, {"key": "a text"}):
        equal(scene.page.run("restoreReceipt", session, changes), False, f"restore with {changes}")
    equal(scene.page.run("restoreOtherKeys", session), [False] * 6, "restore with other keys")
    equal(scene.page.run("restoreNothing", session), [False] * 4, "restore with no receipt")


def check_lifetime_of_notify_keys(scene):
    """a notify key is kept for 24 hours"""
    session = scene.session()
    response = fetched(scene, session)
    scene.page.run("advance", 86_399)
    parameters = notify_parameters(scene, response)
    with scene.origin.closed_port() as gone:
        failed(scene.page.call(NOTIFY, parameters, gone, session), 90001)
    scene.page.run("advance", 1)
    failed(scene.page.call(NOTIFY, parameters, scene.origin.url, session), 90000)


def check_hints(scene):
    """hints are sent as they are given, and the server takes them"""
    hints = {"style": "calm", "theme": "dark", "scale": 2, "formats": ["captcha", "digits"]}
    succeeded(scene.page.call(FETCH, scene.fetch_parameters("alice") | hints, scene.origin.url))
    sent = scene.sent("/v1/pin-distribution/captcha")
    equal({name: sent.get(name) for name in hints}, hints, "hints by code")
    succeeded(scene.page.call(TOKEN_FETCH, scene.delivery_token("bob") | hints, scene.origin.url))
    sent = scene.sent("/v1/pin-distribution/token/captcha")
    equal({name: sent.get(name) for name in hints}, hints, "hints by token")
    fetched(scene)
    sent = scene.sent("/v1/pin-distribution/captcha")
    equal([name for name in hints if name in sent], [], "hints of a fetch without hints")


def check_wrong_code(scene):
    """a wrong authentication code gives the server's code 203 and its message"""
    code = scene.code_of("alice")
    wrong = code[:-1] + ("0" if code[-1] != "0" else "1")
    response = scene.page.call(FETCH, scene.claim("alice") | {"authCode": wrong}, scene.origin.url)
    failed(response, 203)
    equal(response["errorMessage"], "Wrong Authentication Code", "errorMessage")
    fetched(scene)  # the count of wrong codes returns to zero


def check_server_codes(scene):
    """codes of the server are passed on: bad hashMac, bad signature, spent token, unknown bank"""
    parameters = scene.fetch_parameters("alice")
    failed(scene.page.call(FETCH, parameters | {"hashMac": "00" * 32}, scene.origin.url), 205)
    failed(scene.page.call(FETCH, parameters | {"bankId": "NOBODY"}, scene.origin.url), 300)
    signed, other = scene.delivery_token("bob"), scene.delivery_token("bob")
    failed(scene.page.call(TOKEN_FETCH, signed | {"signature": other["signature"]}, scene.origin.url), 206)
    succeeded(scene.page.call(TOKEN_FETCH, other, scene.origin.url))
    failed(scene.page.call(TOKEN_FETCH, other, scene.origin.url), 210)


def check_response_as_json(scene):
    """JSON.stringify of a response, as loggers use it, contains the code and no secret"""
    response = fetched(scene)
    expected = {"errorCode": 0, "errorMessage": response["errorMessage"], "retryAfterSeconds": None}
    equal(json.loads(response["json"]), expected, "JSON.stringify")
