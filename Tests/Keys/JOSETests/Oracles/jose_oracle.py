"""Answers the questions of JOSETests with jwcrypto. An argument names the question. Standard input has its arguments as
a JSON object of strings. Standard output gets the answer in the same format. Plaintexts and DER are hex.
"""

import json
import sys

from cryptography.hazmat.primitives import serialization
from jwcrypto import jwe, jwk


def public_key(arguments):
    key = serialization.load_der_public_key(bytes.fromhex(arguments["publicKey"]))
    return jwk.JWK.from_pyca(key)


def private_key(arguments):
    key = serialization.load_der_private_key(bytes.fromhex(arguments["privateKey"]), None)
    return jwk.JWK.from_pyca(key)


def seal(arguments):
    header = {name: arguments[name] for name in ["alg", "enc", "kid", "apu", "apv", "typ", "cty"] if name in arguments}
    sealed = jwe.JWE(bytes.fromhex(arguments["plaintext"]), json.dumps(header))
    sealed.add_recipient(public_key(arguments))
    return {"compact": sealed.serialize(compact=True)}


def open_sealed(arguments):
    sealed = jwe.JWE()
    sealed.deserialize(arguments["compact"], private_key(arguments))
    header = {name: value for name, value in sealed.jose_header.items() if isinstance(value, str)}
    return {"plaintext": sealed.payload.hex(), **header}


def thumbprint(arguments):
    return {"thumbprint": public_key(arguments).thumbprint()}


def read_key_set(arguments):
    """Returns the thumbprints of the keys in a set, by kid."""
    keys = jwk.JWKSet.from_json(arguments["json"])
    return {key.get("kid"): key.thumbprint() for key in keys}


if __name__ == "__main__":
    questions = [seal, open_sealed, thumbprint, read_key_set]
    question = {question.__name__: question for question in questions}[sys.argv[1]]
    json.dump(question(json.load(sys.stdin)), sys.stdout)
