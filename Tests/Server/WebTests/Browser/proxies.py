"""nginx and haproxy with the files of deploy/browser-app, in front of this test's origin."""

import contextlib
import datetime
import http.client
import os
import shutil
import socket
import ssl
import subprocess
import time
from urllib.parse import urlsplit

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

NAME = "app.example.com"
PORT = 8443
START_SECONDS = 60
# How many requests a proxy takes here before it answers 429. The files have larger limits per time.
REQUEST_LIMIT = 20


def own_address():
    """An address of this machine that no other process of this test has: so its ports are free."""
    number = os.getpid()
    return f"127.{64 + (number >> 16) % 64}.{(number >> 8) % 256}.{number % 256 or 1}"


class Proxy:
    def __init__(self, address, certificate):
        self.address = address
        self.context = ssl.create_default_context(cafile=certificate)

    def connection(self):
        """A connection over TLS that verifies the name."""
        connection = http.client.HTTPSConnection(NAME, PORT, timeout=START_SECONDS, context=self.context)
        connection._create_connection = lambda _, *others: socket.create_connection((self.address, PORT), *others)
        return connection

    def request(self, method, path, body=None, headers=()):
        """The answer's status, header fields and body."""
        with contextlib.closing(self.connection()) as connection:
            connection.request(method, path, body, dict(headers))
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()


@contextlib.contextmanager
def nginx(root, folder, app, upstream):
    address, certificate = prepared(folder)
    text = filled(root / "deploy/browser-app/nginx.conf", {
        "listen 443 ": f"listen {address}:{PORT} ", "/etc/nginx/tls/": f"{folder}/", "/srv/app": str(app),
        "server 127.0.0.1:8080;": f"server {urlsplit(upstream).netloc};",
        "rate=50r/s": "rate=1r/m", "burst=200 ": f"burst={REQUEST_LIMIT - 1} "})
    configuration = folder / "nginx.conf"
    temporary = "".join(f"{name}_temp_path {folder}/{name};\n" for name in (
        "client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    configuration.write_text(
        f"pid {folder}/nginx.pid;\ndaemon off;\nerror_log stderr;\nevents {{}}\n"
        f"http {{\ntypes {{ text/html html; text/javascript js; }}\naccess_log off;\n{temporary}{text}}}\n")
    arguments = [program("nginx"), "-e", "stderr", "-p", str(folder), "-c", str(configuration)]
    with running([*arguments, "-t"], arguments, address):
        yield Proxy(address, certificate)


@contextlib.contextmanager
def haproxy(root, folder, web, upstream):
    address, certificate = prepared(folder)
    (folder / "both.pem").write_bytes((folder / "app.pem").read_bytes() + (folder / "app.key").read_bytes())
    configuration = folder / "haproxy.cfg"
    configuration.write_text(filled(root / "deploy/browser-app/haproxy.cfg", {
        "bind :443 ": f"bind {address}:{PORT} ", "/etc/haproxy/app.pem": f"{folder}/both.pem",
        "server app 127.0.0.1:8081": f"server app {urlsplit(web).netloc}",
        "server pins 127.0.0.1:8080": f"server pins {urlsplit(upstream).netloc}",
        "http_req_rate(10s)": "http_req_rate(10m)", "gt 500": f"gt {REQUEST_LIMIT}"}))
    arguments = [program("haproxy"), "-db", "-f", str(configuration)]
    with running([*arguments, "-c"], arguments, address):
        yield Proxy(address, certificate)


def program(name):
    path = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    assert path, f"{name} not found: deploy/install-packages test"
    return path


def filled(path, values):
    text = path.read_text()
    for before, after in values.items():
        assert before in text, f"{path} has no {before!r}"
        text = text.replace(before, after)
    return text


def prepared(folder):
    """An address to listen on, and a certificate."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.datetime.now(datetime.timezone.utc)
    name, day = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, NAME)]), datetime.timedelta(days=1)
    certificate = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(x509.random_serial_number()).not_valid_before(now - day).not_valid_after(now + day)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(NAME)]), critical=False).sign(key, hashes.SHA256()))
    (folder / "app.pem").write_bytes(certificate.public_bytes(Encoding.PEM))
    (folder / "app.key").write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return own_address(), folder / "app.pem"


@contextlib.contextmanager
def running(check, arguments, address):
    checked = subprocess.run(check, capture_output=True, text=True, timeout=START_SECONDS)
    assert checked.returncode == 0, f"{' '.join(check)}: {checked.stdout}{checked.stderr}"
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        deadline = time.monotonic() + START_SECONDS
        while not listens(address):
            assert process.poll() is None, f"{arguments[0]} ended: {process.stdout.read()}"
            assert time.monotonic() < deadline, f"{arguments[0]} does not listen"
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.communicate(timeout=START_SECONDS)


def listens(address):
    with contextlib.suppress(OSError), socket.create_connection((address, PORT), timeout=1):
        return True
    return False
