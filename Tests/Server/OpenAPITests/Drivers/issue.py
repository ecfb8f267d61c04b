"""Calls every operation for banks' back-ends and checks every kind of answer and event against openapi.yaml.

Usage: issue.py BASE_URL OPENAPI_PATH SANDBOX_FOLDER (the folder that the server's sandbox wrote).

http-message-signatures signs the calls, and verifies the signed answers. Exit status 0: every answer has the expected
status, and every answer and event is as openapi.yaml describes.
"""

import json
import sys
import uuid
from datetime import timedelta
from pathlib import Path
from urllib.parse import quote

import requests
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from jwcrypto import jwe, jwk
from openapi_spec_validator.readers import read_from_filename

import deliver
from answers import Description, require
from conform import require_loopback
from signing import IssuerSignature, answer_verifier

EVENTS_OF_AN_APP = {"pin.delivered", "pin.delivery-failed", "pin.defined", "authentication.locked"}
MEDIA_TYPES = {"PUT": "application/json", "PATCH": "application/merge-patch+json", "POST": "application/x-ndjson"}


class Issuer:
    """The sandbox bank's back-end."""

    def __init__(self, base_url, description, sandbox):
        self.base_url, self.description, self.sandbox = base_url, description, sandbox
        self.bank_id = json.loads((sandbox / "sandbox.json").read_text())["bankId"]
        self.session = requests.Session()
        self.session.trust_env = False  # no proxy
        self.signature = IssuerSignature(sandbox)
        self.verifier = answer_verifier(self.server_keys())

    def cardholder(self, status, method, unique_id, body=None, **options):
        path = "/v1/banks/{bankId}/cardholders/{uniqueId}"
        return self.call(status, method, path, {"uniqueId": unique_id}, body, **options)

    def cardholders(self, status, query="", **options):
        return self.call(status, "GET", "/v1/banks/{bankId}/cardholders", {}, query=query, **options)

    def checking(self, status, unique_id, body, **options):
        headers = {"Content-Type": "application/json"} | options.pop("headers", {})
        path = "/v1/banks/{bankId}/cardholders/{uniqueId}/identity-checks"
        return self.call(status, "POST", path, {"uniqueId": unique_id}, body, headers=headers, **options)

    def host(self, status, operation, unique_id, body, **options):
        headers = {"Content-Type": "application/json"} | options.pop("headers", {})
        path = "/v1/banks/{bankId}/cardholders/{uniqueId}/pin:" + operation
        return self.call(status, "POST", path, {"uniqueId": unique_id}, body, headers=headers, **options)

    def importing(self, status, text, **options):
        return self.call(status, "POST", "/v1/banks/{bankId}/cardholders:import", {}, text, **options)

    def events(self, status, query="", **options):
        return self.call(status, "GET", "/v1/banks/{bankId}/events", {}, query=query, **options)

    def page(self, after):
        """One page of events, whose signature is verified."""
        answer = self.events(200, f"?limit=2&after={after}&wait=1")
        self.verifier.verify(
            answer, body=answer.content, require_components=("@status", "content-digest"), max_age=timedelta(minutes=10))
        page = answer.json()
        require((page["bankId"], page["after"]) == (self.bank_id, after), f"the answer to another call: {page}")
        return page

    def acknowledging(self, status, query, **options):
        return self.call(status, "DELETE", "/v1/banks/{bankId}/events", {}, query=query, **options)

    def call(self, status, method, path, names, body=None, query="", headers=(), signed=True, bank_id=None):
        url = self.base_url + path.format(bankId=bank_id or self.bank_id, **names) + query
        headers = ({"Content-Type": MEDIA_TYPES[method]} if body is not None else {}) | dict(headers)
        body = json.dumps(body) if isinstance(body, dict) else body
        auth = self.signature if signed else None
        response = self.session.request(method, url, data=body, headers=headers, auth=auth, timeout=120)
        what = f"{method} {url}: {response.status_code} {response.text}"
        require(response.status_code == status, f"{what}\nexpected: {status}")
        self.description.require(method, path, response)
        return response

    def sealed(self, content, unique_id, text, request_id=None):
        key = next(key for key in self.server_keys() if key["kty"] == "RSA" and key["use"] == "enc")
        header = {"alg": key["alg"], "enc": "A256GCM", "kid": key["kid"]}
        header |= {"cty": content, "iss": self.bank_id, "sub": unique_id} | ({"jti": request_id} if request_id else {})
        return jwe.JWE(text.encode(), json.dumps(header), recipient=jwk.JWK(**key)).serialize(compact=True)

    def server_keys(self):
        return self.session.get(f"{self.base_url}/.well-known/jwks.json", timeout=120).json()["keys"]


