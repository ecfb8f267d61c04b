"""The origin that the page comes from: the client and its page, the API behind a small reverse proxy, and servers that
misbehave, each under a path of its own."""

import contextlib
import http.client
import json
import re
import socket
import struct
import sys
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.request import Request, urlopen

UPSTREAM_SECONDS = 120
HERE = Path(__file__).resolve().parent
CLIENT = "Sources/Clients/CardCompanionJS/card-companion.js"
MEDIA_TYPES = {".html": "text/html", ".js": "text/javascript", ".json": "application/json"}

# As strict as a bank's own page should be. The client needs neither eval nor inline scripts.
POLICY = "default-src 'none'; script-src 'self'; connect-src 'self' http://127.0.0.1:*; img-src 'self' data:"

# Chromium takes this name for that of another machine, but it leads to this one (see chromium.py).
OTHER_MACHINE = "other-machine.test"

# The steps of the client that docs/vectors has values for.
STEPS = """
export {
    LibraryError, base64URLDecoded, concatKDF, digestOf, hmac, importNotifyKey, indexesPlaintext, isKeypad, keyKinds, namesIn,
    notifyHash, openSealed, overloadRetry, p256PublicKey, parsedDelivery, pinPlaintext, seal, serverKey, shownParts, thumbprint,
    toHex,
};
"""


class Reply:
    """What a misbehaving server answers. `cut` bytes are missing at the end of the body; None never ends it."""

    def __init__(self, body=b"", status=200, headers=(), cut=0):
        self.body = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.status, self.headers, self.cut = status, dict(headers), cut


class Origin:
    def __init__(self, root, upstream):
        self.root, self.upstream = root, urllib.parse.urlsplit(upstream)
        self.reactions, self.examples = {}, {}
        self.requests = []  # what was proxied or answered by a reaction: (path, members)
        self.bodies = []  # their bytes
        self.fields = {}  # the header fields of the last of them
        self.forwarded = 0  # how many of them went to the real server
        self.closing = threading.Event()
        self.server = Server(("127.0.0.1", 0), type("OriginHandler", (Handler,), {"origin": self}))
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.insecure_url = f"http://{OTHER_MACHINE}:{self.server.server_port}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.closing.set()
        self.server.shutdown()

    @contextlib.contextmanager
    def reaction(self, react):
        """A server that answers with what `react(path, members)` returns: its base URL."""
        name = f"reaction-{len(self.reactions)}"
        self.reactions[name] = react
        yield f"{self.url}/{name}"

    @contextlib.contextmanager
    def closed_port(self):
        """The base URL of a server that is gone."""
        with socket.socket() as gone:
            gone.bind(("127.0.0.1", 0))  # bound, but it does not listen: nobody else gets the port meanwhile
            yield f"http://127.0.0.1:{gone.getsockname()[1]}"

    def post(self, path, members):
        """Sends a request without the client, and returns the answer's members."""
        request = Request(self.url + path, json.dumps(members).encode(), {"Content-Type": "application/json"})
        with urlopen(request, timeout=UPSTREAM_SECONDS) as answer:
            return json.load(answer)

    def file(self, path):
        """The bytes behind a path of the page; None if there are none."""
        if path in self.examples:
            return self.examples[path].encode()
        if path == "/client/card-companion.js":
            return (self.root / CLIENT).read_bytes()
        if path == "/testable/card-companion.js":
            return (self.root / CLIENT).read_bytes() + STEPS.encode()
        if re.fullmatch(r"/page/[a-z]+\.(html|js)", path):
            return (HERE / path[1:]).read_bytes()
        return None


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, address):
        """A browser that closes its connection, as it does after a timeout, is no fault."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, address)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    origin: Origin

    def do_GET(self):
        self.answer(b"")

    def do_POST(self):
        self.answer(self.rfile.read(int(self.headers.get("Content-Length", 0))))

    def answer(self, body):
        first, _, rest = self.path[1:].partition("/")
        if first in self.origin.reactions:
            self.note(f"/{rest}", body)
            self.send(self.origin.reactions[first](f"/{rest}", members_of(body)))
        elif first in ("v1", ".well-known"):
            self.note(self.path, body)
            self.forward(body)
        elif (content := self.origin.file(self.path)) is not None:
            media_type = MEDIA_TYPES[Path(self.path).suffix]
            headers = {"Content-Type": f"{media_type}; charset=utf-8", "Content-Security-Policy": POLICY}
            self.send(Reply(content, headers=headers))
        else:
            self.send(Reply(status=404))

    def note(self, path, body):
        self.origin.requests.append((path, members_of(body)))
        self.origin.bodies.append(body)
        self.origin.fields = {name.lower(): value for name, value in self.headers.items()}

    def forward(self, body):
        """Sends the request on to the real server, and its answer back."""
        self.origin.forwarded += 1
        upstream = self.origin.upstream
        connection = http.client.HTTPConnection(upstream.hostname, upstream.port, timeout=UPSTREAM_SECONDS)
        with contextlib.closing(connection):
            headers = {name: self.headers[name] for name in ("Content-Type", "Accept") if name in self.headers}
            connection.request(self.command, self.path, body or None, headers)
            answer = connection.getresponse()
            content = answer.read()
        passed_on = ("content-type", "cache-control", "retry-after")
        headers = {name: value for name, value in answer.getheaders() if name.lower() in passed_on}
        self.send(Reply(content, answer.status, headers))

    def send(self, reply):
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(reply.body) + (1 if reply.cut is None else reply.cut)))
        self.end_headers()
        self.wfile.write(reply.body)
        if reply.cut is None:
            self.origin.closing.wait()
        if reply.cut != 0:
            self.reset()

    def reset(self):
        """Ends the connection as a crash would."""
        self.wfile.flush()
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True

    def log_message(self, *_):
        pass


def members_of(body):
    return json.loads(body) if body else {}
