"""Makes each call of openapi.yaml with the generated client. generate.py calls it."""

import base64
import json
import pkgutil
import time
import uuid
from io import BytesIO

import attrs
import httpx
from card_companion_client import AuthenticatedClient, Client, api, models
from card_companion_client.api.cardholders import (
    delete_cardholder, get_cardholder, import_cardholders, list_cardholders, patch_cardholder, put_cardholder)
from card_companion_client.api.document_verification import make_identity_check, verify_document
from card_companion_client.api.events import acknowledge_events, get_events
from card_companion_client.api.issuer_host import make_verification_value, report_defined_pin, translate_pin
from card_companion_client.api.keys import key_set
from card_companion_client.api.pin_definition import (
    define_pin, define_pin_indexes, define_pin_token, keypad_coordinates)
from card_companion_client.api.pin_distribution import captcha, notify, token_captcha, token_notify
from card_companion_client.api.service import audit_seal, liveness, open_api, readiness
from card_companion_client.types import UNSET, File
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwcrypto import jwe, jwk

import deliver
from answers import require
from signing import ClientSignature

METHODS = {"get", "put", "post", "patch", "delete"}
CODE, WRONG_CODE = "K7P2M9", "AAAAAA"
TIMEOUT_SECONDS = 60
SHOWN_CHARACTERS = 2000


class Caller:
    """Makes calls with the generated client, checks their answers, and knows which operations it has called."""

    def __init__(self, base_url, sandbox):
        self.apps = Client(base_url, httpx_args={"trust_env": False}, raise_on_unexpected_status=True)
        # The client is the bank's: httpx signs its calls. So it needs no token.
        signed = httpx.Client(
            base_url=base_url, auth=ClientSignature(sandbox), trust_env=False, timeout=TIMEOUT_SECONDS)
        self.back_end = AuthenticatedClient(base_url, token="", raise_on_unexpected_status=True)
        self.back_end.set_httpx_client(signed)
        self.called = set()

    def call(self, operation, status, kind, *path, client=None, **arguments):
        """Calls an operation, and returns the answer, which must have this status and an object of this kind."""
        client = client or (self.back_end if path else self.apps)
        answer = operation.sync_detailed(*path, client=client, **arguments)
        what = f"{operation.__name__}: {answer.status_code} {answer.content.decode()[:SHOWN_CHARACTERS]}"
        require(answer.status_code == status, f"{what}\nexpected: {status}")
        require(isinstance(answer.parsed, kind), f"{what}\nis a {type(answer.parsed)}, expected: {kind}")
        if attrs.has(kind) and kind is not File:
            require_complete(answer.parsed, answer.content)
        self.called.add(operation.__name__)
        return answer

    def require_each_operation(self, document):
        """Fails unless the client has a module for each operation of openapi.yaml, and each was called."""
        modules = pkgutil.walk_packages(api.__path__, f"{api.__name__}.")
        names = {module.name for module in modules if not module.ispkg}
        described = [operation for item in document["paths"].values() for operation in item if operation in METHODS]
        require(len(names) == len(described), f"the client has {len(names)} of {len(described)} operations")
        require(names == self.called, f"operations that were not called: {names - self.called}")


def require_complete(value, content):
    """The object has all members of the answer, and its classes describe each of them."""
    require(value.to_dict() == json.loads(content), f"{value} differs from {content}")
    require_described(value)


def require_described(value):
    if isinstance(value, list):
        return [require_described(element) for element in value]
    if not attrs.has(type(value)):
        return
    undescribed = getattr(value, "additional_properties", {})
    require(not undescribed, f"{type(value)} does not describe {undescribed}")
    for field in attrs.fields(type(value)):
        require_described(getattr(value, field.name))


