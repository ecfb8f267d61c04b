"""An example of a bank's back-end: provisions, reads and changes a cardholder, imports several, and processes events.

    pip install cryptography jwcrypto
    python3 examples/bank.py http://127.0.0.1:8080 .data/sandbox
"""

import base64, hashlib, hmac, json, secrets, sys, time, uuid
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import quote, urlsplit
from urllib.request import Request, urlopen

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from jwcrypto import jwe, jwk


class Bank:
    def __init__(self, url, folder):
        self.url, self.folder = url, Path(folder)
        # The server's name is signed, in lower case and without the default port. So no other server takes the call.
        scheme, authority = urlsplit(url)[:2]
        self.authority = authority.lower().removesuffix({"https": ":443", "http": ":80"}[scheme])
        sandbox = json.loads((self.folder / "sandbox.json").read_text())
        self.id = sandbox["bankId"]
        self.key_id = sandbox["issuerKeyId"]  # the ID of the issuer key, which the operator has registered
        self.issuer_key = load_pem_private_key((self.folder / "issuer-key.pem").read_bytes(), None)
        self.token_key = load_pem_private_key((self.folder / "signing-key.pem").read_bytes(), None)
        self.encryption_key = load_pem_private_key((self.folder / "encryption-key.pem").read_bytes(), None)
        self.hmac_key = bytes.fromhex((self.folder / "hmac.hex").read_text())

    def call(self, method, target, body=None, media_type="application/json", headers=()):
        """Sends a signed call (RFC 9421) and returns the answer's header fields and body."""
        target = f"/v1/banks/{self.id}/{target}"
        path, _, query = target.partition("?")
        covered, headers = {"@method": method, "@authority": self.authority, "@path": path}, dict(headers)
        if query:
            covered["@query"] = f"?{query}"
        if body is not None:  # the digest binds the body to the signature (RFC 9530)
            digest = self.digest(body)
            covered["content-digest"] = digest
            headers |= {"Content-Type": media_type, "Content-Digest": digest}
        # The conditions are signed too: without them, the call would do something else.
        conditions = ("if-match", "if-none-match", "idempotency-key")
        covered |= {name.lower(): value for name, value in headers.items() if name.lower() in conditions}
        # The nonce can be used once. This prevents replay.
        names = " ".join(f'"{name}"' for name in covered)
        parameters = f'({names});created={int(time.time())};nonce="{secrets.token_urlsafe(16)}";keyid="{self.key_id}"'
        base = "".join(f'"{name}": {value}\n' for name, value in covered.items()) + f'"@signature-params": {parameters}'
        signature = base64.b64encode(self.issuer_key.sign(base.encode())).decode()
        headers |= {"Signature-Input": f"sig={parameters}", "Signature": f"sig=:{signature}:"}
        try:
            with urlopen(Request(self.url + target, body, headers, method=method)) as answer:
                return answer.headers, answer.read()
        except HTTPError as refusal:  # the problem has the failed check and the signature base
            sys.exit(f"{method} {target}: {refusal.read().decode()}")

    def seal(self, content, unique_id, text, request_id=None):
        """Encrypts a value ("pin" or "authenticationCode") to the server's key. The padding hides its length.

        The header names the value, the bank, the cardholder, and the request if an app sends it. So nobody can use the
        value for another request.
        """
        key = next(key for key in self.server_keys() if key["kty"] == "EC" and key["use"] == "enc")
        header = {"alg": key["alg"], "enc": "A256GCM", "kid": key["kid"]}
        header |= {"cty": content, "iss": self.id, "sub": unique_id} | ({"jti": request_id} if request_id else {})
        token = jwe.JWE(text.ljust(16).encode(), json.dumps(header), recipient=jwk.JWK(**key))
        return token.serialize(compact=True)

    def cardholders(self):
        """All cardholders, in the order of their uniqueIds."""
        query = ""
        while query is not None:
            page = json.loads(self.call("GET", "cardholders" + query)[1])
            yield from page["cardholders"]
            query = "?after=" + quote(page["next"], safe="") if "next" in page else None

    def events(self, after="0"):
        """All events, page by page. When the caller asks for the next page, it has processed the one before it.

        So this acknowledges the page: the server erases the PINs in it. A real back-end stores the events and `next`
        before that, polls with wait=30, and skips events whose `id` it has seen.
        """
        while True:
            headers, body = self.call("GET", f"events?after={after}")
            self.verify(headers, body)
            page = json.loads(body)
            if (page["bankId"], page["after"]) != (self.id, after):  # the answer to another call
                sys.exit("the server's answer is not for this call")
            if not page["events"]:
                return
            yield page["events"]
            after = page["next"]
            self.call("DELETE", f"events?upTo={after}")

    def verify(self, headers, body):
        """Verifies the server's signature of an answer with status 200: anyone can seal a PIN to the bank's key."""
        parameters = headers["Signature-Input"].removeprefix("sig1=")
        covered, key_id = '("@status" "content-digest");', parameters.rpartition(";keyid=")[2].strip('"')
        created = int(parameters.partition(";created=")[2].partition(";")[0])
        key = next((key for key in self.server_keys() if key["kid"] == key_id and key["use"] == "sig"), None)
        if not parameters.startswith(covered) or not key or headers["Content-Digest"] != self.digest(body):
            sys.exit("the server's answer has another digest, or is not signed as expected")
        if abs(time.time() - created) > 300:
            sys.exit("the server's answer is too old")
        base = f'"@status": 200\n"content-digest": {headers["Content-Digest"]}\n"@signature-params": {parameters}'
        signature = base64.b64decode(headers["Signature"].removeprefix("sig1=").strip(":"))
        r, s = (int.from_bytes(half) for half in (signature[:32], signature[32:]))
        try:
            public_key = jwk.JWK(**key).get_op_key("verify")
            public_key.verify(encode_dss_signature(r, s), base.encode(), ECDSA(hashes.SHA256()))
        except InvalidSignature:
            sys.exit("the server's answer has a wrong signature")

    def defined_pin(self, event):
        """Decrypts the PIN of a pin.defined event. Its header must name this event: it could be another one's PIN."""
        token = jwe.JWE()
        token.deserialize(event["data"]["pin"], jwk.JWK.from_pyca(self.encryption_key))
        names = {"cty": "pin", "iss": self.id, "sub": event["uniqueId"], "jti": event["id"]}
        if any(token.jose_header.get(name) != value for name, value in names.items()):
            sys.exit("the PIN is not for this event")
        return token.payload.decode().rstrip(" ")

    def server_keys(self):
        """The server's public keys. A real back-end keeps them, and fetches them again if a `kid` is unknown."""
        with urlopen(f"{self.url}/.well-known/jwks.json") as answer:
            return json.load(answer)["keys"]

    @staticmethod
    def digest(body):
        return f"sha-256=:{base64.b64encode(hashlib.sha256(body).digest()).decode()}:"

    def claim(self, unique_id, binding=None):
        """The members that an app needs on the AC channel: bank, cardholder, time, and the bank's HMAC over them.

        `binding` is the digest of the app's key. Because the HMAC covers it, nobody on the way can put another key in.
        The time has whole seconds: without a binding, a second hashMac for this cardholder in the same second is the same
        text, and the server takes each only once (205, for a definition 141).
        """
        timestamp = str(int(time.time()))
        text = f"{self.id}{unique_id}{timestamp}" + (f".{binding}." if binding else "")
        mac = hmac.new(self.hmac_key, text.encode(), hashlib.sha256).hexdigest()
        return {"bankId": self.id, "uniqueId": unique_id, "timestamp": timestamp, "hashMac": mac}

    def token(self, unique_id, type, binding=None, request_id=None, **more):
        """The signed token that an app needs on the token channel. Type 00 is a delivery, 02 a PIN definition.

        `binding` is the digest of the app's key, or of the PIN that it has sealed for `request_id`.
        """
        members = {"IdBEL": self.id, "IdPorteur": unique_id, "IdFournisseur": "example-bank", "Type": type}
        members |= {"IdTransaction": request_id or self.new_request_id(), "Timestamp": str(int(time.time()))}
        members |= {"Binding": binding} if binding else {}
        members |= more
        token = json.dumps(members)  # the app must send exactly these bytes, because they are signed
        signature = self.token_key.sign(token.encode(), PKCS1v15(), hashes.SHA256())
        return {"token": token, "signature": base64.b64encode(signature).decode()}

    @staticmethod
    def new_request_id():
        """The IdTransaction of a token to come. A real back-end remembers for whom it is."""
        return str(uuid.uuid4())


