"""Verifies the server's signatures of its webhooks and answers (RFC 9421)."""

from datetime import timedelta

from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
from http_message_signatures import (
    HTTPMessageSignaturesException, HTTPMessageVerifier, HTTPSignatureKeyResolver, InvalidSignature)
from http_message_signatures.algorithms import ECDSA_P256_SHA256

from .errors import KeysUnavailable, SignatureRefused
from .messages import Answer, Fields, Request
from .server_keys import ServerKeys


class SignatureVerifier:
    """Verifies that the server has signed a message: what it covers, its age, its body's digest, and that there is one signature.

    The server signs each attempt to deliver a webhook anew. A message that comes twice is an event that comes twice: recognize it
    by its `id`.
    """

    def __init__(self, keys: ServerKeys, maximum_age_seconds: float = 300) -> None:
        """
        :param keys: the server's keys
        :param maximum_age_seconds: how old a signature can be; it may be some seconds in the future
        """
        self._maximum_age = timedelta(seconds=maximum_age_seconds)
        self._verifier = HTTPMessageVerifier(signature_algorithm=ECDSA_P256_SHA256, key_resolver=_Resolver(keys))

    def verify_webhook(self, url: str, headers: Fields, body: bytes) -> None:
        """Verifies a webhook.

        :param url: the URL that the operator has registered (`card-companion webhook set`), not one from the request: the sender
            decides about that
        :raises SignatureRefused: the server has not sent this to this URL
        :raises KeysUnavailable: the server's keys cannot be fetched
        """
        query = ["@query"] if "?" in url else []
        self._verify(Request("POST", url, headers), ["@method", "@authority", "@path", *query], body)

    def verify_answer(self, status: int, headers: Fields, body: bytes) -> None:
        """Verifies an answer that has events. Anyone can seal a PIN to the bank's certificate, so do not process others.

        The signature does not say which call it answers: compare `bankId` and `after` with those of the call.

        :raises SignatureRefused: the server has not sent this
        :raises KeysUnavailable: the server's keys cannot be fetched
        """
        self._verify(Answer(status, headers), ["@status"], body)

    def _verify(self, message: Request | Answer, components: list[str], body: bytes) -> None:
        try:
            self._verifier.verify(
                message, body=body, require_components=[*components, "content-digest"], max_age=self._maximum_age)
        except InvalidSignature as refusal:
            if isinstance(refusal.__cause__, KeysUnavailable):
                raise refusal.__cause__
            raise SignatureRefused(str(refusal)) from refusal
        except HTTPMessageSignaturesException as refusal:
            raise SignatureRefused(str(refusal)) from refusal


class _Resolver(HTTPSignatureKeyResolver):
    def __init__(self, keys: ServerKeys) -> None:
        self._keys = keys

    def resolve_public_key(self, key_id: str) -> EllipticCurvePublicKey:
        key = self._keys.signing_key(key_id)
        if key is None:
            raise InvalidSignature("the server has no key with this keyid")
        return key