class Sealing:
    """Seals values to the server's keys for one cardholder of the bank."""

    def __init__(self, keys, bank_id, unique_id):
        self.keys, self.binding = keys, {"iss": bank_id, "sub": unique_id}

    def seal(self, key_class, content, text, request_id=None, **more):
        """Seals a text to the server's first key of this class, and binds it to the cardholder and the request."""
        key = next(key for key in self.keys if isinstance(key, key_class))
        header = {"alg": key.alg, "enc": "A256GCM", "kid": key.kid, "cty": content} | self.binding | more
        header |= {"jti": request_id} if request_id else {}
        return jwe.JWE(text.encode(), json.dumps(header), recipient=jwk.JWK(**key.to_dict())).serialize(compact=True)


def read_service(caller):
    for operation in (liveness, readiness):
        health = caller.call(operation, 200, models.Health).parsed
        require(health.status == "ok", f"{health}")
    document = caller.call(open_api, 200, type(None)).content  # YAML, which the generated client does not read
    require(document.startswith(b"openapi: 3.1"), f"{document[:SHOWN_CHARACTERS]}")
    read_seal(caller)
    keys = caller.call(key_set, 200, models.KeySet).parsed
    for kind in (models.RSAKey, models.ECKey, models.SigningKey):
        require(any(isinstance(key, kind) for key in keys.keys), f"the server has no {kind}")
    return keys.keys


def read_seal(caller):
    """Reads the newest seal. A server that has just started has seen none yet."""
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while audit_seal.sync_detailed(client=caller.apps).status_code == 404:
        require(time.monotonic() < deadline, "there is no seal")
        time.sleep(0.5)
    seal = caller.call(audit_seal, 200, models.AuditSeal).parsed
    require(seal.number >= 1 and seal.epoch == 1, f"{seal}")


def change_cardholder(caller, path, sealing):
    code = sealing.seal(models.RSAKey, "authenticationCode", CODE)
    pin = sealing.seal(models.ECKey, "pin", "4391")
    whole = models.CardholderPut(
        status=models.CardholderStatus.ACTIVE, channels=[models.ChannelsItem.AC, models.ChannelsItem.TOKEN],
        definition=True, authentication_code=code, pin=pin, pin_version=1, free_field="Your card ends in 4711")
    created = caller.call(
        put_cardholder, 201, models.CardholderAnswer, *path, body=whole, if_none_match="*",
        idempotency_key=f"{path[1]}-put")
    require(created.parsed.pin is models.PINResult.TAKEN, f"{created}")
    same = {"if_match": created.headers["ETag"]}
    whole["color"] = "red"
    again = caller.call(put_cardholder, 200, models.CardholderAnswer, *path, body=whole, **same).parsed
    require(again.pin is models.PINResult.UNCHANGED and again.warnings[0].member == "color", f"{again}")

    change = models.CardholderPatch(free_field=None, status=models.CardholderStatus.SUSPENDED)
    once = {"idempotency_key": f"{path[1]}-patch"}
    caller.call(patch_cardholder, 200, models.CardholderAnswer, *path, body=change, **same, **once)
    shown = caller.call(get_cardholder, 200, models.CardholderView, *path).parsed
    require(shown.status is models.CardholderStatus.SUSPENDED and not shown.has_free_field, f"{shown}")
    require(shown.has_pin and shown.pin_version == 1 and shown.delivered_at is UNSET, f"{shown}")

    caller.call(patch_cardholder, 412, models.VersionProblem, *path, body=change, **same)
    caller.call(put_cardholder, 412, models.VersionProblem, *path, body=whole, if_none_match="*")
    caller.call(delete_cardholder, 412, models.VersionProblem, *path, **same)
    caller.call(put_cardholder, 422, models.IdempotencyKeyReusedProblem, *path, body=whole, **once)
    caller.call(put_cardholder, 400, models.PreconditionProblem, *path, body=whole, **same, if_none_match="*")
    caller.call(put_cardholder, 400, models.IdempotencyKeyProblem, *path, body=whole, idempotency_key="k" * 129)
    wrong = models.CardholderPatch(pin="4391", pin_block="4391")
    problem = caller.call(patch_cardholder, 422, models.InvalidMembersProblem, *path, body=wrong).parsed
    require({invalid.member for invalid in problem.invalid} == {"pin", "pinBlock"}, f"{problem}")
    active = models.CardholderPatch(status=models.CardholderStatus.ACTIVE)
    caller.call(patch_cardholder, 200, models.CardholderAnswer, *path, body=active)