def change_cardholder(issuer, unique_id):
    code, pin = issuer.sealed("authenticationCode", unique_id, "K7P2M9"), issuer.sealed("pin", unique_id, "4391  ")
    whole = {"authenticationCode": code, "pin": pin, "freeField": "Hello"}
    once = {"Idempotency-Key": str(uuid.uuid4())}
    created = issuer.cardholder(201, "PUT", unique_id, whole, headers={"If-None-Match": "*"})
    require(created.json() == {"pin": "taken"}, created.text)
    repeated = issuer.cardholder(200, "PUT", unique_id, whole | {"color": "red"})
    require(repeated.json()["pin"] == "unchanged" and len(repeated.json()["warnings"]) == 1, repeated.text)
    require(repeated.headers["ETag"] == created.headers["ETag"], "a repeated PUT changed the ETag")
    shown = issuer.cardholder(200, "GET", unique_id).json()
    require(shown["hasPin"] and shown["hasAuthenticationCode"] and shown["hasFreeField"], f"{shown}")
    same = {"If-Match": created.headers["ETag"]}
    changed = issuer.cardholder(200, "PATCH", unique_id, {"freeField": None}, headers=same | once)
    again = issuer.cardholder(200, "PATCH", unique_id, {"freeField": None}, headers=same | once)
    same_answer = again.headers["ETag"] == changed.headers["ETag"] and again.json() == changed.json()
    require(same_answer, "a repeated call with an Idempotency-Key got another answer")
    issuer.cardholder(422, "PATCH", unique_id, {"freeField": None}, headers=once)
    version_pin(issuer, unique_id)
    issuer.cardholder(412, "PATCH", unique_id, {"status": "CLOSED"}, headers=same)
    issuer.cardholder(412, "PUT", unique_id, whole, headers={"If-None-Match": "*"})
    issuer.cardholder(412, "DELETE", unique_id, headers=same)
    issuer.cardholder(422, "DELETE", unique_id, headers=once)
    issuer.cardholder(204, "DELETE", unique_id)
    for method, body in [("GET", None), ("PATCH", {"status": "CLOSED"}), ("DELETE", None)]:
        issuer.cardholder(404, method, unique_id, body)


def version_pin(issuer, unique_id):
    """With pinVersion the version decides, and then each PIN must have one."""
    pin = issuer.sealed("pin", unique_id, "4391")
    for version, result in [(1, "taken"), (1, "unchanged"), (2, "taken")]:
        answer = issuer.cardholder(200, "PATCH", unique_id, {"pin": pin, "pinVersion": version}).json()
        require(answer == {"pin": result}, f"version {version}: {answer}")
    issuer.cardholder(422, "PATCH", unique_id, {"pin": pin})
    issuer.cardholder(200, "PATCH", unique_id, {"pin": None, "authenticationCode": None, "definition": False})
    shown = issuer.cardholder(200, "GET", unique_id).json()
    missing = not shown["hasPin"] and not shown["hasAuthenticationCode"] and not shown["definition"]
    require(missing and shown["pinVersion"] == 2, f"{shown}")


def check_identity(issuer, unique_id):
    """Asks for the cardholder's document, and for what cannot be asked."""
    issuer.cardholder(201, "PUT", unique_id, {})
    document = {"clientId": "sandbox-app", "document": {"issuingState": "UTO", "documentNumber": "L898902C3"}}
    person = {"clientId": "sandbox-app", "lifetimeSeconds": 60,
              "person": {"name": "ERIKSSON<<ANNA MARIA", "dateOfBirth": "1974-08-12"}}
    ids = {issuer.checking(201, unique_id, body).json()["validationId"] for body in (document, person)}
    require(len(ids) == 2, f"two checks have the same id: {ids}")
    issuer.checking(404, "nobody", document)
    issuer.checking(401, unique_id, document, signed=False)
    issuer.checking(403, unique_id, document, bank_id="OTHER")
    issuer.checking(400, unique_id, '{"clientId":"a","clientId":"a"}')
    issuer.checking(413, unique_id, document | {"padding": "x" * 70_000})
    issuer.checking(415, unique_id, document, headers={"Content-Type": "text/plain"})
    for wrong in ({}, document | person, document | {"lifetimeSeconds": 1}, document | {"clientId": "nobody"}):
        issuer.checking(422, unique_id, wrong)


