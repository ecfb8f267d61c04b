"""The files of deploy/browser-app: nginx and haproxy put the app and the server under one origin."""

import base64
import contextlib
import json
import shutil
import tempfile
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from checks import equal
from proxies import REQUEST_LIMIT, haproxy, nginx

JSON = {"Content-Type": "application/json"}
KEYS = "/.well-known/jwks.json"
FETCH = "/v1/pin-distribution/captcha"


def check_nginx(scene):
    """nginx serves the app, and passes on what the app needs, with the client's address and without its cookies"""
    with temporary_folder() as folder:
        with nginx(scene.root, folder, app_in(scene, folder), scene.origin.url) as proxy:
            expect_one_origin(scene, proxy)


def check_haproxy(scene):
    """haproxy passes on the app's files and what the app needs, with the client's address and without its cookies"""
    with temporary_folder() as folder:
        with web_server(app_in(scene, folder)) as web, haproxy(scene.root, folder, web, scene.origin.url) as proxy:
            expect_one_origin(scene, proxy)


def app_in(scene, folder):
    app = folder / "site"
    app.mkdir()
    shutil.copy(scene.root / "Sources/Clients/CardCompanionJS/card-companion.js", app)
    return app


@contextlib.contextmanager
def web_server(app):
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietFiles, directory=app)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class QuietFiles(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@contextlib.contextmanager
def temporary_folder():
    # Workers of nginx are another user if it runs as root.
    with tempfile.TemporaryDirectory(prefix="card-companion-proxy-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


def expect_one_origin(scene, proxy):
    status, headers, content = proxy.request("GET", "/card-companion.js")
    equal((status, headers.get_content_type()), (200, "text/javascript"), "the module")
    equal(b"export class CardCompanionSession" in content, True, "whether it is the module")
    equal(headers["Content-Security-Policy"].startswith("default-src 'none'; script-src 'self'"), True, "a strict policy")
    assert headers["Strict-Transport-Security"], "there is no Strict-Transport-Security"

    key = rsa.generate_private_key(65537, 2048).public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    members = scene.fetch_parameters("carol") | {"rsaPublicKey": base64.b64encode(key).decode()}
    claimed = {"X-Forwarded-For": "192.0.2.1", "Forwarded": "for=192.0.2.1", "Cookie": "session=1", "Authorization": "Basic YTpi"}
    status, headers, content = proxy.request("POST", FETCH, json.dumps(members), JSON | claimed)
    equal((status, json.loads(content)["errorCode"]), (200, 0), "the fetch")
    equal(headers["Cache-Control"], "no-store", "Cache-Control")
    equal({name.lower(): scene.origin.fields.get(name.lower()) for name in claimed},
          {"x-forwarded-for": "127.0.0.1", "forwarded": None, "cookie": None, "authorization": None}, "what was passed on")

    forwarded = scene.origin.forwarded
    # The body itself is not sent: a proxy can answer and close the connection before it.
    equal(proxy.request("POST", FETCH, headers=JSON | {"Content-Length": "65537"})[0], 413, "the status of a large body")
    for path in ("/v1/banks/SANDBOX/cardholders", "/ws2/validate", "/health/ready", "/openapi.yaml", f"{KEYS}/x",
                 "/v1/pin-definition/../banks/SANDBOX/cardholders"):
        expect_not_passed_on(scene, proxy, path)
    equal(scene.origin.forwarded, forwarded, "requests that were passed on")
    # A path that looks like an app's only after it was decoded. What is passed on must not have the other path in it.
    before = len(scene.origin.requests)
    proxy.request("POST", "/v1/banks/SANDBOX/cardholders/%2e%2e%2f%2e%2e%2f%2e%2e%2fpin-distribution%2fcaptcha", "{}", JSON)
    equal([request for request in scene.origin.requests[before:] if "banks" in str(request)], [], "calls of back-ends")

    statuses = [proxy.request("GET", KEYS)[0] for _ in range(REQUEST_LIMIT)]
    equal((statuses[0], statuses[-1]), (200, 429), "the first and the last status of a flood")


def expect_not_passed_on(scene, proxy, path):
    before = len(scene.origin.requests)
    status = proxy.request("GET", path)[0]
    equal((status, len(scene.origin.requests) - before), (404, 0), f"the status of {path}, and requests that were passed on")
