"""A bank's back-end in Python, with requests and http-message-signatures.

The command-line argument names the function. Standard input is its arguments, as a JSON object of strings. Standard
output is the result, in the same format.
"""

import json
import sys
import uuid

import requests
from http_message_signatures import HTTPMessageSigner, HTTPSignatureKeyResolver, algorithms

ALGORITHMS = {
    algorithm.algorithm_id: algorithm
    for algorithm in [
        algorithms.ECDSA_P256_SHA256, algorithms.ED25519, algorithms.RSA_PSS_SHA512, algorithms.RSA_V1_5_SHA256,
        algorithms.HMAC_SHA256,
    ]
}


class Key(HTTPSignatureKeyResolver):
    def __init__(self, arguments):
        text = arguments["privateKey"]
        self.key = bytes.fromhex(text) if arguments["algorithm"] == "hmac-sha256" else text.encode()

    def resolve_private_key(self, key_id):
        return self.key


def call(arguments):
    """Signs a call and sends it."""
    body = arguments["body"].encode()
    headers = {"Content-Type": "application/json"} if body else {}
    request = requests.Request(arguments["method"], arguments["url"], headers=headers, data=body).prepare()
    signer = HTTPMessageSigner(signature_algorithm=ALGORITHMS[arguments["algorithm"]], key_resolver=Key(arguments))
    covered = ["@method", "@authority", "@path"] + (["content-digest"] if body else [])
    signer.sign(
        request, body=body, key_id=arguments["keyid"], nonce=uuid.uuid4().hex, covered_component_ids=covered)
    session = requests.Session()
    session.trust_env = False  # no proxy
    answer = session.send(request)
    return {"status": str(answer.status_code), "ETag": answer.headers.get("ETag", ""), "body": answer.text}


if __name__ == "__main__":
    questions = [call]
    question = {question.__name__: question for question in questions}[sys.argv[1]]
    json.dump(question(json.load(sys.stdin)), sys.stdout)