def tell_the_host(issuer, unique_id):
    """Reports a defined PIN, and asks for exports, which the sandbox's bank may not have."""
    issuer.cardholder(201, "PUT", unique_id, {})
    bank = deliver.Bank(issuer.sandbox)
    bank.codes[unique_id] = None
    define(issuer, bank, unique_id)
    event = issuer.cardholder(200, "GET", unique_id).json()["definedPin"]["event"]
    report = {"event": event, "state": "effective"}
    for body in (report | {"state": "sent"}, report | {"state": "failed", "reason": "closed"}, report, report):
        shown = issuer.host(200, "effective", unique_id, body).json()["definedPin"]
        require(shown == issuer.cardholder(200, "GET", unique_id).json()["definedPin"], f"{shown}")
        require(shown.items() >= body.items(), f"{body}: {shown}")
    issuer.host(404, "effective", "nobody", report)
    issuer.host(409, "effective", unique_id, report | {"event": "A" * 22})
    for wrong in ({}, report | {"state": "pending"}, report | {"reason": "it works"}):
        issuer.host(422, "effective", unique_id, wrong)
    for operation in ("effective", "translate", "verification-value"):
        issuer.host(401, operation, unique_id, report, signed=False)
        issuer.host(403, operation, unique_id, report, bank_id="OTHER")
        issuer.host(413, operation, unique_id, report | {"padding": "x" * 70_000})
    issuer.host(400, "effective", unique_id, '{"event":"a","event":"a"}')
    issuer.host(415, "effective", unique_id, report, headers={"Content-Type": "text/plain"})
    for operation in ("translate", "verification-value"):
        issuer.host(403, operation, unique_id, {"pinExport": "a"}, headers={"Idempotency-Key": str(uuid.uuid4())})


def list_cardholders(issuer, names):
    """Reads all pages, and finds each cardholder as GET shows them."""
    found, query = {}, ""
    while query is not None:
        page = issuer.cardholders(200, f"?limit=2{query}").json()
        found |= {shown["uniqueId"]: shown for shown in page["cardholders"]}
        query = f"&after={quote(page['next'], safe='')}" if "next" in page else None
    for name in names:
        require(found[name] == issuer.cardholder(200, "GET", name).json(), f"{name} in the list: {found[name]}")
    issuer.cardholders(400, "?limit=501")
    issuer.cardholders(400, "?after=")
    issuer.cardholders(401, signed=False)
    issuer.cardholders(403, bank_id="OTHER")


