"""A bank's webhook: takes the events that the server sends, once it is sure that they are the server's.

    pip install cryptography http-message-signatures jwcrypto
    python3 examples/receiver.py http://127.0.0.1:8080 9090

Then, beside it, the operator has the bank's events sent there (in life to https, and without --allow-private):

    card-companion webhook set --bank SANDBOX --allow-private http://127.0.0.1:9090/events
"""

import json
import sys
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from urllib.request import urlopen

from http_message_signatures import HTTPMessageVerifier, HTTPSignatureKeyResolver, InvalidSignature
from http_message_signatures.algorithms import ECDSA_P256_SHA256
from jwcrypto import jwk

BODY_LIMIT = 65_536
MAXIMUM_AGE = timedelta(minutes=5)  # each try is signed anew
COVERED = ("@method", "@authority", "@path", "content-digest")


class ServerKeys(HTTPSignatureKeyResolver):
    """The keys that the server signs with. It publishes a new one before it uses it: an unknown one is looked for."""

    def __init__(self, url):
        self.url, self.keys = url, {}

    def resolve_public_key(self, key_id):
        if key_id not in self.keys:
            with urlopen(f"{self.url}/.well-known/jwks.json") as answer:
                keys = json.load(answer)["keys"]
            self.keys = {key["kid"]: jwk.JWK(**key).export_to_pem() for key in keys if key["use"] == "sig"}
        return self.keys.get(key_id)


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30
    seen = set()  # a real back-end keeps the ids in the transaction in which it deals with the event

    def do_POST(self):
        body = self.body()
        if body is None:
            return self.answer(413)
        # The URL as the server was told it, behind a proxy the public one; Host is what anybody may say.
        message = SimpleNamespace(method="POST", url=self.origin + self.path, headers=dict(self.headers))
        try:
            self.verifier.verify(message, body=body, require_components=COVERED, max_age=MAXIMUM_AGE)
        except InvalidSignature as refusal:
            print("refused:", refusal, flush=True)
            return self.answer(401)
        self.take(json.loads(body))
        self.answer(204)  # 2xx says that the event is the bank's now: before it was dealt with the answer would be 5xx

    def take(self, event):
        """An event comes at least once: the second time it is passed over, and answered 2xx as well."""
        if event["id"] not in self.seen:
            self.seen.add(event["id"])
            print(event["type"], event["uniqueId"], event["data"], flush=True)

    def body(self):
        length = int(self.headers.get("Content-Length", BODY_LIMIT + 1))
        return self.rfile.read(length) if 0 <= length <= BODY_LIMIT else None

    def answer(self, status):
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", "0")
            self.send_header("Connection", "close")
        self.end_headers()

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    url, port = sys.argv[1], int(sys.argv[2])
    Receiver.verifier = HTTPMessageVerifier(signature_algorithm=ECDSA_P256_SHA256, key_resolver=ServerKeys(url))
    server = ThreadingHTTPServer(("127.0.0.1", port), Receiver)
    Receiver.origin = f"http://127.0.0.1:{server.server_port}"
    print(f"waiting for events at {Receiver.origin}", flush=True)
    server.serve_forever()
