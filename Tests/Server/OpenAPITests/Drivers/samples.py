"""Runs the code samples of the page at /docs against a sandbox, and checks the syntax of those that cannot run here.

Usage: samples.py SERVER_URL DOCS_FOLDER SANDBOX_FOLDER

The samples have the examples of openapi.json. So that the server serves them, this puts real values into the document first:
samples in curl, Python and JavaScript (Node.js) then succeed. Those in Java are compiled with the Android library, those in
Swift are parsed. Exit status 0: all of that is so.
"""

import base64
import copy
import functools
import json
import os
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import quote
from urllib.request import urlopen

from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwcrypto import jwe, jwk
from requests import Request

from answers import require
from signing import IssuerSignature

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[3]
sys.path.insert(0, str(ROOT / "examples"))

from app import App  # noqa: E402
from bank import Bank  # noqa: E402

LANGUAGES = ("curl", "Python", "Swift", "Java", "JavaScript")
NEW_PIN = "829517"
RUN_SECONDS = 60
COMPILE_SECONDS = 300
# The codes of samples with the library that need another call before them: no fetch has left a key, or no keypad is there.
ALONE = {"notify": "90000", "tokenNotify": "90000", "definePINIndexes": "214"}
# The kinds of problems that answer samples: the bank has no exports here, and its cardholder has not defined their PIN.
REFUSED = {"translatePIN": "pin-exports-off", "makeVerificationValue": "pin-exports-off", "reportDefinedPIN": "other-pin"}