def send_what_is_refused(issuer):
    for method, body in [("GET", None), ("PUT", {}), ("PATCH", {}), ("DELETE", None)]:
        issuer.cardholder(401, method, "x", body, signed=False)
        issuer.cardholder(403, method, "x", body, bank_id="OTHER")
    issuer.cardholder(400, "PUT", "x", '{"status":"ACTIVE","status":"ACTIVE"}')
    issuer.cardholder(400, "PUT", "x", {}, headers={"If-Match": '"1", "2"'})
    issuer.cardholder(400, "PUT", "x", {}, headers={"Idempotency-Key": "k" * 129})
    issuer.cardholder(413, "PUT", "x", {"freeField": "x" * 70_000})
    issuer.cardholder(415, "PUT", "x", {}, headers={"Content-Type": "text/plain"})
    issuer.cardholder(415, "PATCH", "x", {}, headers={"Content-Type": "application/json"})
    issuer.cardholder(422, "PATCH", "x", {"pin": "4391", "status": None, "authenticationFailures": 1})
    issuer.cardholder(422, "PATCH", "x", {"pin": issuer.sealed("pin", "x", "4391"), "pinVersion": -1})
    for body in [{"op": "put"}, {"pin": ""}, {"authenticationCode": ""}]:
        issuer.cardholder(422, "PUT", "x", body)
    for body in [{"pinVersion": 1}, {"pin": ""}, {"authenticationCode": ""}, {"pinBlock": {"format": "ISO-1"}}]:
        issuer.cardholder(422, "PATCH", "x", body)
    card_number = "4111111111111111"
    refused = {"status": "OPEN", "channels": ["SMS"], "authenticationCode": "K7P2M9",
               "pin": issuer.sealed("pin", card_number, "43"), "pinBlock": {"format": "ISO-4"},
               "freeField": f"4111 {card_number}"}
    invalid = issuer.cardholder(422, "PUT", card_number, refused).json()["invalid"]
    require(len({problem["member"] for problem in invalid}) >= 6, f"not every invalid member is listed: {invalid}")
    for other in [("authenticationCode", "x", "4391"), ("pin", "y", "4391"), ("pin", "x", "4391", "jti")]:
        invalid = issuer.cardholder(422, "PUT", "x", {"pin": issuer.sealed(*other)}).json()["invalid"]
        require([problem["member"] for problem in invalid] == ["pin"], f"{other}: {invalid}")
    issuer.events(400, "?after=x")
    issuer.events(400, "?limit=0")
    issuer.events(400, "?wait=31")
    issuer.events(401, signed=False)
    issuer.events(403, bank_id="OTHER")
    for query in ["", "?upTo=", "?upTo=x", "?upTo=-1"]:
        issuer.acknowledging(400, query)
    issuer.acknowledging(409, f"?upTo={2**63 - 1}")
    issuer.acknowledging(401, "?upTo=0", signed=False)
    issuer.acknowledging(403, "?upTo=0", bank_id="OTHER")


def import_cardholders(issuer, prefix):
    names = [f"{prefix}-{n}" for n in range(3)]
    lines = [json.dumps({"uniqueId": name, "pin": issuer.sealed("pin", name, "2846")}) for name in names]
    text = "\n".join([lines[0], "no JSON", "", json.dumps({"uniqueId": f"{prefix}-x", "status": "OPEN"}), *lines[1:]])
    counts = {"lines": 6, "replaced": 0, "deleted": 0, "refused": 2, "committed": True}
    first, second = (issuer.importing(200, text).text.splitlines() for _ in range(2))
    require(json.loads(first[-1]) == counts | {"created": 3, "unchanged": 0}, first[-1])
    require(json.loads(second[-1]) == counts | {"created": 0, "unchanged": 3}, second[-1])
    operations = [
        {"op": "patch", "uniqueId": names[0], "status": "SUSPENDED"}, {"op": "delete", "uniqueId": names[1]},
        {"op": "put", "uniqueId": names[1], "color": "red"}, {"op": "delete", "uniqueId": f"{prefix}-x"},
        {"op": "patch", "uniqueId": f"{prefix}-x", "status": "ACTIVE"}, {"op": "remove", "uniqueId": names[2]},
        *({"op": op, "uniqueId": "4111111111111111"} for op in ("put", "patch", "delete"))]
    lines = issuer.importing(200, "\n".join(map(json.dumps, operations))).text.splitlines()[:-1]
    results = {line["line"]: line["result"] for line in map(json.loads, lines)}
    expected = ["replaced", "deleted", "created", "unchanged"] + 5 * ["refused"]
    require(results == dict(enumerate(expected, 1)), f"{results}")
    issuer.importing(400, text, headers={"Idempotency-Key": "once"})
    issuer.importing(401, text, signed=False)
    issuer.importing(403, text, bank_id="OTHER")
    issuer.importing(415, text, headers={"Content-Type": "application/json"})
    return names


def make_events(issuer, document, unique_id):
    """Creates every event of an app: a delivery, a failed delivery, a defined PIN, and a lock after wrong codes."""
    code, wrong_code = "K7P2M9", "AAAAAA"
    sealed_code, pin = issuer.sealed("authenticationCode", unique_id, code), issuer.sealed("pin", unique_id, "4391")
    issuer.cardholder(201, "PUT", unique_id, {"authenticationCode": sealed_code, "pin": pin})
    service, bank = deliver.Service(issuer.base_url, document), deliver.Bank(issuer.sandbox)
    bank.codes[unique_id] = code
    deliver.deliver_with_code(service, bank, unique_id)
    deliver.deliver_with_token(service, bank, unique_id, status=2)
    define(issuer, bank, unique_id)
    key = deliver.public_key(rsa.generate_private_key(65537, 2048))
    for _ in range(3):
        guess = bank.claim(unique_id) | {"authCode": wrong_code, "rsaPublicKey": key}
        post(issuer, "/v1/pin-distribution/captcha", guess, 203)


