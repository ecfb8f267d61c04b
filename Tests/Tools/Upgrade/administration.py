"""Runs every command that uses the database, so that all its statements are seen at work."""

import base64
import datetime
import json
import os
import pathlib
import socket
import struct
import subprocess
import time
import uuid

import psec
from cryptography import x509
from cryptography.hazmat.primitives import cmac, hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.ciphers import algorithms
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from wire import AppKeys

BANK = "ADMINISTERED"
CLIENT = "administered-app"
# When servers know what commands have changed.
KNOWN_SECONDS = 12
# When no server needs a replaced data key any more, and its values are sealed anew.
RESEAL_SECONDS = 130
# Each has a data key.
PURPOSES = 7
COMPONENT = bytes.fromhex("91d24ee83b5c07f6a8610d9f72c3be45")


class Administration:
    """`problems` are the commands that failed: what comes after them was not seen."""

    def __init__(self, site, hooks):
        self.site, self.hooks, self.problems = site, hooks, []
        self.folder = pathlib.Path(site.folder) / "administration"

    def run(self, *arguments, environment=None, can_refuse=False, days_later=0):
        """Runs a command. `can_refuse`: its statements have run, even if it refuses. `days_later`: by its clock."""
        later = ["faketime", "-f", f"+{days_later}d"] if days_later else []
        result = subprocess.run(
            [*later, self.site.program, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
            env={**os.environ, **self.site.server_environment, "DATA_DIRECTORY": str(self.site.bank_folder),
                 "FAKETIME_DONT_FAKE_MONOTONIC": "1",
                 **(environment or {})})
        if result.returncode != 0 and not can_refuse:
            words = " ".join(map(str, arguments))
            self.problems.append(f"{words}: status {result.returncode}: {result.stderr.strip()[-500:]}")
        return result.stdout

    def json(self, *arguments, **more):
        try:
            return json.loads(self.run(*arguments, "--json", **more))
        except ValueError:
            return {}

    def file(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        path.chmod(0o600)
        return path

    def before(self):
        """What the servers need to have something to do besides requests."""
        self.folder.mkdir(exist_ok=True)
        self.run("webhook", "set", "--bank", "SANDBOX", self.hooks.url, "--allow-private")
        self.run("document-client", "add", "--bank", "SANDBOX", "--id", CLIENT)
        self.run("vault", "rotate-data-key")
        self.rotated = time.monotonic()

    def after(self):
        """All commands. Those that change keys come last."""
        self.look("SANDBOX")
        self.banks()
        self.keys()
        self.certificates()
        self.cardholders()
        self.events()
        self.server_keys()
        self.audit()
        self.look(BANK)
        self.removal()
        self.vault()
        self.operators()
        time.sleep(KNOWN_SECONDS)

    # MARK: - Groups of commands

    def look(self, bank):
        for command in ("bank list", "server-key list", "vault status", "operator list", "doctor", "check-config", "approve",
            "inventory show", "inventory servers"):
            self.run(*command.split())
        self.run("bank", "show", bank)
        for command in (
            "webhook show", "key list", "certificate list", "certificate list-crls", "issuer-key list", "cardholder list",
            "events list"):
            self.run(*command.split(), "--bank", bank)

    def banks(self):
        self.run("bank", "add", BANK, "--scheme", "CB")
        self.run("bank", "set", BANK, "--retention", "keep", "--name", "Administered")
        self.run("webhook", "set", "--bank", BANK, self.hooks.url, "--allow-private", "--acknowledges")
        self.run("webhook", "test", "--bank", BANK)
        self.run("webhook", "resend", "--bank", BANK)
        self.run("webhook", "disable", "--bank", BANK)
        for change in ("disable", "enable"):
            self.run("document-client", change, "--bank", "SANDBOX", CLIENT)

    def keys(self):
        hex_file = self.file("hmac.hex", "11" * 32)
        self.run("key", "import-hmac", "--bank", BANK, "--usage", "distribution", "--hex-file", hex_file, "--label", "hmac")
        for change in ("disable", "enable", "disable", "remove"):
            self.run("key", change, "--bank", BANK, "hmac")
        protection = bytes.fromhex("3f9a1c07d8e24b65a0f1937c5e86bd12")
        other = bytes(left ^ right for left, right in zip(COMPONENT, protection))
        components = [self.file("one.hex", COMPONENT.hex()), self.file("two.hex", other.hex())]
        in_components = ["--bank", BANK, "--usage", "key-block", "--algorithm", "aes", "--components", 2]
        # Two custodians, and another operator who confirms.
        for user, component in zip(("carol", "dave"), components):
            self.run(
                "key", "import", *in_components, "--label", "kbpk", "--component-file", component,
                environment={"SUDO_USER": user})
            self.run("key", "list", "--bank", BANK)
        # Its key check value, as on the custodians' paper.
        check = cmac.CMAC(algorithms.AES(protection))
        check.update(bytes(16))
        kcv = check.finalize()[:5].hex().upper()
        self.run("key", "confirm", "--bank", BANK, "--kcv", kcv, "kbpk", environment={"SUDO_USER": "dave"})
        self.run(
            "key", "import", *in_components, "--label", "dropped", "--component-file",
            self.file("three.hex", protection[::-1].hex()))
        self.run("key", "remove", "--bank", BANK, "dropped")
        block = psec.tr31.wrap(
            kbpk=protection, header=psec.tr31.Header("D", "P0", "T", "E", "00", "N"),
            key=bytes.fromhex("c4517a9be02d386f1d84f25a6b97e03c"))
        self.run(
            "key", "import", "--bank", BANK, "--usage", "pin-encryption", "--tr31", block, "--under", "kbpk", "--label", "pek")
        public = ec.generate_private_key(ec.SECP256R1()).public_key().public_bytes(
            Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        key = ["--bank", BANK, "--key-id", "administered"]
        self.run(
            "issuer-key", "add", *key, "--algorithm", "ecdsa-p256-sha256", "--public-key", self.file("issuer.pem", public))
        self.run(
            "issuer-key", "add", "--bank", BANK, "--key-id", "administered-hmac", "--algorithm", "hmac-sha256", "--hex-file",
            self.file("issuer.hex", "22" * 32))
        for change in ("disable", "enable"):
            self.run("issuer-key", change, "--bank", BANK, "administered")

    def certificates(self):
        authority_key = ec.generate_private_key(ec.SECP256R1())
        authority = certificate(
            "Administered CA", authority_key.public_key(), "Administered CA", authority_key, is_authority=True)
        authority_file = self.file("ca.pem", authority.public_bytes(Encoding.PEM))
        now = datetime.datetime.now(datetime.timezone.utc)
        # It expires in a day, so a server reports it.
        revocations = x509.CertificateRevocationListBuilder().issuer_name(authority.subject).last_update(
            now - datetime.timedelta(days=1)).next_update(now + datetime.timedelta(hours=20)).add_extension(
            x509.CRLNumber(1), critical=False).add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key()), critical=False).sign(
            authority_key, hashes.SHA256())
        crl = self.file("ca.crl", revocations.public_bytes(Encoding.PEM))
        for alias, use in (("one", "signature"), ("two", "signature"), ("seal", "encryption"), ("client", "client")):
            key = rsa.generate_private_key(65537, 2048)
            leaf = self.file(
                f"{alias}.pem", certificate(alias, key.public_key(), "Administered CA", authority_key).public_bytes(Encoding.PEM))
            self.run(
                "certificate", "import", "--bank", BANK, "--alias", alias, "--use", use, "--ca", authority_file, leaf)
        self.run("certificate", "default", "--bank", BANK, "--alias", "two")
        self.run("certificate", "import-crl", "--bank", BANK, "--ca", authority_file, crl)
        self.run("certificate", "list-crls", "--bank", BANK)
        time.sleep(3)
        for change in ("disable", "enable"):
            self.run("certificate", change, "--bank", BANK, "one")
        issuer = next((one.get("issuer") for one in self.listed_crls()), "CN=Administered CA")
        self.run("certificate", "remove-crl", "--bank", BANK, "--issuer", issuer)

    def listed_crls(self):
        found = self.json("certificate", "list-crls", "--bank", BANK)
        return found if isinstance(found, list) else []

    def cardholders(self):
        lines = "".join(
            json.dumps({"uniqueId": f"holder-{number}", "status": "ACTIVE", "freeField": "a"}) + "\n" for number in range(3))
        self.run("cardholder", "import", "--bank", BANK, self.file("holders.ndjson", lines))
        self.run("cardholder", "list", "--bank", BANK, "--starts-with", "holder", "--status", "ACTIVE")
        self.run("cardholder", "list", "--bank", BANK, "--locked")
        for change in (["show"], ["unlock"], ["set-status"]):
            status = ["SUSPENDED"] if change == ["set-status"] else []
            self.run("cardholder", *change, "--bank", BANK, "holder-1", *status)

    def events(self):
        self.run("events", "list", "--bank", "SANDBOX", "--type", "pin.defined")
        self.run("events", "list", "--bank", "SANDBOX", "--cardholder", "w0-0")
        events = self.json("events", "list", "--bank", "SANDBOX")
        events = events if isinstance(events, list) else events.get("events", [])
        for event in events[:1]:
            self.run("webhook", "resend", "--bank", "SANDBOX", f"--event={event['id']}")

    def server_keys(self):
        before = self.json("server-key", "list")
        self.run("server-key", "rotate")
        keys = before if isinstance(before, list) else before.get("keys", [])
        for key in keys[:1]:
            self.run("server-key", "retire", "--force", key.get("kid") or key.get("keyId"))
            self.run("server-key", "retire", "--erase", "--force", key.get("kid") or key.get("keyId"))

    def audit(self):
        for arguments in (
            ["show"], ["show", "--bank", "SANDBOX", "--cardholder", "w0-0", "--operation", "fetch"], ["verify"],
            ["new-epoch", "--reason", "statements are recorded"]):
            self.run("audit", *arguments)
        cursor = self.folder / "audit.cursor"
        self.run("audit", "export", "--cursor-file", cursor)
        before = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=1)
        self.run("audit", "close", "--before", before.strftime("%Y-%m-%dT%H:%M:%SZ"), "--cursor-file", cursor,
            environment={"DATABASE_URL": self.site.url("migrate")})
        self.run("audit", "verify")

    def removal(self):
        self.run("bank", "set", BANK, "--status", "DISABLED")
        self.run("bank", "remove", BANK, "--confirm", BANK)

    def vault(self):
        self.run(
            "vault", "init", "--recovery-component-file", self.folder / "component-1", "--recovery-component-file",
            self.folder / "component-2")
        other = {"VAULT_FILE": str(self.folder / "vault.key")}
        self.run("vault", "rewrap", "--from-file", self.site.server_environment["VAULT_FILE"], "--keep", environment=other)
        self.run("vault", "status", environment=other)
        recovered = {"VAULT_FILE": str(self.folder / "recovered.key")}
        self.run(
            "vault", "recover", "--component-file", self.folder / "component-1", "--component-file",
            self.folder / "component-2", environment=recovered)
        time.sleep(max(0, self.rotated + RESEAL_SECONDS - time.monotonic()))
        first = 1
        for state in ("disabled", "usable", "compromised"):
            self.run("vault", "set-data-key", first, "--state", state)
        time.sleep(KNOWN_SECONDS)
        # A key can be erased two days after it was replaced, unless values that only the bank can send again need it.
        for number in range(first, first + PURPOSES):
            self.run("vault", "retire-data-key", number, can_refuse=True, days_later=3)

    def operators(self):
        passphrase = self.file("passphrase", "correct horse battery staple\n")
        signed = {}
        for name in ("alice", "bob", "carol"):
            private, public = self.folder / f"{name}.key", self.folder / f"{name}.pub"
            self.run("operator", "make-key", "--private-key", private, "--public-key", public, "--passphrase-file", passphrase)
            signed[name] = ["--operator", name, "--operator-key", private, "--operator-passphrase-file", passphrase]
        self.run(
            "vault", "init", "--first-operator", f"alice={self.folder}/alice.pub",
            "--first-operator", f"bob={self.folder}/bob.pub")
        self.run("operator", "list")
        for change in (["add", "carol", "--public-key", self.folder / "carol.pub"], ["remove", "carol"], ["dual-control", "on"]):
            self.run("operator", *change, *signed["alice"])
            for waiting in self.waiting():
                self.run("approve", waiting, *signed["bob"])
        self.run("bank", "add", "REJECTED", "--scheme", "CB", *signed["alice"])
        for waiting in self.waiting():
            self.run("approve", waiting, "--reject")
        self.run("doctor")

    def waiting(self):
        found = self.json("approve")
        return [change["id"] for change in (found if isinstance(found, list) else found.get("changes", []))]


