"""Where things are, and the vectors of signed messages."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

from cryptography.hazmat.primitives.serialization import load_pem_private_key

ROOT = Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "Sources/Clients/CardCompanionBackEndPython"))

VECTORS = json.loads((ROOT / "docs/vectors/signatures.json").read_text(encoding="utf-8"))
SERVER_URL = "https://pin.example.com"
# The vectors are from one moment.
ANY_AGE_SECONDS = 36_500 * 86_400
JWKS = json.dumps({"keys": [key["jwk"] for key in VECTORS["serverKeys"]]}).encode()


class Lines:
    """Header fields, in which a name can come twice."""

    def __init__(self, fields):
        self.lines = [(field["name"], field["value"]) for field in fields]

    def items(self):
        return self.lines


def private_key(name):
    return load_pem_private_key(next(key["pem"] for key in VECTORS["keys"] if key["name"] == name).encode(), None)


def webhook(name):
    return SimpleNamespace(**next(vector for vector in VECTORS["webhooks"] if vector["name"] == name))
