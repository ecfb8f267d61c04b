"""For a bank's back-end: signs its calls to Card Companion, and verifies the server's answers and webhooks."""

from .errors import BackEndError, KeysUnavailable, SealedPINRefused, SignatureRefused
from .overload import OverloadRetry
from .sealing import open_defined_pin, open_export, seal, seal_export
from .server_keys import ServerKeys
from .signing import RequestSigner
from .verification import SignatureVerifier
from .webhook import WebhookReceiver

__all__ = [
    "BackEndError", "KeysUnavailable", "OverloadRetry", "RequestSigner", "SealedPINRefused", "ServerKeys", "SignatureRefused",
    "SignatureVerifier", "WebhookReceiver", "open_defined_pin", "open_export", "seal", "seal_export",
]