def define(issuer, bank, unique_id):
    claim = bank.claim(unique_id)
    del claim["authCode"]
    sealed = issuer.sealed("pin", unique_id, "7305", claim["timestamp"])
    post(issuer, "/v1/pin-definition/pin", claim | {"pin": sealed}, 0)


def post(issuer, path, body, code):
    answer = issuer.session.post(issuer.base_url + path, json=body, timeout=120).json()
    require(answer["errorCode"] == code, f"{path}: {answer}")


def read_events(issuer, unique_id):
    found, after = [], "0"
    while True:
        page = issuer.page(after)
        if not page["events"]:
            require(page["next"] == after, "the cursor changed, but there was no event")
            break
        found, after = found + page["events"], page["next"]
    events = {event["type"]: event["data"] for event in found if event["uniqueId"] == unique_id}
    types = [event["type"] for event in found if event["uniqueId"] == unique_id]
    require(set(types) == EVENTS_OF_AN_APP and len(types) == len(EVENTS_OF_AN_APP), f"events of {unique_id}: {types}")
    lock = events["authentication.locked"]
    require(lock == {"lockedBy": ["authenticationFailures"]}, f"lock of {unique_id}: {lock}")
    return after


def take_defined_pin(issuer, unique_id, after):
    """Opens a defined PIN, acknowledges it, and finds the event without it."""
    issuer.cardholder(201, "PUT", unique_id, {})
    bank = deliver.Bank(issuer.sandbox)
    bank.codes[unique_id] = None
    # Another user of the sandbox can acknowledge the event first, so there are several attempts.
    for _ in range(5):
        define(issuer, bank, unique_id)
        event, after = next_event(issuer, unique_id, after)
        if "pin" in event["data"]:
            break
    issuer.description.require_schema({"$ref": "#/components/schemas/PINSealedToBank"}, event["data"]["pin"])
    token = jwe.JWE()
    key = load_pem_private_key((issuer.sandbox / "encryption-key.pem").read_bytes(), None)
    token.deserialize(event["data"]["pin"], jwk.JWK.from_pyca(key))
    issuer.description.require_schema({"$ref": "#/components/schemas/BankHeader"}, token.jose_header)
    names = {"cty": "pin", "iss": issuer.bank_id, "sub": unique_id, "jti": event["id"]}
    require(token.jose_header.items() >= names.items(), f"{token.jose_header}")
    require(token.payload == b"7305".ljust(16), "the event has another PIN")
    for _ in range(2):
        issuer.acknowledging(204, f"?upTo={after}")
    again, _ = next_event(issuer, unique_id, "0", event["id"])
    require(again == event | {"data": {}}, f"after its acknowledgement: {again}")


def next_event(issuer, unique_id, after, event_id=None):
    """A cardholder's next event, or the one with this id, and the cursor after its page."""
    while True:
        page = issuer.page(after)
        require(page["events"], f"there is no event of {unique_id}")
        after = page["next"]
        for event in page["events"]:
            if event["uniqueId"] == unique_id and event_id in (None, event["id"]):
                return event, after


if __name__ == "__main__":
    base_url, openapi_path, sandbox = sys.argv[1].rstrip("/"), sys.argv[2], Path(sys.argv[3])
    require_loopback(base_url)
    document = read_from_filename(openapi_path)[0]
    issuer = Issuer(base_url, Description(document), sandbox)
    name = f"issue-{uuid.uuid4()}"[:40]
    change_cardholder(issuer, name)
    send_what_is_refused(issuer)
    check_identity(issuer, f"{name}-id")
    tell_the_host(issuer, f"{name}-host")
    list_cardholders(issuer, import_cardholders(issuer, name))
    make_events(issuer, document, name)
    take_defined_pin(issuer, f"{name}-pin", read_events(issuer, name))