def check_identity(caller, path):
    document = models.IdentityCheckRequestDocument(issuing_state="UTO", document_number="L898902C3")
    request = models.IdentityCheckRequest(client_id="sandbox-app", document=document)
    made = caller.call(make_identity_check, 201, models.IdentityCheck, *path, body=request).parsed
    require(made.client_id == "sandbox-app", f"{made}")
    request.client_id = "nobody"
    problem = caller.call(make_identity_check, 422, models.InvalidMembersProblem, *path, body=request).parsed
    require([invalid.member for invalid in problem.invalid] == ["clientId"], f"{problem}")
    caller.call(verify_document, 426, models.Problem)


def tell_the_host(caller, path):
    """Reports a defined PIN, and asks for exports, which the bank does not have here."""
    event = caller.call(get_cardholder, 200, models.CardholderView, *path).parsed.defined_pin.event
    report = models.DefinedPINReport(event=event, state=models.DefinedPINReportState.EFFECTIVE)
    answer = caller.call(report_defined_pin, 200, models.DefinedPINAnswer, *path, body=report).parsed
    require(answer.defined_pin.state == models.DefinedPINViewState.EFFECTIVE, f"{answer}")
    report.event = "A" * 22
    caller.call(report_defined_pin, 409, models.OtherPINProblem, *path, body=report)
    sealed, key = "a.b.c.d.e", str(uuid.uuid4())
    translation = models.TranslationRequest(pin_export=sealed)
    caller.call(translate_pin, 403, models.PINExportsOffProblem, *path, body=translation, idempotency_key=key)
    value = models.VerificationValueRequest(pin_export=sealed)
    caller.call(make_verification_value, 403, models.PINExportsOffProblem, *path, body=value, idempotency_key=key)


def list_and_erase(caller, bank_id, names):
    """Finds the cardholders in the list, page by page, and erases them."""
    found, after = set(), UNSET
    while True:
        page = caller.call(list_cardholders, 200, models.CardholderList, bank_id, limit=4, after=after).parsed
        found |= {shown.unique_id for shown in page.cardholders}
        after = page.next_
        if after is UNSET:
            break
    require(found >= set(names), f"the list has no {set(names) - found}")
    for name in names:
        caller.call(delete_cardholder, 204, type(None), bank_id, name)
        caller.call(delete_cardholder, 404, models.NoCardholderProblem, bank_id, name)
        caller.call(get_cardholder, 404, models.NoCardholderProblem, bank_id, name)
    nobody = models.CardholderPatch(definition=False)
    caller.call(patch_cardholder, 404, models.NoCardholderProblem, bank_id, names[0], body=nobody)


def import_lines(caller, bank_id, names, keys):
    first, second = names
    pin = Sealing(keys, bank_id, first).seal(models.RSAKey, "pin", "2846")
    put = models.PutLine(unique_id=first, pin=pin)
    put["color"] = "red"
    suspended = models.PatchLine(op="patch", unique_id=first, status=models.CardholderStatus.SUSPENDED)
    lines = [
        put, suspended, models.DeleteLine(op="delete", unique_id=second), models.PutLine(unique_id=second, op="put"),
        models.PatchLine(op="patch", unique_id=f"{second}-x", definition=False)]
    text = "".join(json.dumps(line.to_dict()) + "\n" for line in lines)
    answer = caller.call(import_cardholders, 200, File, bank_id, body=File(BytesIO(text.encode()))).parsed
    *results, summary = answer.payload.read().splitlines()
    written = [complete(models.WrittenLine, line) for line in results if b"refused" not in line]
    refused = [complete(models.RefusedLine, line) for line in results if b"refused" in line]
    expected = [(1, "created"), (2, "replaced"), (3, "unchanged"), (4, "created")]
    require(sorted((line.line, line.result.value) for line in written) == expected, f"{written}")
    require(len(refused) == 1 and refused[0].error[0].reason, f"{refused}")
    summary = complete(models.ImportSummary, summary)
    require(summary.committed and (summary.lines, summary.created, summary.refused) == (5, 2, 1), f"{summary}")


