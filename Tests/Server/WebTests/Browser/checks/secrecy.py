"""What stays in the page's memory, and what is sent beside a request's members."""

from checks import equal, succeeded
from checks.operations import DEFINE, FETCH, TOKEN_DEFINE, TOKEN_FETCH


def watched(scene, operation, parameters):
    answer = scene.page.run("watched", operation, parameters, scene.origin.url)
    succeeded(answer["response"])
    return answer


def expect_wiped(answer, *expected):
    """Each of these steps has left a buffer, and all buffers are zero now."""
    equal(sorted({step for step, _ in answer["wiped"]}), sorted(expected), "the steps with a secret buffer")
    equal([step for step, is_wiped in answer["wiped"] if not is_wiped], [], "the buffers that are not wiped")


def check_fetch_by_code(scene):
    """a fetch by code wipes the plaintext and the notify key, and no script can read a key"""
    answer = watched(scene, FETCH, scene.fetch_parameters("alice"))
    expect_wiped(answer, "decrypt", "importKey HMAC")
    equal(answer["extractable"], [
        ["generated", "RSA-OAEP", False], ["unwrapped", "AES-GCM", False], ["imported", "HMAC", False],
    ], "the keys")


def check_fetch_by_token(scene):
    """a fetch by token also wipes the shared secret, the input of the Concat KDF and the wrapping key"""
    answer = watched(scene, TOKEN_FETCH, scene.delivery_token("bob"))
    expect_wiped(answer, "decrypt", "deriveBits", "digest", "importKey AES-KW", "importKey HMAC")
    equal(answer["extractable"], [
        ["generated", "ECDH", False], ["imported", "AES-KW", False], ["unwrapped", "AES-GCM", False],
        ["imported", "HMAC", False],
    ], "the keys")


def check_define_by_hmac(scene):
    """a definition wipes the padded PIN. Only the content key, which WebCrypto has to wrap, could be exported"""
    answer = watched(scene, DEFINE, scene.claim("carol") | {"pin": "4391"})
    expect_wiped(answer, "encrypt")
    equal(answer["extractable"], [["generated", "AES-GCM", True]], "the keys")


def check_define_by_token(scene):
    """a definition by token also wipes what the key agreement leaves"""
    answer = watched(scene, TOKEN_DEFINE, scene.bank.token("carol", "02") | {"pin": "4391"})
    expect_wiped(answer, "encrypt", "deriveBits", "digest", "importKey AES-KW")
    equal(answer["extractable"], [
        ["generated", "AES-GCM", True], ["generated", "ECDH", False], ["imported", "AES-KW", False],
    ], "the keys")


def check_no_cookies(scene):
    """a request has no cookies and does not name the page, though the page has cookies"""
    scene.page.driver.add_cookie({"name": "visitor", "value": "1"})
    succeeded(scene.page.call(FETCH, scene.fetch_parameters("alice"), scene.origin.url))
    fields = scene.origin.fields
    equal(fields["content-type"], "application/json", "Content-Type")
    equal([name for name in ("cookie", "referer", "authorization") if name in fields], [], "fields that say more")
    scene.page.driver.delete_all_cookies()