def certificate(name, public_key, issuer, issuer_key, is_authority=False):
    """A certificate that expires in a day, so that servers report it."""
    now = datetime.datetime.now(datetime.timezone.utc)
    usage = x509.KeyUsage(
        digital_signature=not is_authority, content_commitment=False, key_encipherment=not is_authority, data_encipherment=False,
        key_agreement=False, key_cert_sign=is_authority, crl_sign=is_authority, encipher_only=False, decipher_only=False)
    builder = x509.CertificateBuilder(
        name_of(issuer), name_of(name), public_key, x509.random_serial_number(), now - datetime.timedelta(days=1),
        now + datetime.timedelta(hours=20))
    extensions = {
        x509.BasicConstraints(ca=is_authority, path_length=None): True, usage: True,
        x509.SubjectKeyIdentifier.from_public_key(public_key): False,
        x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key()): False}
    for extension, is_critical in extensions.items():
        builder = builder.add_extension(extension, is_critical)
    return builder.sign(issuer_key, hashes.SHA256())


def name_of(text):
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, text)])


class Requests:
    """Requests that neither the clients of the chaos nor a command sends. What is answered does not matter: statements run."""

    def __init__(self, site, bank):
        self.server, self.bank = site.servers[0], bank

    def send(self):
        for target in ("cardholders?limit=2", "cardholders?after=import-1-5&limit=2", "cardholders/nobody"):
            self.bank.call(self.server, "GET", target)
        # A key that the server does not have.
        sealed = self.bank.seal("pin", "import-1-3", "1234").split(".")
        header = json.loads(base64.urlsafe_b64decode(sealed[0] + "==")) | {"kid": "unknown"}
        sealed[0] = base64.urlsafe_b64encode(json.dumps(header).encode()).decode().rstrip("=")
        self.bank.cardholder(self.server, "PUT", "import-1-3", {"status": "ACTIVE", "pin": ".".join(sealed)})
        self.bank.call(self.server, "DELETE", "cardholders/import-1-1")
        self.unfinished_import()
        self.document_session()
        # Refused by a bank in memory, which can be out of date; and by a cardholder who does not exist.
        wrong = self.bank.claim("import-1-2") | {
            "hashMac": "00" * 32, "authCode": "ABCD", "rsaPublicKey": AppKeys().rsa, "formats": ["text"]}
        self.server.post("pin-distribution/captcha", wrong)
        self.server.post("pin-definition/keypad-coordinates", self.bank.claim("nobody"))
        self.server.post("pin-definition/keypad-coordinates", self.bank.claim("import-1-2"))

    def document_session(self):
        """An app that the server knows begins a session of a check that it does not know."""
        start = json.dumps({
            "type": "START", "validationId": str(uuid.uuid4()), "clientId": CLIENT, "platform": "android",
            "nfcAdapterSupportsExtendedLength": False, "enableDiagnostics": False}).encode()
        key = base64.b64encode(uuid.uuid4().bytes).decode()
        lines = [
            "GET /ws2/validate HTTP/1.1", f"Host: {self.server.host}:{self.server.port}", "Connection: Upgrade",
            "Upgrade: websocket", "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {key}", "", ""]
        with socket.create_connection((self.server.host, self.server.port), timeout=30) as connection:
            connection.sendall("\r\n".join(lines).encode())
            connection.recv(4096)
            # A text frame whose mask is zero (RFC 6455, section 5.2).
            connection.sendall(struct.pack(">BBH4x", 0x81, 0x80 | 126, len(start)) + start)
            connection.recv(4096)

    def unfinished_import(self):
        """The digest is that of another body, so the lines are discarded."""
        lines = [json.dumps({"uniqueId": f"discarded-{number}", "status": "ACTIVE"}) for number in range(600)]
        body = "\n".join(lines).encode()

        class Changed:
            def request(_, method, path, body, headers, seconds):
                return self.server.request(method, path, body.replace(b"ACTIVE", b"CLOSED"), headers, seconds)

        self.bank.call(Changed(), "POST", "cardholders:import", body, "application/x-ndjson")
