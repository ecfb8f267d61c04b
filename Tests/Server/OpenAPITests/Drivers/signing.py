"""Signs calls of the sandbox bank's back-end with the package for back-ends, and verifies the server's answers (RFC 9421).

http-message-signatures verifies the answers, and no code of ours.
"""

import json
import sys
from pathlib import Path

import httpx
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from http_message_signatures import HTTPMessageVerifier, MappingKeyResolver
from http_message_signatures.algorithms import ECDSA_P256_SHA256
from jwcrypto import jwk
from requests.auth import AuthBase

sys.path.insert(0, str(Path(__file__).resolve().parents[4] / "Sources/Clients/CardCompanionBackEndPython"))

from card_companion_backend import RequestSigner


def issuer_signer(folder):
    """Signs with the key of the sandbox bank."""
    key = load_pem_private_key((folder / "issuer-key.pem").read_bytes(), None)
    return RequestSigner(json.loads((folder / "sandbox.json").read_text())["issuerKeyId"], key)


def signable(headers):
    """The fields that are printable. The server refuses others."""
    texts = {name: value.decode("latin-1") if isinstance(value, bytes) else value for name, value in headers.items()}
    return {name: text for name, text in texts.items() if text.isascii() and text.isprintable()}


class IssuerSignature(AuthBase):
    """An auth handler for requests that signs each request before it is sent."""

    def __init__(self, folder):
        self.signer = issuer_signer(folder)

    def __call__(self, request):
        request.headers.pop("Content-Digest", None)
        body = request.body.encode() if isinstance(request.body, str) else request.body
        request.headers.update(self.signer.sign(request.method, request.url, signable(request.headers), body))
        return request


def answer_verifier(server_keys):
    """Verifies answers that are signed with one of the server's published keys."""
    keys = {key["kid"]: jwk.JWK(**key).export_to_pem() for key in server_keys if key["use"] == "sig"}
    return HTTPMessageVerifier(
        signature_algorithm=ECDSA_P256_SHA256, key_resolver=MappingKeyResolver(public_keys=keys, private_keys={}))


class ClientSignature(httpx.Auth):
    """An auth flow for httpx, and so for generated clients, that signs each request before it is sent."""

    requires_request_body = True

    def __init__(self, folder):
        self.signer = issuer_signer(folder)

    def auth_flow(self, request):
        request.headers.update(self.signer.sign(request.method, str(request.url), request.headers, request.content))
        yield request
