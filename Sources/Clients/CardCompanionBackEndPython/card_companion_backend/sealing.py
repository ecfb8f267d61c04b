"""Encrypts PINs and codes for the server, and opens the PINs that cardholders have chosen (JWE, RFC 7516)."""

import json
from collections.abc import Mapping
from typing import Any, Literal

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from jwcrypto.common import JWException
from jwcrypto.jwe import JWE
from jwcrypto.jwk import JWK

from .errors import SealedPINRefused
from .server_keys import ServerKeys

_SEALED_CHARACTERS = 16


def seal(
    keys: ServerKeys, content: Literal["pin", "authenticationCode"], bank_id: str, unique_id: str, text: str, *,
    request_id: str | None = None,
) -> str:
    """Encrypts a PIN or an authentication code to the server's key. The padding hides its length.

    The header names the bank and the cardholder. So nobody can use the value for another one.

    :param request_id: only for what an app sends: the token's IdTransaction, or the timestamp
    :return: a compact JWE, for the member `pin` or `authenticationCode`
    :raises KeysUnavailable: the server's keys cannot be fetched
    """
    return _seal(keys, content, bank_id, unique_id, text.ljust(_SEALED_CHARACTERS).encode(), request_id)


def seal_export(
    keys: ServerKeys, bank_id: str, unique_id: str, pan: str, key: str, *, idempotency_key: str,
    format: Literal["iso-3", "iso-4", "iso-0"] | None = None, method: Literal["pvv", "ibm3624-offset"] | None = None,
) -> str:
    """Encrypts what the issuer's host needs of a defined PIN: a PIN block in a format, or a value by a method.

    A repetition of the call must have the same value, not one that was made anew.

    :param key: the label of the bank's key
    :param idempotency_key: that of the call
    :return: a compact JWE, for the member `pinExport` of `pin:translate` (format) or `pin:verification-value` (method)
    :raises KeysUnavailable: the server's keys cannot be fetched
    """
    if (format is None) == (method is None):
        raise ValueError("name a format or a method")
    wish = {"pan": pan, "key": key} | ({"format": format} if format is not None else {"method": method})
    return _seal(keys, "pinExport", bank_id, unique_id, json.dumps(wish).encode(), idempotency_key)


def _seal(
    keys: ServerKeys, content: str, bank_id: str, unique_id: str, plaintext: bytes, request_id: str | None
) -> str:
    key = keys.encryption_key()
    header = {"alg": key["alg"], "enc": "A256GCM", "kid": key["kid"], "cty": content, "iss": bank_id, "sub": unique_id}
    if request_id is not None:
        header["jti"] = request_id
    token = JWE(plaintext, json.dumps(header), recipient=JWK(**key))
    sealed: str = token.serialize(compact=True)
    return sealed


def open_defined_pin(event: Mapping[str, Any], bank_id: str, private_key: RSAPrivateKey) -> str:
    """Decrypts the PIN of an event `pin.defined`, whose signature was verified.

    :param private_key: the key of the bank's encryption certificate
    :raises SealedPINRefused: the key does not open it, or the header names another bank, cardholder or event
    """
    try:
        sealed = event["data"]["pin"]
    except (KeyError, TypeError) as error:
        raise SealedPINRefused("the event has no PIN that this key opens") from error
    names = {"cty": "pin", "iss": bank_id, "sub": event.get("uniqueId"), "jti": event.get("id")}
    return _open(sealed, names, private_key, "the event has no PIN that this key opens", "event").decode().rstrip(" ")


def open_export(
    sealed: str, bank_id: str, unique_id: str, private_key: RSAPrivateKey, *, idempotency_key: str
) -> dict[str, str]:
    """Decrypts the member `pinExport` of an answer: `block` and `kcv`, or `value`.

    :param private_key: the key of the bank's encryption certificate
    :raises SealedPINRefused: the key does not open it, or the header names another bank, cardholder or call
    """
    names = {"cty": "pinExport", "iss": bank_id, "sub": unique_id, "jti": idempotency_key}
    plaintext = _open(sealed, names, private_key, "the answer has no export that this key opens", "call")
    exported: dict[str, str] = json.loads(plaintext)
    return exported


def _open(
    sealed: str, names: Mapping[str, Any], private_key: RSAPrivateKey, unreadable: str, origin: str
) -> bytes:
    token = JWE(algs=["RSA-OAEP-256", "A256GCM"])
    try:
        token.deserialize(sealed, JWK.from_pyca(private_key))
    except (JWException, ValueError, TypeError, KeyError) as error:
        raise SealedPINRefused(unreadable) from error
    for name, value in names.items():
        if token.jose_header.get(name) != value:
            raise SealedPINRefused(f"the PIN is not for this {origin}: its header has another {name}")
    plaintext: bytes = token.payload
    return plaintext
