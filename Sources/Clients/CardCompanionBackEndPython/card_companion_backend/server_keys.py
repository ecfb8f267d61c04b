"""The server's public keys, from its /.well-known/jwks.json."""

import base64
import json
import time
from collections.abc import Callable
from http.client import HTTPException
from threading import Lock
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, build_opener

from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePublicKey, EllipticCurvePublicNumbers

from .errors import KeysUnavailable
from .overload import OverloadRetry

_TIMEOUT_SECONDS = 10
_BYTE_COUNT_LIMIT = 1 << 20
_HOSTS_OF_THIS_DEVICE = ("127.0.0.1", "::1", "localhost")


class _NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def fetch(url: str, retry: OverloadRetry | None = None) -> bytes:
    """What the URL answers. Redirects are not followed, and the answer has a limit of time and size.

    If the server has too much to do, it is asked up to three times.

    :raises OSError: there is no answer, or it has another status than 200
    """
    retry = retry or OverloadRetry()
    send_count = 1
    while True:
        try:
            return _fetch_once(url)
        except HTTPError as refusal:
            if not retry.wait(refusal.code, refusal.headers, _problem(refusal), send_count):
                raise
        send_count += 1


def _problem(refusal: HTTPError) -> bytes:
    """The body of an answer that can say that the server has too much to do. Empty for others, and if it cannot be read."""
    try:
        return refusal.read(_BYTE_COUNT_LIMIT) if refusal.code == 503 else b""
    except (OSError, HTTPException):
        return b""


def _fetch_once(url: str) -> bytes:
    with build_opener(_NoRedirects).open(url, timeout=_TIMEOUT_SECONDS) as answer:
        if answer.status != 200:
            raise HTTPError(url, answer.status, "the status is not 200", answer.headers, None)
        content: bytes = answer.read(_BYTE_COUNT_LIMIT + 1)
    if len(content) > _BYTE_COUNT_LIMIT:
        raise OSError(f"the answer has more than {_BYTE_COUNT_LIMIT} bytes")
    return content


class ServerKeys:
    """The server's keys. It can be used by several threads.

    The server publishes a new key before it uses it. So the keys are fetched anew if a key is not among them, but not again before
    some seconds have passed: anyone can name a key that does not exist. They are also fetched anew when they are old, so that a key
    that the server has withdrawn does not count for long.
    """

    def __init__(
        self, url: str, *, fetch: Callable[[str], bytes] = fetch, clock: Callable[[], float] = time.monotonic,
        lifetime_seconds: float = 3600, pause_seconds: float = 10,
    ) -> None:
        """
        :param url: the server's URL, such as `https://pin.example.com`; http only for this device
        :param fetch: how to fetch a URL, for example with a client certificate
        :param clock: seconds, which only ever rise
        :param lifetime_seconds: how long keys count before they are fetched anew
        :param pause_seconds: between two fetches
        :raises ValueError: the URL is wrong
        """
        parts = urlsplit(url)
        is_own = parts.scheme == "http" and parts.hostname in _HOSTS_OF_THIS_DEVICE
        if not parts.hostname or not (parts.scheme == "https" or is_own):
            raise ValueError(f"the server's URL must begin with https:// (is {url!r})")
        self._url = f"{url.rstrip('/')}/.well-known/jwks.json"
        self._fetch, self._clock, self._lock = fetch, clock, Lock()
        self._lifetime_seconds, self._pause_seconds = lifetime_seconds, pause_seconds
        self._keys: list[dict[str, Any]] = []
        self._fetched_at, self._tried_at = float("-inf"), float("-inf")
        self._failure: str | None = None

    def signing_key(self, key_id: str) -> EllipticCurvePublicKey | None:
        """The key that verifies the server's signatures with this `keyid`; None if the server has no such key.

        :raises KeysUnavailable: the keys cannot be fetched
        """
        with self._lock:
            key = self._find(key_id)
            if self._clock() - self._fetched_at >= self._lifetime_seconds or key is None:
                self._update()
                key = self._find(key_id)
            return _public_key(key) if key else None

    def encryption_key(self) -> dict[str, Any]:
        """The server's newest elliptic-curve key for sealed values, as a JWK.

        :raises KeysUnavailable: the keys cannot be fetched, or there is none
        """
        with self._lock:
            if self._clock() - self._fetched_at >= self._lifetime_seconds:
                self._update()
            for key in self._keys:
                if (key.get("use"), key.get("kty"), key.get("alg")) == ("enc", "EC", "ECDH-ES+A256KW"):
                    return key
        raise KeysUnavailable(f"{self._url} has no key of an elliptic curve for encryption")

    def _find(self, key_id: str) -> dict[str, Any] | None:
        return next((key for key in self._keys if key.get("use") == "sig" and key.get("kid") == key_id), None)

    def _update(self) -> None:
        """Fetches the keys, unless that was tried a moment ago. What came of that counts until then."""
        now = self._clock()
        if now - self._tried_at >= self._pause_seconds:
            self._tried_at, self._failure = now, None
            try:
                self._keys, self._fetched_at = _read(self._fetch(self._url)), now
            except (OSError, ValueError, HTTPException, RecursionError) as error:
                reason = getattr(error, "reason", error)
                self._failure = f"the server's keys cannot be fetched from {self._url}: {reason}"
        if self._failure:
            raise KeysUnavailable(self._failure)


def _read(content: bytes) -> list[dict[str, Any]]:
    value = json.loads(content)
    keys = value.get("keys") if isinstance(value, dict) else None
    if not isinstance(keys, list) or not all(isinstance(key, dict) for key in keys):
        raise ValueError("the answer has no list of keys")
    return keys


def _public_key(key: dict[str, Any]) -> EllipticCurvePublicKey:
    try:
        if (key.get("kty"), key.get("crv"), key.get("alg", "ES256")) != ("EC", "P-256", "ES256"):
            raise ValueError("it is not a key of P-256 for ES256")
        return EllipticCurvePublicNumbers(_number(key["x"]), _number(key["y"]), SECP256R1()).public_key()
    except (ValueError, KeyError, TypeError) as error:
        raise KeysUnavailable(f"the server's key {key.get('kid')!r} cannot be read: {error}") from error


def _number(text: str) -> int:
    return int.from_bytes(base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True))
