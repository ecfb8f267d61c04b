"""What a server seals for the client. Here jwcrypto is the server."""

import base64
import hashlib
import hmac
import json
import secrets

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.padding import MGF1, OAEP
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import load_der_public_key

from checks import PIXEL, delivery_plaintext, equal, failed, notify_key, sealed_answer, succeeded
from checks.operations import FETCH, GOOD, NOTIFY, TOKEN_FETCH
from origin import Reply

# Another PNG, so that the order of images can be seen.
OTHER_PIXELS = [PIXEL[:-8] + end for end in ("5ErkJggg", "5ErkJgga")]


def delivered(scene, plaintext, operation=FETCH, hints=None, session="shared", **header):
    with scene.origin.reaction(lambda _, request: Reply(sealed_answer(request, plaintext, **header))) as host:
        return scene.page.call(operation, GOOD[operation] | (hints or {}), host, session)


def notify_hash(key, text):
    return hmac.new(base64.urlsafe_b64decode(key + "="), text.encode(), hashlib.sha256).hexdigest()


def check_captcha(scene):
    """jwcrypto's RSA-OAEP-256 and ECDH-ES+A256KW open, also with apu and apv"""
    for operation, header in ((FETCH, {}), (TOKEN_FETCH, {}), (TOKEN_FETCH, {"apu": "QWxpY2U", "apv": "Qm9i"})):
        response = succeeded(delivered(scene, delivery_plaintext(freeField="é€😀"), operation, **header))
        equal((response["pin"], response["images"]), (PIXEL, [PIXEL]), "pin and images")
        equal((response["freeField"], response["text"]), ("é€😀", None), "freeField and text")


def check_digits(scene):
    """images of digits come in the PIN's order, and there is no captcha"""
    images = [PIXEL, *OTHER_PIXELS, PIXEL]
    plaintext = delivery_plaintext(format="digits", images=images, order=[2, 0, 3, 1])
    response = succeeded(delivered(scene, plaintext))
    equal(response["images"], [images[place] for place in (2, 0, 3, 1)], "images")
    equal((response["pin"], response["text"]), (None, None), "pin and text")


def check_text(scene):
    """the digits themselves come in `text` and nowhere else, if the app takes that format"""
    hints = {"formats": ["captcha", "digits", "text"]}
    for images in ([], None):
        plaintext = delivery_plaintext(format="text", images=images, text="4391")
        for operation in (FETCH, TOKEN_FETCH):
            response = succeeded(delivered(scene, plaintext, operation, hints))
            equal((response["text"], response["pin"], response["images"]), ("4391", None, []), "text, pin and images")
            assert "4391" not in response["json"], "JSON.stringify of the response contains the PIN"


def check_text_not_asked_for(scene):
    """an app that does not take text does not get it: the code is 90011"""
    plaintext = delivery_plaintext(format="text", images=[], text="4391")
    for hints in ({}, {"formats": []}, {"formats": ["captcha", "digits"]}):
        failed(delivered(scene, plaintext, FETCH, hints), 90011)


def check_bad_text(scene):
    """a text that is not the PIN's digits is refused: 90011, or 90013 if only its length is wrong"""
    hints = {"formats": ["text"]}
    for text in (None, 4391, "43 1", "٤٣٩١", "43a1"):
        failed(delivered(scene, delivery_plaintext(format="text", images=[], text=text), FETCH, hints), 90011)
    for text, length, images in (("439", 4, []), ("43911", 4, []), ("439", 3, []), ("4391", 4, [PIXEL])):
        plaintext = delivery_plaintext(format="text", images=images, text=text, length=length)
        equal(delivered(scene, plaintext, FETCH, hints)["errorCode"], 90013, f"errorCode of {text}")


def check_bad_plaintexts(scene):
    """a plaintext with a member that is missing or of another type gives 90011"""
    bad = [{"length": "4"}, {"length": 4.5}, {"images": "x"}, {"images": [7]}, {"images": [PIXEL + "\n"]},
           {"images": [PIXEL.rstrip("=")]}, {"format": "sound"}, {"notifyKey": 7}, {"freeField": 7}, {"order": "0123"},
           {"format": "digits", "images": [PIXEL] * 4, "order": ["0", "1", "2", "3"]}]
    for changes in bad:
        response = delivered(scene, delivery_plaintext(**changes))
        equal((changes, response["errorCode"]), (changes, 90011), response["errorMessage"])
    failed(delivered(scene, '{"length":4,' + delivery_plaintext()[1:]), 90011)


