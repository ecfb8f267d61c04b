"""Signs calls of the sandbox bank's back-end, and verifies the server's answers (RFC 9421).

It uses http-message-signatures, not code of the server.
"""

import json
import secrets

import httpx
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from http_message_signatures import HTTPMessageSigner, HTTPMessageVerifier, HTTPSignatureKeyResolver, MappingKeyResolver
from http_message_signatures.algorithms import ECDSA_P256_SHA256, ED25519
from jwcrypto import jwk
from requests import Request
from requests.auth import AuthBase


CONDITIONAL = ["if-match", "if-none-match", "idempotency-key"]


def can_be_signed(value):
    """Whether a field is there, and printable. The server refuses one that is not printable."""
    text = value.decode("latin-1") if isinstance(value, bytes) else value
    return text is not None and text.isascii() and text.isprintable()


class IssuerSignature(AuthBase):
    """An auth handler for requests that signs each request before it is sent."""

    def __init__(self, folder):
        key = load_pem_private_key((folder / "issuer-key.pem").read_bytes(), None)
        self.key_id = json.loads((folder / "sandbox.json").read_text())["issuerKeyId"]
        self.signer = HTTPMessageSigner(signature_algorithm=ED25519, key_resolver=OneKey(key))

    def __call__(self, request):
        request.headers.pop("Content-Digest", None)
        body = request.body.encode() if isinstance(request.body, str) else request.body
        components = ["@method", "@authority", "@path"] + (["@query"] if "?" in request.url else [])
        components += [name for name in CONDITIONAL if can_be_signed(request.headers.get(name))]
        nonce = secrets.token_urlsafe(16)
        self.signer.sign(
            request, key_id=self.key_id, nonce=nonce, covered_component_ids=components, body=body or None)
        return request


class OneKey(HTTPSignatureKeyResolver):
    def __init__(self, key):
        self.key = key

    def resolve_private_key(self, key_id):
        return self.key


def answer_verifier(server_keys):
    """Verifies answers that are signed with one of the server's published keys."""
    keys = {key["kid"]: jwk.JWK(**key).export_to_pem() for key in server_keys if key["use"] == "sig"}
    return HTTPMessageVerifier(
        signature_algorithm=ECDSA_P256_SHA256, key_resolver=MappingKeyResolver(public_keys=keys, private_keys={}))


class ClientSignature(httpx.Auth):
    """An auth flow for httpx, and so for generated clients, that signs each request before it is sent."""

    requires_request_body = True

    def __init__(self, folder):
        self.signature = IssuerSignature(folder)

    def auth_flow(self, request):
        prepared = Request(request.method, str(request.url), request.headers, data=request.content).prepare()
        self.signature(prepared)
        for name in ("Content-Digest", "Signature-Input", "Signature"):
            if name in prepared.headers:
                request.headers[name] = prepared.headers[name]
        yield request