class Samples:
    def __init__(self, url, docs, sandbox, folder):
        self.url, self.sandbox, self.folder = url, Path(sandbox), Path(folder)
        self.bank = Bank(url, sandbox)
        self.document = json.loads((Path(docs) / "openapi.json").read_text(encoding="utf-8"))
        # Node.js takes a file for a module if the package says so.
        (self.folder / "package.json").write_text('{"type": "module"}')
        for script in [*Path(docs).glob("*.js"), ROOT / "Sources/Clients/CardCompanionJS/card-companion.js"]:
            shutil.copy(script, self.folder)

    def written(self, document):
        """The samples of a document: {operationId: {language: text}}."""
        module, program = str(self.folder / "samples.js"), [needed("node"), str(HERE / "samples.mjs")]
        result = subprocess.run(
            [*program, module, self.url], input=json.dumps(document), capture_output=True, text=True, timeout=RUN_SECONDS)
        require(result.returncode == 0, f"the samples cannot be generated: {result.stderr}")
        return json.loads(result.stdout)

    def operations(self):
        for path, item in self.document["paths"].items():
            for method, operation in item.items():
                if "operationId" in operation:
                    yield operation["operationId"], method, path

    def with_body(self, document, operation_id, value):
        """Puts a value in place of the operation's first example."""
        for name, method, path in self.operations():
            if name == operation_id:
                [content] = document["paths"][path][method]["requestBody"]["content"].values()
                next(iter(content["examples"].values()))["value"] = value

    # Real values.

    def cardholder(self):
        """A new cardholder, whom no other test knows, as an app that is signed in."""
        unique_id, code = f"samples-{secrets.token_hex(6)}", f"{secrets.randbelow(10 ** 8):08}"
        sealed = {"authenticationCode": self.bank.seal("authenticationCode", unique_id, code),
                  "pin": self.bank.seal("pin", unique_id, "4391")}
        self.bank.call("PUT", f"cardholders/{unique_id}", json.dumps(sealed).encode())
        app = App.__new__(App)
        app.url, app.bank, app.unique_id, app.code = self.url, self.bank, unique_id, code
        return app

    def body(self, operation_id, is_raw):
        """A body that the server serves. `is_raw`: the sample has all members; else the library makes keys and seals."""
        app = self.cardholder()
        if operation_id == "keypadCoordinates":
            return {"bankId": self.bank.id, "uniqueId": app.unique_id, "keypadSize": 12}
        if operation_id.startswith("define"):
            return self.definition(operation_id, app)
        is_token = operation_id.startswith("token")
        key = ec.generate_private_key(ec.SECP256R1()) if is_token else rsa.generate_private_key(65537, 2048)
        binding = app.binding(app.encoded(key)) if is_raw else None
        if is_token:
            signed = self.bank.token(app.unique_id, "00", binding, AuthenticationCode=app.code)
            fetch, who = signed | {"ecdhPublicKey": app.public(key)}, {"token": signed["token"]}
        else:
            claim = self.bank.claim(app.unique_id, binding)
            fetch = claim | {"authCode": app.code, "rsaPublicKey": app.public(key)}
            who = {"bankId": self.bank.id, "uniqueId": app.unique_id}
        if operation_id in ("captcha", "tokenCaptcha"):
            return fetch
        answer = app.post(f"pin-distribution/{'token/' if is_token else ''}captcha", fetch)
        return who | app.confirmation(answer["sessionId"], app.open(answer["pin"], key))

    def definition(self, operation_id, app):
        if operation_id == "definePIN":
            claim = self.bank.claim(app.unique_id)
            return claim | {"pin": self.sealed("RSA", "pin", app.unique_id, claim["timestamp"], NEW_PIN)}
        request_id = self.bank.new_request_id()
        signed = self.bank.token(app.unique_id, "02", request_id=request_id)
        if operation_id == "definePINToken":
            return signed | {"pin": self.sealed("EC", "pin", app.unique_id, request_id, NEW_PIN)}
        names = {"bankId": self.bank.id, "uniqueId": app.unique_id, "keypadSize": 12}
        answer = app.post("pin-definition/keypad-coordinates", names)
        indexes, keypad = ",".join(str(answer["keypad"].index(digit)) for digit in NEW_PIN), answer["keypadId"]
        sealed = self.sealed("EC", "indexes", app.unique_id, request_id, indexes, keypadId=keypad)
        return signed | {"indexes": sealed, "keypadId": keypad}

    def sealed(self, kind, content, unique_id, request_id, text, **more):
        """A value that is sealed to the server's first key of this kind."""
        with urlopen(f"{self.url}/.well-known/jwks.json") as answer:
            keys = json.load(answer)["keys"]
        key = next(key for key in keys if key["kty"] == kind and key["use"] == "enc")
        header = {"alg": key["alg"], "enc": "A256GCM", "kid": key["kid"], "cty": content}
        header |= {"iss": self.bank.id, "sub": unique_id, "jti": request_id} | more
        padded = text.ljust(64 if content == "indexes" else 16).encode()
        return jwe.JWE(padded, json.dumps(header), recipient=jwk.JWK(**key)).serialize(compact=True)

    def real(self, is_raw):
        """The document with values that the server serves, in the names of a new cardholder."""
        document, unique_id = copy.deepcopy(self.document), f"samples-{secrets.token_hex(6)}"
        parameters = document["components"]["parameters"]
        parameters["BankId"]["example"], parameters["UniqueId"]["example"] = self.bank.id, unique_id
        events = document["paths"]["/v1/banks/{bankId}/events"]
        events["delete"]["parameters"][0]["example"] = json.loads(self.bank.call("GET", "events?limit=1")[1])["next"]
        for operation_id, _, path in self.operations():
            if path.startswith("/v1/pin-"):
                self.with_body(document, operation_id, self.body(operation_id, is_raw))
        code = self.bank.seal("authenticationCode", unique_id, "39175286")
        self.with_body(document, "putCardholder", {
            "status": "ACTIVE", "channels": ["AC", "TOKEN"], "authenticationCode": code, "definition": True,
            "pin": self.bank.seal("pin", unique_id, "4391"), "freeField": "Your card's number ends in 4711"})
        self.with_body(document, "makeIdentityCheck", {
            "clientId": "sandbox-app", "document": {"issuingState": "UTO", "documentNumber": "C01X00T47"}})
        line = {"op": "patch", "uniqueId": unique_id, "freeField": "It is \\ \" on its way"}
        self.with_body(document, "importCardholders", json.dumps(line) + "\n")
        return document

    # What runs.

    def run_all(self, language):
        document = self.real(is_raw=language != "JavaScript")
        samples = self.written(document)
        # A cardholder must be there before it is changed, and is erased last.
        order = sorted(self.operations(), key=lambda one: {"putCardholder": 0, "deleteCardholder": 2}.get(one[0], 1))
        for operation_id, method, path in order:
            if operation_id == "verifyDocument" and language != "curl":
                continue  # needs libraries that are not here
            text = samples[operation_id][language]
            signature = self.signature(document, method, path)
            output = getattr(self, f"run_{language.lower()}")(text, signature, operation_id)
            self.require_success(operation_id, language, path, output)

    def signature(self, document, method, path):
        """The fields that sign a back-end's call; none if it is not one."""
        item = document["paths"][path]
        operation = item[method]
        if not operation.get("security"):
            return {}
        every = [self.parameter(document, one) for one in [*item.get("parameters", []), *operation.get("parameters", [])]]
        for one in every:
            path = path.replace(f"{{{one['name']}}}", quote(str(one.get("example")), safe=""))
        query = "&".join(f"{one['name']}={one['example']}" for one in every if one["in"] == "query" and one.get("required"))
        body = None
        for media_type, content in operation.get("requestBody", {}).get("content", {}).items():
            value = next(iter(content["examples"].values()))["value"]
            body = value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
        headers = {one["name"]: one["example"] for one in every if one["in"] == "header" and one.get("required")}
        request = Request(method.upper(), self.url + path + (f"?{query}" if query else ""), headers, data=body).prepare()
        fields = IssuerSignature(self.sandbox)(request).headers
        return {name: fields[name] for name in ("Content-Digest", "Signature-Input", "Signature") if name in fields}

    @staticmethod
    def parameter(document, one):
        return document["components"]["parameters"][one["$ref"].rpartition("/")[2]] if "$ref" in one else one

    def run_curl(self, text, signature, operation_id):
        variables = {name.lower().replace("-", "_"): value for name, value in signature.items()}
        is_cut = operation_id == "verifyDocument"  # the session stays open
        return run(["sh", "-c", text], self.folder, {**os.environ, **variables}, statuses=(28,) if is_cut else (0,))

    def run_python(self, text, _, operation_id):
        program = [sys.executable, "-B", "-c", text.replace(".data/sandbox", str(self.sandbox))]
        return run(program, ROOT, statuses=(0, 1) if operation_id in REFUSED else (0,))

    def run_javascript(self, text, signature, *_):
        (self.folder / "sample.js").write_text(f"const signature = {json.dumps(signature)};\n{text}")
        return run([needed("node"), "sample.js"], self.folder)

    def require_success(self, operation_id, language, path, output):
        what = f"{operation_id} in {language}: {output}"
        if operation_id == "verifyDocument":
            return require(output.startswith("HTTP/1.1 101 "), what)
        if path.startswith("/v1/pin-"):
            code = re.search(r'^(\d+) |"errorCode":\s*(\d+)', output)
            expected = ALONE.get(operation_id, "0") if language == "JavaScript" else "0"
            return require(code and (code[1] or code[2]) == expected, what)
        if operation_id in REFUSED:
            return require(f"urn:card-companion:problem:{REFUSED[operation_id]}" in output, what)
        status = re.match(r"(\d{3}) ", output)
        is_empty = operation_id in ("deleteCardholder", "acknowledgeEvents", "liveness") or output.strip()
        return require((not status or status[1].startswith("2")) and '"detail"' not in output and is_empty, what)

    # What is compiled or parsed.

    def compile_java(self, samples):
        sources = self.folder / "java"
        sources.mkdir()
        for operation_id, texts in samples.items():
            imports, _, statements = texts["Java"].partition("\n\n")
            (sources / f"Sample_{operation_id}.java").write_text(
                f"{imports}\nclass Sample_{operation_id} {{\n"
                f"static void run(Object context, String[] signature) throws Exception {{\n{statements}}}\n}}\n")
        library = ROOT / "Sources/Clients/CardCompanionAndroid/java"
        options = ["-proc:none", "-sourcepath", str(library), "-d", str(self.folder / "classes")]
        files = sorted(str(file) for file in sources.glob("*.java"))
        run([needed("javac"), *options, *files], self.folder, seconds=COMPILE_SECONDS)

    def parse_swift(self, samples):
        for operation_id, texts in samples.items():
            file = self.folder / f"{operation_id}.swift"
            file.write_text(texts["Swift"])
            run([needed("swiftc"), "-parse", str(file)], self.folder)


def run(arguments, folder, environment=None, statuses=(0,), seconds=RUN_SECONDS):
    result = subprocess.run(
        arguments, cwd=folder, env=environment, capture_output=True, text=True, timeout=seconds)
    require(result.returncode in statuses, f"{arguments}: {result.returncode} {result.stdout}{result.stderr}")
    return result.stdout + (result.stderr if result.returncode else "")


@functools.cache
def needed(program):
    path = shutil.which(program)
    require(path, f"{program} is not on the PATH: deploy/install-packages test")
    return path


def check(url, docs, sandbox):
    with tempfile.TemporaryDirectory(prefix="card-companion-samples-") as folder:
        samples = Samples(url, docs, sandbox, folder)
        written = samples.written(samples.document)
        for operation_id, _, _ in samples.operations():
            require(tuple(written[operation_id]) == LANGUAGES, f"{operation_id} has samples in {[*written[operation_id]]}")
            compile(written[operation_id]["Python"], operation_id, "exec")
        samples.parse_swift(written)
        samples.compile_java(written)
        for language in ("curl", "Python", "JavaScript"):
            samples.run_all(language)


if __name__ == "__main__":
    check(*sys.argv[1:4])
