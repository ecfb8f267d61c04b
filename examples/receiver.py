"""An example of a bank's webhook: verifies the server's signature of each event and accepts it.

    pip install cryptography http-message-signatures jwcrypto
    python3 examples/receiver.py http://127.0.0.1:8080 9090

Then the operator registers its URL (in production: https, and without --allow-private):

    card-companion webhook set --bank SANDBOX --allow-private http://127.0.0.1:9090/events

It does not open PINs. See `defined_pin` in bank.py, which also checks that a PIN belongs to its event. With
`--acknowledges`, a 2xx makes the server erase the PIN in the event, so store the PIN before you answer.
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
MAXIMUM_AGE = timedelta(minutes=5)  # the server signs each attempt again
COVERED = ("@method", "@authority", "@path", "content-digest")


class ServerKeys(HTTPSignatureKeyResolver):
    """The server's signing keys. The server publishes a new key before it uses it, so an unknown key is fetched."""

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
    seen = set()  # a real back-end stores the id in the same transaction that processes the event

    def do_POST(self):
        body = self.body()
        if body is None:
            return self.answer(413)
        # The registered URL (behind a proxy: the public one). Do not use Host: the sender controls it.
        message = SimpleNamespace(method="POST", url=self.origin + self.path, headers=dict(self.headers))
        try:
            self.verifier.verify(message, body=body, require_components=COVERED, max_age=MAXIMUM_AGE)
        except InvalidSignature as refusal:
            print("refused:", refusal, flush=True)
            return self.answer(401)
        self.take(json.loads(body))
        self.answer(204)  # 2xx: the bank has processed the event. If that fails, answer 5xx to get it again

    def take(self, event):
        """An event can come more than once. Ignore repetitions, but also answer 2xx."""
        if event["id"] not in self.seen:
            self.seen.add(event["id"])
            print(event["type"], event.get("uniqueId", ""), event["data"], flush=True)

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