def check_incomplete_pin(scene):
    """images that do not match the PIN give 90013 with a session, whose notify can tell the server"""
    key, session = notify_key(), scene.session()
    response = delivered(scene, delivery_plaintext(images=[PIXEL, PIXEL], notifyKey=key), session=session)
    equal((response["errorCode"], response["sessionId"]), (90013, "a session"), "errorCode and sessionId")
    equal((response["pin"], response["images"]), (None, []), "pin and images")
    parameters = GOOD[NOTIFY] | {"sessionId": "a session", "status": 1}
    with scene.origin.reaction(lambda *_: Reply({"errorCode": 0, "errorMessage": ""})) as host:
        succeeded(scene.page.call(NOTIFY, parameters, host, session))
    sent = scene.origin.requests[-1][1]
    equal(sent, parameters | {"hash": notify_hash(key, "bua session1")}, "the notify")


def check_many_sessions(scene):
    """the session keeps the newest 64 notify keys"""
    session = scene.session()
    for number in range(65):
        def react(_, request, number=number):
            return Reply(sealed_answer(request, delivery_plaintext()) | {"sessionId": f"session {number}"})
        with scene.origin.reaction(react) as host:
            succeeded(scene.page.call(TOKEN_FETCH, GOOD[TOKEN_FETCH], host, session))
    with scene.origin.reaction(lambda *_: Reply({"errorCode": 201, "errorMessage": ""})) as host:
        codes = [
            scene.page.call(NOTIFY, GOOD[NOTIFY] | {"sessionId": f"session {number}"}, host, session)["errorCode"]
            for number in (0, 1, 64)]
    equal(codes, [90000, 201, 201], "codes of the oldest, the second and the newest notify")


def check_mixed_algorithms(scene):
    """a value sealed with the other content encryption or to another algorithm gives 90005"""
    failed(delivered(scene, delivery_plaintext(), enc="A128GCM"), 90005)
    failed(delivered(scene, delivery_plaintext(), enc="A256CBC-HS512"), 90005)
    failed(delivered(scene, delivery_plaintext(), alg="RSA-OAEP"), 90005)
    failed(delivered(scene, delivery_plaintext(), TOKEN_FETCH, alg="ECDH-ES"), 90005)
    failed(delivered(scene, json.dumps("a text"), zip="DEF"), 90005)


def check_iv_length(scene):
    """a value whose IV has not 12 bytes gives 90005, even if it is sealed well"""
    for byte_count, code in ((12, 0), (11, 90005), (16, 90005)):
        def react(_, request, byte_count=byte_count):
            pin = sealed_by_hand(request, byte_count)
            return Reply({"errorCode": 0, "errorMessage": "", "pin": pin, "sessionId": "a session"})

        with scene.origin.reaction(react) as host:
            response = scene.page.call(FETCH, GOOD[FETCH], host)
        equal((byte_count, response["errorCode"]), (byte_count, code), response["errorMessage"])


def sealed_by_hand(request, iv_byte_count):
    """The JWE of a delivery. No library of JOSE seals with another IV than one of 12 bytes."""
    key, iv = secrets.token_bytes(32), secrets.token_bytes(iv_byte_count)
    public = load_der_public_key(base64.b64decode(request["rsaPublicKey"]))
    encrypted_key = public.encrypt(key, OAEP(MGF1(hashes.SHA256()), hashes.SHA256(), None))
    header = base64url(b'{"alg":"RSA-OAEP-256","enc":"A256GCM"}')
    sealed = AESGCM(key).encrypt(iv, delivery_plaintext().encode(), header.encode())
    return ".".join([header, *map(base64url, (encrypted_key, iv, sealed[:-16], sealed[-16:]))])


def base64url(octets):
    return base64.urlsafe_b64encode(octets).decode().rstrip("=")
