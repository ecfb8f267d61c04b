"""Parameters and settings that are wrong. The client refuses them, and sends nothing."""

from checks import delivery_plaintext, equal, failed, sealed_answer, succeeded
from checks.operations import (
    DEFINE, FETCH, GOOD, KEYPAD_DEFINE, NOTIFY, TOKEN_DEFINE, TOKEN_FETCH, TOKEN_NOTIFY,
)
from origin import Reply

# Stands for half of a surrogate pair, which UTF-8 has no form for. The page puts it in.
LONE_SURROGATE = "<half of a surrogate pair>"

# Without keypadId, the session looks for the keypad that it has fetched.
BAD_VALUES = {
    "pin": [None, "", 4391, {"bytes": []}], "keypadId": ["", 7, {}, LONE_SURROGATE],
    "status": [None, "", 3, -1, 0.5, "0", {}], "keypadSize": [None, "", 12.5, "12", {}],
}
BAD_PINS = [
    "123", "1234567", "12a4", "12 4", "-123", "+123", "１２３４", "١٢٣٤", "12345678901234567", "1234\n",
    {"bytes": [49, 50, 51]}, {"bytes": [49, 50, 51, 58]},
]
BAD_INDEXES = [
    "0,1,2", "0,1,2,3,4,5,6", "0,1,,3", "0,1,2,60", "0,1,2,-3", "[0,1,2,3", "0;1;2;3", "123", "a", "1e1,1,1,1",
]
BAD_HINTS = [
    ("style", "wild"), ("style", 1), ("theme", "blue"), ("scale", 4), ("scale", "2"), ("formats", "text"),
    ("formats", ["text", "sound"]),
]
BAD_HOST_URLS = [
    "", None, 7, "//x", "https://", "https:pin", "pin.example.com", "ftp://pin.example.com", " https://pin.example.com",
    "http://192.0.2.1", "http://pin.example.com", "http://127.0.0.1.x", "http://localhost.example.com",
    "https://user@pin.example.com", "https://u:p@pin.example.com", "https://pin.example.com:port",
    "https://pin.example.com?a=b", "https://pin.example.com#a", "https://pin.example.com\\a",
    "https://pin.example.com/a b",
]
BAD_SETTINGS = [
    {"timeoutSecond": 1}, {"timeoutSeconds": 0}, {"timeoutSeconds": "1"}, {"allowsPlainHTTP": 1},
    {"pinnedServerKeyThumbprints": "AA"}, {"pinnedServerKeyThumbprint": ["AA"]}, {"maximumAnswerByteCount": None},
    {"definedPINLengths": [4, 6]}, {"definedPINLengths": {"minimum": 3, "maximum": 6}},
    {"definedPINLengths": {"minimum": 6, "maximum": 4}}, {"definedPINLengths": {"minimum": 4, "maximum": 13}},
]


def session_with_delivery(scene):
    """A session that knows the notify key of the session in GOOD."""
    def react(_, request):
        return Reply(sealed_answer(request, delivery_plaintext()) | {"sessionId": GOOD[NOTIFY]["sessionId"]})

    session = scene.session()
    with scene.origin.reaction(react) as host:
        succeeded(scene.page.call(FETCH, GOOD[FETCH], host, session))
    return session


def check_bad_parameters(scene):
    """a parameter that is missing, empty or of another type gives 90000 and nothing is sent"""
    session = session_with_delivery(scene)
    sent = len(scene.origin.requests)
    for operation, good in GOOD.items():
        for bad in (None, "a text", 7):
            failed(scene.page.call(operation, bad, scene.origin.url, session), 90000)
        for name in good:
            for bad in BAD_VALUES.get(name, [None, "", 12.5, {}, [], LONE_SURROGATE]):
                response = scene.page.call(operation, good | {name: bad}, scene.origin.url, session)
                equal((operation, name, bad, response["errorCode"]), (operation, name, bad, 90000), "the code")
    equal(len(scene.origin.requests), sent, "requests")
    for operation in GOOD:  # the server knows nothing of these, but they are sent
        response = scene.page.call(operation, GOOD[operation], scene.origin.url, session)
        assert 0 < response["errorCode"] < 90000, f"{operation} with good parameters gave {response['errorCode']}"


