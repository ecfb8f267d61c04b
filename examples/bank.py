"""What a bank's back-end does: provisions a cardholder, looks, changes, imports, and reads what became of PINs.

    pip install cryptography jwcrypto
    python3 examples/bank.py http://127.0.0.1:8080 .data/sandbox
"""

import base64, hashlib, hmac, json, secrets, sys, time, uuid
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from jwcrypto import jwe, jwk


class Bank:
    def __init__(self, url, folder):
        self.url, self.folder = url, Path(folder)
        sandbox = json.loads((self.folder / "sandbox.json").read_text())
        self.id = sandbox["bankId"]
        self.key_id = sandbox["issuerKeyId"]  # the name that the operator registered the issuer key under
        self.issuer_key = load_pem_private_key((self.folder / "issuer-key.pem").read_bytes(), None)
        self.token_key = load_pem_private_key((self.folder / "signing-key.pem").read_bytes(), None)
        self.hmac_key = bytes.fromhex((self.folder / "hmac.hex").read_text())

    def call(self, method, target, body=None, media_type="application/json", headers=()):
        """Makes a signed call (RFC 9421) and returns the answer's fields and body."""
        target = f"/v1/banks/{self.id}/{target}"
        path, _, query = target.partition("?")
        covered, headers = {"@method": method, "@path": path}, dict(headers)
        if query:
            covered["@query"] = f"?{query}"
        if body is not None:  # the digest binds the body to the signature (RFC 9530)
            digest = f"sha-256=:{base64.b64encode(hashlib.sha256(body).digest()).decode()}:"
            covered["content-digest"] = digest
            headers |= {"Content-Type": media_type, "Content-Digest": digest}
        # A nonce serves once, so that nobody can send a recorded call again.
        names = " ".join(f'"{name}"' for name in covered)
        parameters = f'({names});created={int(time.time())};nonce="{secrets.token_urlsafe(16)}";keyid="{self.key_id}"'
        base = "".join(f'"{name}": {value}\n' for name, value in covered.items()) + f'"@signature-params": {parameters}'
        signature = base64.b64encode(self.issuer_key.sign(base.encode())).decode()
        headers |= {"Signature-Input": f"sig={parameters}", "Signature": f"sig=:{signature}:"}
        try:
            with urlopen(Request(self.url + target, body, headers, method=method)) as answer:
                return answer.headers, answer.read()
        except HTTPError as refusal:  # the problem says which check failed, and over which signature base
            sys.exit(f"{method} {target}: {refusal.read().decode()}")

    def seal(self, text):
        """Seals a code or a PIN to the server's key: nothing on the way can read it, or learn its length."""
        with urlopen(f"{self.url}/.well-known/jwks.json") as answer:
            keys = json.load(answer)["keys"]
        key = next(key for key in keys if key["kty"] == "EC" and key["use"] == "enc")
        header = {"alg": key["alg"], "enc": "A256GCM", "kid": key["kid"]}
        token = jwe.JWE(text.ljust(16).encode(), json.dumps(header), recipient=jwk.JWK(**key))
        return token.serialize(compact=True)

    def events(self, after=None):
        """All events. A real back-end keeps `next`, and asks on with wait=30; ids tell what it has seen already."""
        while True:
            _, body = self.call("GET", "events" + (f"?after={after}" if after else ""))
            page = json.loads(body)
            yield from page["events"]
            if not page["events"]:
                return
            after = page["next"]

    def claim(self, unique_id):
        """What an app needs on the AC channel: who, when, and the bank's HMAC over both."""
        timestamp = str(int(time.time()))
        mac = hmac.new(self.hmac_key, f"{self.id}{unique_id}{timestamp}".encode(), hashlib.sha256).hexdigest()
        return {"bankId": self.id, "uniqueId": unique_id, "timestamp": timestamp, "hashMac": mac}

    def token(self, unique_id, type, **more):
        """What an app needs on the token channel, signed. Type 00 is a delivery, 02 the definition of a PIN."""
        members = {"IdBEL": self.id, "IdPorteur": unique_id, "IdFournisseur": "example-bank", "Type": type}
        members |= {"IdTransaction": str(uuid.uuid4()), "Timestamp": str(int(time.time())), **more}
        token = json.dumps(members)  # the app passes on these very bytes: they are what is signed
        signature = self.token_key.sign(token.encode(), PKCS1v15(), hashes.SHA256())
        return {"token": token, "signature": base64.b64encode(signature).decode()}


if __name__ == "__main__":
    bank = Bank(*sys.argv[1:3])
    dave = {"authenticationCode": bank.seal("K7P2M9"), "pin": bank.seal("4391"), "freeField": "Your card ends in 4711"}
    bank.call("PUT", "cardholders/dave", json.dumps(dave).encode())
    headers, body = bank.call("GET", "cardholders/dave")
    print("provisioned", body.decode())
    # With If-Match the change is made only if nobody else has changed the cardholder since.
    patch, unchanged = b'{"status":"SUSPENDED","freeField":null}', {"If-Match": headers["ETag"]}
    _, body = bank.call("PATCH", "cardholders/dave", patch, "application/merge-patch+json", unchanged)
    print("suspended", body.decode())
    lines = "".join(json.dumps({"uniqueId": f"erin-{n}", "pin": bank.seal("2846")}) + "\n" for n in range(3))
    _, body = bank.call("POST", "cardholders:import", lines.encode(), "application/x-ndjson")
    print("imported", body.decode())
    for event in bank.events():
        print(event["type"], event["uniqueId"], event["data"])
