"""Signs the calls of a bank's back-end (RFC 9421)."""

import secrets
from collections.abc import Callable, Mapping
from datetime import datetime, timezone

from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from http_message_signatures import HTTPMessageSigner, HTTPMessageSignaturesException
from http_message_signatures.algorithms import (
    ECDSA_P256_SHA256, ED25519, HMAC_SHA256, RSA_PSS_SHA512, RSA_V1_5_SHA256, HTTPSignatureAlgorithm)

from .messages import Request

PrivateKey = Ed25519PrivateKey | EllipticCurvePrivateKey | RSAPrivateKey | bytes
"""A private key, or the secret bytes of an HMAC key."""

_ALGORITHMS: dict[str, type[HTTPSignatureAlgorithm]] = {
    "ecdsa-p256-sha256": ECDSA_P256_SHA256, "ed25519": ED25519, "hmac-sha256": HMAC_SHA256,
    "rsa-pss-sha512": RSA_PSS_SHA512, "rsa-v1_5-sha256": RSA_V1_5_SHA256,
}
# A call with one of these fields does something else than the call without it. So the server requires that they are signed.
_CONDITIONS = ("if-match", "if-none-match", "idempotency-key")
_NONCE_BYTE_COUNT = 18


class RequestSigner:
    """Signs calls with a key that the operator has registered for the bank (`card-companion issuer-key add`)."""

    def __init__(
        self, key_id: str, key: PrivateKey | Callable[[bytes], bytes], algorithm: str | None = None, *,
        clock: Callable[[], datetime] = lambda: datetime.now(timezone.utc),
        new_nonce: Callable[[], str] = lambda: secrets.token_urlsafe(_NONCE_BYTE_COUNT),
    ) -> None:
        """
        :param key_id: the ID under which the key is registered
        :param key: the private key, or a function that signs bytes with a key in an HSM or a vault. An ECDSA signature is r and s,
            32 bytes each
        :param algorithm: the registered one. It can be left out, except with a function. For an RSA key it is then rsa-pss-sha512
        :param clock: the time of the signature; it may differ from the server's by 300 seconds
        :param new_nonce: 8 to 128 characters that no other call of this key has
        :raises ValueError: the algorithm is not known, or the key is not for it
        """
        self._key_id, self._clock, self._new_nonce = key_id, clock, new_nonce
        name = algorithm or _usual_algorithm(key)
        if name not in _ALGORITHMS:
            raise ValueError(f"the algorithm {name} is not known: use one of {', '.join(_ALGORITHMS)}")
        self._signer = HTTPMessageSigner(signature_algorithm=_ALGORITHMS[name])
        self._sign = key if callable(key) else _signing_function(key, _ALGORITHMS[name])

    def sign(self, method: str, url: str, headers: Mapping[str, str] | None = None, body: bytes | None = None) -> dict[str, str]:
        """Signs a call. Send it exactly so, with what this returns added to its header fields.

        A call can be sent once: sign it again for a retry. An `Idempotency-Key` in `headers` stays the same then.

        :param url: the whole URL, as it is sent
        :param headers: the header fields; `If-Match`, `If-None-Match` and `Idempotency-Key` are signed
        :param body: the bytes that are sent
        :return: the fields `Signature-Input` and `Signature`, and `Content-Digest` if there is a body
        :raises ValueError: something in the call cannot be signed
        """
        conditions = {name.lower(): value for name, value in (headers or {}).items() if name.lower() in _CONDITIONS}
        query = ["@query"] if "?" in url else []
        signed = dict(conditions)
        message = Request(method, url, signed)
        try:
            prepared = self._signer.prepare(
                message, key_id=self._key_id, created=self._clock(), nonce=self._new_nonce(), label="sig", include_alg=False,
                covered_component_ids=["@method", "@authority", "@path", *query, *conditions], body=body or None)
            self._signer.apply(message, prepared, self._sign(prepared.signature_base))
        except HTTPMessageSignaturesException as error:
            raise ValueError(f"the call cannot be signed: {error}") from error
        return {name: value for name, value in signed.items() if name not in conditions}


def _usual_algorithm(key: object) -> str:
    match key:
        case Ed25519PrivateKey():
            return "ed25519"
        case EllipticCurvePrivateKey():
            return "ecdsa-p256-sha256"
        case RSAPrivateKey():
            return "rsa-pss-sha512"
        case bytes():
            return "hmac-sha256"
    raise ValueError("name the algorithm: only that of a private key or of an HMAC key's bytes is clear without it")


def _signing_function(key: PrivateKey, algorithm: type[HTTPSignatureAlgorithm]) -> Callable[[bytes], bytes]:
    try:
        return algorithm(private_key=key).sign
    except HTTPMessageSignaturesException as error:
        raise ValueError(f"the key is not for {algorithm.algorithm_id}: {error}") from error