def check_bad_hints(scene):
    """a hint that is none gives 90000 and nothing is sent"""
    sent = len(scene.origin.requests)
    for name, value in BAD_HINTS:
        for operation in (FETCH, TOKEN_FETCH):
            failed(scene.page.call(operation, GOOD[operation] | {name: value}, scene.origin.url), 90000)
    equal(len(scene.origin.requests), sent, "requests")


def check_bad_tokens(scene):
    """a token that is not a JSON object gives 90000; so does one without names, if its notify needs them"""
    for token in ("token", "[]", "null", "7", '{"IdBEL":7}', '{"IdBEL":"a","IdBEL":"b"}', '{"IdBEL":"\\ud83d"}'):
        failed(scene.page.call(TOKEN_DEFINE, GOOD[TOKEN_DEFINE] | {"token": token}, scene.origin.url), 90000)
    session = session_with_delivery(scene)
    for token in ('{"IdBEL":"b"}', '{"IdPorteur":"u"}', '{"IdBEL":"b","IdPorteur":""}'):
        failed(scene.page.call(TOKEN_NOTIFY, GOOD[TOKEN_NOTIFY] | {"token": token}, scene.origin.url, session), 90000)


def check_bad_pins(scene):
    """a PIN that is not 4 to 6 digits gives 90007 and nothing is sent"""
    sent = len(scene.origin.requests)
    for pin in BAD_PINS:
        for operation in (DEFINE, TOKEN_DEFINE):
            failed(scene.page.call(operation, GOOD[operation] | {"pin": pin}, scene.origin.url), 90007)
    for indexes in BAD_INDEXES:
        failed(scene.page.call(KEYPAD_DEFINE, GOOD[KEYPAD_DEFINE] | {"indexes": indexes}, scene.origin.url), 90007)
    equal(len(scene.origin.requests), sent, "requests")


def check_bad_host_urls(scene):
    """a hostUrl that is malformed or not https gives 90000"""
    session = session_with_delivery(scene)
    for host in BAD_HOST_URLS:
        for operation in GOOD:
            response = scene.page.call(operation, GOOD[operation], host, session)
            equal((host, response["errorCode"]), (host, 90000), operation)


def check_host_url_with_path(scene):
    """a path in hostUrl is kept, with and without a slash at its end"""
    with scene.origin.reaction(lambda *_: Reply({"errorCode": 300, "errorMessage": "no"})) as host:
        for url in (host, f"{host}/"):
            failed(scene.page.call(FETCH, GOOD[FETCH], url), 300)
            equal(scene.origin.requests[-1][0], "/v1/pin-distribution/captcha", "the path")


def check_bad_sessions(scene):
    """what is not a session gives 90000, and a setting that is unknown or bad is refused"""
    for operation, parameters in GOOD.items():
        failed(scene.page.call(operation, parameters, scene.origin.url, "no session"), 90000)
    for settings in BAD_SETTINGS:
        equal((settings, scene.page.run("newSession", "bad", settings)), (settings, "TypeError"), "the new session")


def check_keys_cannot_be_made(scene):
    """a browser that makes no keys gives 90004 (RSA) and 90008 (EC)"""
    session = scene.session(fails_to_make_keys=True)
    failed(scene.page.call(FETCH, GOOD[FETCH], scene.origin.url, session), 90004)
    failed(scene.page.call(TOKEN_FETCH, GOOD[TOKEN_FETCH], scene.origin.url, session), 90008)


def check_page_without_webcrypto(scene):
    """a page that came by http from another machine has no WebCrypto: 90004 (RSA), 90008 (EC), 90005 (definition)"""
    with scene.page.elsewhere(f"{scene.origin.insecure_url}/page/index.html"):
        session = scene.session({"allowsPlainHTTP": True})
        expected = {FETCH: 90004, TOKEN_FETCH: 90008, DEFINE: 90005, TOKEN_DEFINE: 90005, KEYPAD_DEFINE: 90005}
        for operation, code in expected.items():
            failed(scene.page.call(operation, GOOD[operation], scene.origin.insecure_url, session), code)
