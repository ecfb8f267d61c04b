"""An example of a bank's back-end: provisions, reads and changes a cardholder, imports several, and processes events.

    pip install cryptography http-message-signatures jwcrypto
    python3 examples/bank.py http://127.0.0.1:8080 .data/sandbox
"""

import command_line  # first: it says in one line what is missing

import base64, hashlib, hmac, json, sys, time, uuid
from itertools import count
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

from card_companion_backend import OverloadRetry, RequestSigner, ServerKeys, SignatureVerifier, open_defined_pin, seal
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.serialization import load_pem_private_key

TIMEOUT_SECONDS = 60


class Bank:
    def __init__(self, url, folder, retry=OverloadRetry()):
        self.url, self.folder, self.retry = url, Path(folder), retry
        try:
            self.sandbox = json.loads((self.folder / "sandbox.json").read_text())
            self.id = self.sandbox["bankId"]
            # The ID of the issuer key, under which the operator has registered it.
            self.signer = RequestSigner(self.sandbox["issuerKeyId"], self.private_key("issuer-key.pem"))
            self.token_key = self.private_key("signing-key.pem")
            self.encryption_key = self.private_key("encryption-key.pem")
            self.hmac_key = bytes.fromhex((self.folder / "hmac.hex").read_text())
            # Fetched when they are needed, and again for a key that is not among them.
            self.server_keys = ServerKeys(url)
        except (ValueError, TypeError, KeyError) as error:
            sys.exit(f"the bank's files in {folder} cannot be used with {url}: {error!r}")
        self.verifier = SignatureVerifier(self.server_keys)

    def private_key(self, name):
        """A key in a file. Keep a real bank's keys in a vault: RequestSigner also takes a function that signs."""
        return load_pem_private_key((self.folder / name).read_bytes(), None)

    def call(self, method, target, body=None, media_type="application/json", headers=()):
        """Sends a signed call (RFC 9421) and returns the answer's header fields and body."""
        url, headers = f"{self.url}/v1/banks/{self.id}/{target}", dict(headers)
        if body is not None:
            headers["Content-Type"] = media_type
        for send_count in count(1):
            # Last: what was signed must not change. A retry must be signed again.
            signed = headers | self.signer.sign(method, url, headers, body)
            try:
                with urlopen(Request(url, body, signed, method=method), timeout=TIMEOUT_SECONDS) as answer:
                    return answer.headers, answer.read()
            except HTTPError as refusal:  # the problem has the failed check and the signature base
                content = refusal.read()
                if not self.retry.wait(refusal.code, refusal.headers, content, send_count):
                    problem = " ".join(content.decode(errors="replace").split())
                    sys.exit(f"{method} {target}: {refusal.code} {problem}")

    def seal(self, content, unique_id, text, request_id=None):
        """Encrypts a value ("pin" or "authenticationCode") to the server's key, for this cardholder only.

        `request_id` is for a value that an app sends.
        """
        return seal(self.server_keys, content, self.id, unique_id, text, request_id=request_id)

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
            self.verifier.verify_answer(200, headers, body)  # anyone can seal a PIN to the bank's key
            page = json.loads(body)
            if (page["bankId"], page["after"]) != (self.id, after):  # the answer to another call
                sys.exit("the server's answer is not for this call")
            if not page["events"]:
                return
            yield page["events"]
            after = page["next"]
            self.call("DELETE", f"events?upTo={after}")

    def defined_pin(self, event):
        """Decrypts the PIN of a pin.defined event, and makes sure that it is this event's."""
        return open_defined_pin(event, self.id, self.encryption_key)

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


def main():
    parser = command_line.parser(__doc__)
    parser.add_argument("url", type=command_line.url, help="the server, such as http://127.0.0.1:8080")
    parser.add_argument("folder", help="the sandbox's folder, such as .data/sandbox")
    arguments = parser.parse_args()
    bank = Bank(arguments.url, arguments.folder)
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


if __name__ == "__main__":
    main()
