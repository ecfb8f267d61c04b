"""Receives the server's webhooks."""

import json
import logging
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any
from wsgiref.types import StartResponse, WSGIEnvironment

from .errors import KeysUnavailable, SignatureRefused
from .verification import SignatureVerifier

_LOGGER = logging.getLogger(__name__)
_BODY_LIMIT = 65_536


class WebhookReceiver:
    """A WSGI application that verifies each webhook and passes its event to the bank's function. Any WSGI server can run it.

    | status | meaning |
    |---|---|
    | 204 | the bank's function has returned. The server does not send the event again, and may erase the PIN in it |
    | 400, 401, 405, 411, 413 | it is not a webhook of the server: the function was not called |
    | 500, 503 | the function has raised, or the server's keys could not be fetched. The server sends the event again |
    """

    def __init__(
        self, url: str, verifier: SignatureVerifier, take: Callable[[dict[str, Any]], None], *,
        body_limit_bytes: int = _BODY_LIMIT,
    ) -> None:
        """
        :param url: the URL that the operator has registered (`card-companion webhook set`). Behind a proxy: the public one
        :param verifier: verifies the signatures
        :param take: stores an event. It can be called by several threads, and more than once for an event: ignore an `id` that is
            already stored. It should return within some seconds, as the server waits no longer than 15
        :param body_limit_bytes: the greatest size of a body that is read
        """
        self._url, self._verifier, self._take, self._body_limit = url, verifier, take, body_limit_bytes

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        status = self._answer(environ)
        empty = [] if status == HTTPStatus.NO_CONTENT else [("Content-Length", "0")]
        allowed = [("Allow", "POST")] if status == HTTPStatus.METHOD_NOT_ALLOWED else []
        start_response(f"{status.value} {status.phrase}", empty + allowed)
        return []

    def _answer(self, environ: WSGIEnvironment) -> HTTPStatus:
        if environ["REQUEST_METHOD"] != "POST":
            return HTTPStatus.METHOD_NOT_ALLOWED
        length = environ.get("CONTENT_LENGTH", "")
        if "HTTP_TRANSFER_ENCODING" in environ or not (length.isascii() and length.isdecimal()):
            return HTTPStatus.LENGTH_REQUIRED
        if len(length) > len(str(self._body_limit)) or int(length) > self._body_limit:
            return HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        body = environ["wsgi.input"].read(int(length))
        if len(body) != int(length):
            return HTTPStatus.BAD_REQUEST
        return self._answer_body(_fields(environ), body)

    def _answer_body(self, fields: dict[str, str], body: bytes) -> HTTPStatus:
        try:
            self._verifier.verify_webhook(self._url, fields, body)
        except SignatureRefused as refusal:
            _LOGGER.warning("refused a webhook: %s", refusal)
            return HTTPStatus.UNAUTHORIZED
        except KeysUnavailable as error:
            _LOGGER.error("could not verify a webhook: %s", error)
            return HTTPStatus.SERVICE_UNAVAILABLE
        try:
            event = json.loads(body)
        except ValueError:
            return HTTPStatus.BAD_REQUEST
        try:
            self._take(event)
        except Exception:
            _LOGGER.exception("an event was not taken, and will come again")
            return HTTPStatus.INTERNAL_SERVER_ERROR
        return HTTPStatus.NO_CONTENT


def _fields(environ: WSGIEnvironment) -> dict[str, str]:
    prefix = "HTTP_"
    fields = {name[len(prefix):].replace("_", "-"): value for name, value in environ.items() if name.startswith(prefix)}
    return fields | {"Content-Type": environ.get("CONTENT_TYPE", "")}
