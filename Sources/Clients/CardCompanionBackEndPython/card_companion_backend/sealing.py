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
    key = keys.encryption_key()
    header = {"alg": key["alg"], "enc": "A256GCM", "kid": key["kid"], "cty": content, "iss": bank_id, "sub": unique_id}
    if request_id is not None:
        header["jti"] = request_id
    token = JWE(text.ljust(_SEALED_CHARACTERS).encode(), json.dumps(header), recipient=JWK(**key))
    sealed: str = token.serialize(compact=True)
    return sealed


def open_defined_pin(event: Mapping[str, Any], bank_id: str, private_key: RSAPrivateKey) -> str:
    """Decrypts the PIN of an event `pin.defined`, whose signature was verified.

    :param private_key: the key of the bank's encryption certificate
    :raises SealedPINRefused: the key does not open it, or the header names another bank, cardholder or event
    """
    token = JWE(algs=["RSA-OAEP-256", "A256GCM"])
    try:
        token.deserialize(event["data"]["pin"], JWK.from_pyca(private_key))
    except (JWException, ValueError, TypeError, KeyError) as error:
        raise SealedPINRefused("the event has no PIN that this key opens") from error
    names = {"cty": "pin", "iss": bank_id, "sub": event.get("uniqueId"), "jti": event.get("id")}
    for name, value in names.items():
        if token.jose_header.get(name) != value:
            raise SealedPINRefused(f"the PIN is not for this event: its header has another {name}")
    pin: bytes = token.payload
    return pin.decode().rstrip(" ")
