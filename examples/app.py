"""An example of a cardholder's app: fetches the PIN as an image on both channels, confirms it, and defines a new PIN.

    pip install cryptography http-message-signatures jwcrypto
    python3 examples/app.py http://127.0.0.1:8080 .data/sandbox alice pin.png

A real app has no key of the bank. Here `Bank` replaces calls to the bank's back-end, which would first authenticate the
cardholder.
"""

import command_line  # first: it says in one line what is missing

import base64
import hashlib
import hmac
import json
import secrets
import sys
from itertools import count
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwcrypto import jwe, jwk

from bank import Bank

TOO_EASY_TO_GUESS = 131
TIMEOUT_SECONDS = 60


class App:
    def __init__(self, url, bank, unique_id):
        self.url, self.bank, self.unique_id = url, bank, unique_id
        # In production the cardholder gets the code by letter, for example, and types it in.
        codes = bank.sandbox["authenticationCodes"]
        if unique_id not in codes:
            sys.exit(f"{bank.folder}/sandbox.json has no cardholder {unique_id}: name one of {', '.join(codes)}")
        self.code = codes[unique_id]

    def post(self, path, members, accepted=(0,)):
        """Sends a request. Every answer is HTTP 200 and JSON with a code; 0 is success."""
        request = Request(f"{self.url}/v1/{path}", json.dumps(members).encode(), {"Content-Type": "application/json"})
        answer = json.loads(self.send(request))
        if not isinstance(answer, dict) or answer.get("errorCode") not in accepted:
            sys.exit(f"{path}: the answer is no success: {json.dumps(answer)}")
        return answer

    def send(self, request):
        """Sends the same bytes again if the server answers that it has too much to do: it has used nothing of them."""
        for send_count in count(1):
            try:
                with urlopen(request, timeout=TIMEOUT_SECONDS) as response:
                    return response.read()
            except HTTPError as refusal:
                if not self.bank.retry.wait(refusal.code, refusal.headers, refusal.read(), send_count):
                    raise

    def fetch_with_code(self):
        """AC channel: the bank's HMAC authenticates the request, the code authenticates the cardholder."""
        key = rsa.generate_private_key(65537, 2048)  # one key per delivery: discard it afterwards
        claim = self.bank.claim(self.unique_id, self.binding(self.encoded(key)))
        members = {**claim, "authCode": self.code, "rsaPublicKey": self.public(key)}
        answer = self.post("pin-distribution/captcha", members)
        delivery = self.open(answer["pin"], key)
        who = {"bankId": self.bank.id, "uniqueId": self.unique_id}
        self.post("pin-distribution/notify", who | self.confirmation(answer["sessionId"], delivery))
        return delivery

    def fetch_with_token(self):
        """Token channel: the bank signs the token. PCI-CPP banks such as the sandbox put the code into it."""
        key = ec.generate_private_key(ec.SECP256R1())
        binding = self.binding(self.encoded(key))
        signed = self.bank.token(self.unique_id, "00", binding, AuthenticationCode=self.code)
        answer = self.post("pin-distribution/token/captcha", {**signed, "ecdhPublicKey": self.public(key)})
        delivery = self.open(answer["pin"], key)
        confirmation = self.confirmation(answer["sessionId"], delivery)
        self.post("pin-distribution/token/notify", {"token": signed["token"], **confirmation})
        return delivery

    def define(self):
        """Defines a random PIN. If the bank refuses it as too easy to guess, tries another PIN with a new token."""
        for _ in range(20):
            pin = f"{secrets.randbelow(10_000):04}"
            # First the name of the request, then the sealed PIN for it, then the token for this sealed PIN.
            request_id = self.bank.new_request_id()
            sealed = self.bank.seal("pin", self.unique_id, pin, request_id)
            signed = self.bank.token(self.unique_id, "02", self.binding(sealed.encode()), request_id)
            members = signed | {"pin": sealed}
            answer = self.post("pin-definition/token/pin", members, accepted=(0, TOO_EASY_TO_GUESS))
            if answer["errorCode"] == 0:
                return
        sys.exit("the bank refused 20 random PINs as too easy to guess")

    def confirmation(self, session_id, delivery):
        """The hash proves that the app decrypted the delivery: its key was in the delivery."""
        key = base64.urlsafe_b64decode(delivery["notifyKey"] + "=")
        text = f"{self.bank.id}{self.unique_id}{session_id}0"  # 0: shown
        return {"sessionId": session_id, "status": 0, "hash": hmac.new(key, text.encode(), hashlib.sha256).hexdigest()}

    @staticmethod
    def open(sealed, key):
        token = jwe.JWE()
        token.deserialize(sealed, jwk.JWK.from_pyca(key))
        return json.loads(token.payload)

    @staticmethod
    def encoded(key):
        return key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)

    @classmethod
    def public(cls, key):
        return base64.b64encode(cls.encoded(key)).decode()

    @staticmethod
    def binding(sent):
        """What the bank binds its proof to: the digest of the app's key or of its sealed PIN."""
        return base64.urlsafe_b64encode(hashlib.sha256(sent).digest()).decode().rstrip("=")


def main():
    parser = command_line.parser(__doc__)
    parser.add_argument("url", type=command_line.url, help="the server, such as http://127.0.0.1:8080")
    parser.add_argument("folder", help="the sandbox's folder, such as .data/sandbox")
    parser.add_argument("cardholder", help="alice, bob or carol")
    parser.add_argument("image", help="the file for the image of the PIN, such as pin.png")
    arguments = parser.parse_args()
    app = App(arguments.url, Bank(arguments.url, arguments.folder), arguments.cardholder)
    with open(arguments.image, "wb") as image:  # before the PIN is fetched: perhaps it cannot be written
        image.write(base64.b64decode(app.fetch_with_code()["images"][0]))
    print(f"fetched {app.unique_id}'s PIN with the code: {arguments.image}, and confirmed that it was shown")
    app.fetch_with_token()
    print("fetched the PIN with a token, and confirmed that it was shown")
    app.define()
    print("defined another PIN")


if __name__ == "__main__":
    main()
