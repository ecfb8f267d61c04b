"""Seals values with jwcrypto, as an app would.

The command-line argument names the function. Standard input is its arguments, as a JSON object of strings. Standard
output is the result, in the same format.
"""

import json
import sys

from jwcrypto import jwe, jwk


def seal(arguments):
    """Seals a text to the first key of a key set with the given algorithm.

    `header` is optional: a JSON object, whose members are added to the protected header.
    """
    keys = json.loads(arguments["keySet"])["keys"]
    key = next(key for key in keys if key["alg"] == arguments["alg"])
    header = {"alg": arguments["alg"], "enc": "A256GCM", "kid": key["kid"]}
    header |= json.loads(arguments.get("header", "{}"))
    sealed = jwe.JWE(arguments["plaintext"].encode(), json.dumps(header))
    sealed.add_recipient(jwk.JWK(**key))
    return {"compact": sealed.serialize(compact=True)}


if __name__ == "__main__":
    questions = [seal]
    question = {question.__name__: question for question in questions}[sys.argv[1]]
    json.dump(question(json.load(sys.stdin)), sys.stdout)