if __name__ == "__main__":
    bank = Bank(*sys.argv[1:3])
    code, pin = bank.seal("authenticationCode", "dave", "K7P2M9"), bank.seal("pin", "dave", "4391")
    # PUT sends the whole cardholder: what is left out is removed. The bank counts the cardholder's PINs: the server
    # takes a PIN only if its version is higher than the stored one. So the same call again changes no PIN.
    dave = {"authenticationCode": code, "pin": pin, "pinVersion": 1, "freeField": "Your card ends in 4711"}
    _, body = bank.call("PUT", "cardholders/dave", json.dumps(dave).encode())
    print("provisioned", body.decode())
    headers, body = bank.call("GET", "cardholders/dave")
    print("stored", body.decode())
    # If-Match: the server makes the change only if the cardholder still has this version.
    patch, unchanged = b'{"status":"SUSPENDED","freeField":null}', {"If-Match": headers["ETag"]}
    headers, _ = bank.call("PATCH", "cardholders/dave", patch, "application/merge-patch+json", unchanged)
    print("suspended, new version", headers["ETag"])
    print("stored", bank.call("GET", "cardholders/dave")[1].decode())
    # An import creates, changes and erases cardholders. It succeeded only if its last line has "committed":true.
    lines = [{"uniqueId": name, "pin": bank.seal("pin", name, "2846")} for name in ("erin-0", "erin-1", "erin-2")]
    lines += [{"op": "patch", "uniqueId": "erin-1", "status": "SUSPENDED"}, {"op": "delete", "uniqueId": "erin-2"}]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    _, body = bank.call("POST", "cardholders:import", text.encode(), "application/x-ndjson")
    print("imported", body.decode())
    print("all cardholders:", *(cardholder["uniqueId"] for cardholder in bank.cardholders()))
    for page in bank.events():
        for event in page:
            if "pin" in event["data"]:  # it was not acknowledged before. A real back-end never shows the PIN
                print(event["type"], event["uniqueId"], f"a PIN of {len(bank.defined_pin(event))} digits")
            else:
                print(event["type"], event.get("uniqueId", ""), event["data"])
