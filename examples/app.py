"""What a cardholder's app does: fetches the PIN as an image on both channels, confirms it, and defines another one.

    pip install cryptography jwcrypto
    python3 examples/app.py http://127.0.0.1:8080 .data/sandbox alice pin.png

In life no key of the bank's is in the app: `Bank` stands for calls to the bank's own back-end, which answers them once
it has authenticated the cardholder.
"""

import base64
import hashlib
import hmac
import json
import secrets
import sys
from pathlib import Path
from urllib.request import Request, urlopen

from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwcrypto import jwe, jwk

from bank import Bank

TOO_EASY_TO_GUESS = 131


class App:
    def __init__(self, url, bank, unique_id):
        self.url, self.bank, self.unique_id = url, bank, unique_id
        # In life the cardholder has the code from a letter, and types it in.
        self.code = json.loads((bank.folder / "sandbox.json").read_text())["authenticationCodes"][unique_id]

    def post(self, path, members, accepted=(0,)):
        """Every answer is HTTP 200 and JSON with a code; 0 is success."""
        request = Request(f"{self.url}/v1/{path}", json.dumps(members).encode(), {"Content-Type": "application/json"})
        with urlopen(request) as response:
            answer = json.load(response)
        if answer["errorCode"] not in accepted:
            sys.exit(f"{path}: {answer['errorCode']} {answer['errorMessage']}")
        return answer

    def fetch_with_code(self):
        """Authentication code: the bank's HMAC says for whom and when, the code that it is the cardholder."""
        key = rsa.generate_private_key(65537, 2048)  # for this one delivery: nobody can open it later
        claim = self.bank.claim(self.unique_id)
        members = {**claim, "authCode": self.code, "rsaPublicKey": self.public(key)}
        answer = self.post("pin-distribution/captcha", members)
        delivery = self.open(answer["pin"], key)
        who = {"bankId": self.bank.id, "uniqueId": self.unique_id}
        self.post("pin-distribution/notify", who | self.confirmation(answer["sessionId"], delivery))
        return delivery

    def fetch_with_token(self):
        """Token: the bank has signed all of it. PCI-CPP banks, as the sandbox is one, put the code into it."""
        key = ec.generate_private_key(ec.SECP256R1())
        signed = self.bank.token(self.unique_id, "00", AuthenticationCode=self.code)
        answer = self.post("pin-distribution/token/captcha", {**signed, "ecdhPublicKey": self.public(key)})
        delivery = self.open(answer["pin"], key)
        confirmation = self.confirmation(answer["sessionId"], delivery)
        self.post("pin-distribution/token/notify", {"token": signed["token"], **confirmation})
        return delivery

    def define(self):
        """Proposes PINs until one is not too easy to guess. A token serves once, so each try has a new one."""
        for _ in range(20):
            pin = f"{secrets.randbelow(10_000):04}"
            members = self.bank.token(self.unique_id, "02") | {"pin": self.bank.seal(pin)}
            answer = self.post("pin-definition/token/pin", members, accepted=(0, TOO_EASY_TO_GUESS))
            if answer["errorCode"] == 0:
                return
        sys.exit("no PIN is good enough for the bank")

    def confirmation(self, session_id, delivery):
        """Only who could open the delivery can confirm it: the hash is under the key that was in it."""
        key = base64.urlsafe_b64decode(delivery["notifyKey"] + "=")
        text = f"{self.bank.id}{self.unique_id}{session_id}0"  # 0: shown
        return {"sessionId": session_id, "status": 0, "hash": hmac.new(key, text.encode(), hashlib.sha256).hexdigest()}

    @staticmethod
    def open(sealed, key):
        token = jwe.JWE()
        token.deserialize(sealed, jwk.JWK.from_pyca(key))
        return json.loads(token.payload)

    @staticmethod
    def public(key):
        return base64.b64encode(key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).decode()


if __name__ == "__main__":
    url, sandbox, unique_id, image = sys.argv[1:5]
    app = App(url, Bank(url, sandbox), unique_id)
    Path(image).write_bytes(base64.b64decode(app.fetch_with_code()["images"][0]))
    print(f"fetched {unique_id}'s PIN with the code as {image}, and confirmed that it was shown")
    app.fetch_with_token()
    print("fetched it with a token, and confirmed that it was shown")
    app.define()
    print("defined another PIN")
