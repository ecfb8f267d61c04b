"""An example of a bank's webhook: verifies the server's signature of each event and accepts it.

    pip install cryptography http-message-signatures jwcrypto
    python3 examples/receiver.py http://127.0.0.1:8080 9090

Then the operator registers its URL (in production: https, and without --allow-private):

    card-companion webhook set --bank SANDBOX --allow-private http://127.0.0.1:9090/events

It does not open PINs. See `defined_pin` in bank.py, which also checks that a PIN belongs to its event. With
`--acknowledges`, a 2xx makes the server erase the PIN in the event, so store the PIN before you return.
"""

import command_line  # first: it says in one line what is missing

import logging
import sys
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from card_companion_backend import ServerKeys, SignatureVerifier, WebhookReceiver

PATH = "/events"
seen = set()  # a real back-end stores the id in the same transaction that processes the event


def take(event):
    """An event can come more than once: a repetition is ignored. If this raises, the server sends the event again."""
    if event["id"] not in seen:
        seen.add(event["id"])
        print(event["type"], event.get("uniqueId", ""), event["data"], flush=True)


class Server(ThreadingMixIn, WSGIServer):
    """A small server for a trial. In production the receiver runs in gunicorn or another WSGI server."""

    daemon_threads = True


class Handler(WSGIRequestHandler):
    timeout = 30

    def log_message(self, *_):
        pass


def main():
    parser = command_line.parser(__doc__)
    parser.add_argument("url", type=command_line.url, help="the server, such as http://127.0.0.1:8080")
    parser.add_argument("port", type=command_line.port, help="the port to listen on, such as 9090")
    arguments = parser.parse_args()
    logging.basicConfig(format="%(message)s", stream=sys.stdout)  # why a request was refused
    with Server(("127.0.0.1", arguments.port), Handler) as server:
        # The registered URL (behind a proxy: the public one), not what a request says: the sender controls that.
        own_url = f"http://127.0.0.1:{server.server_port}{PATH}"
        try:
            verifier = SignatureVerifier(ServerKeys(arguments.url))
        except ValueError as error:
            sys.exit(f"{error}")
        server.set_app(WebhookReceiver(own_url, verifier, take))
        print(f"waiting for events at {own_url}", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