def complete(kind, content):
    value = kind.from_dict(json.loads(content))
    require_complete(value, content)
    return value


def deliver_pins(caller, bank, unique_id):
    """Fetches the PIN with a code, and confirms that it was shown. Fetches it with a token, and reports a failure."""
    key = rsa.generate_private_key(65537, 2048)
    members = bank.claim(unique_id) | {"rsaPublicKey": deliver.public_key(key)}
    request = models.CaptchaRequest.from_dict(members)
    delivered = caller.call(captcha, 200, models.CaptchaDelivered, body=request).parsed
    who = {"bankId": bank.id, "uniqueId": unique_id}
    shown = who | deliver.confirmation(bank, unique_id, delivered.to_dict(), opened(delivered.pin, key))
    code = caller.call(notify, 200, models.NotifyAnswer, body=models.NotifyRequest.from_dict(shown)).parsed
    require(code.error_code == 0, f"{code}")

    key = ec.generate_private_key(ec.SECP256R1())
    token, signature = bank.signed_token(unique_id)
    request = models.TokenCaptchaRequest(token, signature, deliver.public_key(key))
    delivered = caller.call(token_captcha, 200, models.TokenCaptchaDelivered, body=request).parsed
    confirmation = deliver.confirmation(bank, unique_id, delivered.to_dict(), opened(delivered.pin, key), status=2)
    failed = models.TokenNotifyRequest.from_dict({"token": token} | confirmation)
    code = caller.call(token_notify, 200, models.TokenNotifyAnswer, body=failed).parsed
    require(code.error_code == 0, f"{code}")
    refused = caller.call(token_captcha, 200, models.TokenCaptchaRefused, body=request).parsed
    require(refused.error_code == 210, f"{refused}")


def opened(sealed, key):
    token = jwe.JWE()
    token.deserialize(sealed, jwk.JWK.from_pyca(key))
    delivered = complete(models.DeliveredPIN, token.payload)
    require(base64.b64decode(delivered.images[0]).startswith(b"\x89PNG"), "the PIN is not a PNG")
    return delivered.to_dict()


def define_pins(caller, bank, unique_id, sealing):
    """Defines a PIN by HMAC, by token, and by token on a keypad."""
    claim = bank.claim(unique_id)
    del claim["authCode"]
    pin = sealing.seal(models.RSAKey, "pin", "7305", claim["timestamp"])
    accept(caller, define_pin, models.DefinePINAnswer, models.DefinePINRequest.from_dict(claim | {"pin": pin}))

    token, signature = bank.signed_token(unique_id, "02")
    request_id = json.loads(token)["IdTransaction"]
    request = models.DefinePINTokenRequest(token, signature, sealing.seal(models.ECKey, "pin", "8306", request_id))
    accept(caller, define_pin_token, models.DefinePINTokenAnswer, request)

    size = models.KeypadCoordinatesRequest(bank.id, unique_id, keypad_size=12)
    keypad = caller.call(keypad_coordinates, 200, models.KeypadCoordinates, body=size).parsed
    places = {str(digit): place for place, digit in enumerate(keypad.to_dict()["keypad"]) if digit}
    require(len(keypad.keypad) == 12 and len(places) == 10, f"{keypad}")
    token, signature = bank.signed_token(unique_id, "02")
    indexes = sealing.seal(
        models.ECKey, "indexes", ",".join(str(places[digit]) for digit in "2947"), json.loads(token)["IdTransaction"],
        keypadId=keypad.keypad_id)
    request = models.DefinePINIndexesRequest(token, signature, indexes, keypad.keypad_id)
    accept(caller, define_pin_indexes, models.DefinePINIndexesAnswer, request)
    size.keypad_size = 9
    refused = caller.call(keypad_coordinates, 200, models.KeypadCoordinatesRefused, body=size).parsed
    require(refused.error_code == 212, f"{refused}")


