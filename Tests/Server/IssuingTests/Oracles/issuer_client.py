"""A bank's back-end in Python, with requests and the package for back-ends.

The command-line argument names the function. Standard input is its arguments, as a JSON object of strings. Standard
output is the result, in the same format.
"""

import json
import sys
from pathlib import Path

import requests
from cryptography.hazmat.primitives.serialization import load_pem_private_key

sys.path.insert(0, str(Path(__file__).resolve().parents[4] / "Sources/Clients/CardCompanionBackEndPython"))

from card_companion_backend import RequestSigner


def signer(arguments):
    """The package's dependency, http-message-signatures, makes the signature."""
    text, algorithm = arguments["privateKey"], arguments["algorithm"]
    key = bytes.fromhex(text) if algorithm == "hmac-sha256" else load_pem_private_key(text.encode(), None)
    return RequestSigner(arguments["keyid"], key, algorithm)


def call(arguments):
    """Signs a call and sends it."""
    body = arguments["body"].encode()
    headers = {"Content-Type": "application/json"} if body else {}
    request = requests.Request(arguments["method"], arguments["url"], headers=headers, data=body).prepare()
    request.headers.update(signer(arguments).sign(request.method, request.url, request.headers, body))
    session = requests.Session()
    session.trust_env = False  # no proxy
    answer = session.send(request)
    return {"status": str(answer.status_code), "ETag": answer.headers.get("ETag", ""), "body": answer.text}


if __name__ == "__main__":
    questions = [call]
    question = {question.__name__: question for question in questions}[sys.argv[1]]
    json.dump(question(json.load(sys.stdin)), sys.stdout)