def accept(caller, operation, kind, request):
    answer = caller.call(operation, 200, kind, body=request).parsed
    require(answer.error_code == 0, f"{operation.__name__}: {answer}")


def lock(caller, bank, unique_id):
    key = deliver.public_key(rsa.generate_private_key(65537, 2048))
    for code in (203, 203, 203, 307):
        guess = models.CaptchaRequest.from_dict(
            bank.claim(unique_id) | {"authCode": WRONG_CODE, "rsaPublicKey": key})
        refused = caller.call(captcha, 200, models.CaptchaRefused, body=guess).parsed
        require(refused.error_code == code, f"{refused}")


def read_events(caller, bank_id, unique_id):
    """Reads all events, acknowledges them, and finds those of the cardholder."""
    found, after = [], UNSET
    while True:
        page = caller.call(get_events, 200, models.EventPage, bank_id, after=after, limit=100, wait=1).parsed
        if not page.events:
            break
        found, after = found + page.events, page.next_
    caller.call(acknowledge_events, 204, type(None), bank_id, up_to=after)
    caller.call(acknowledge_events, 409, models.CursorProblem, bank_id, up_to=str(2**63 - 1))
    caller.call(acknowledge_events, 400, models.QueryProblem, bank_id, up_to="x")
    kinds = [type(event) for event in found if getattr(event, "unique_id", None) == unique_id]
    defined = 3 * [models.PINDefinedEvent]
    expected = [models.PINDeliveredEvent, models.PINDeliveryFailedEvent, *defined, models.AuthenticationLockedEvent]
    require(kinds == expected, f"{kinds}")


def send_what_is_refused(caller, bank_id):
    for operation in (get_cardholder, delete_cardholder):
        caller.call(operation, 401, models.SignatureProblem, bank_id, "x", client=caller.apps)
        caller.call(operation, 403, models.ForbiddenProblem, "OTHER", "x")
    for operation in (list_cardholders, get_events):
        caller.call(operation, 401, models.SignatureProblem, bank_id, client=caller.apps)
        caller.call(operation, 403, models.ForbiddenProblem, "OTHER")
        caller.call(operation, 400, models.QueryProblem, bank_id, limit=501)
    lines = File(BytesIO(b"{}"))
    caller.call(import_cardholders, 401, models.SignatureProblem, bank_id, body=lines, client=caller.apps)


def call_each_operation(base_url, document, sandbox):
    caller, bank = Caller(base_url, sandbox), deliver.Bank(sandbox)
    name = f"client-{uuid.uuid4()}"[:40]
    bank.codes[name] = CODE
    keys = read_service(caller)
    sealing = Sealing(keys, bank.id, name)
    change_cardholder(caller, (bank.id, name), sealing)
    check_identity(caller, (bank.id, name))
    deliver_pins(caller, bank, name)
    define_pins(caller, bank, name, sealing)
    tell_the_host(caller, (bank.id, name))
    lock(caller, bank, name)
    read_events(caller, bank.id, name)
    imported = [f"{name}-1", f"{name}-2"]
    import_lines(caller, bank.id, imported, keys)
    list_and_erase(caller, bank.id, [name, *imported])
    send_what_is_refused(caller, bank.id)
    caller.require_each_operation(document)
