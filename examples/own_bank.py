"""The second half of own-bank.sh: the bank provisions a cardholder, and their app fetches the PIN.

    python3 examples/own_bank.py http://127.0.0.1:8090 FOLDER pin.png
"""

import base64
import json
import secrets
import sys
from pathlib import Path

from app import App
from bank import Bank

if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: own_bank.py URL FOLDER IMAGE")
    url, folder, image = sys.argv[1:]
    bank = Bank(url, folder)
    (name, code), = json.loads((Path(folder) / "sandbox.json").read_text())["authenticationCodes"].items()
    pin = f"{secrets.randbelow(10_000):04}"
    cardholder = {
        "authenticationCode": bank.seal("authenticationCode", name, code),
        "pin": bank.seal("pin", name, pin),
        "pinVersion": 1,
    }
    bank.call("PUT", f"cardholders/{name}", json.dumps(cardholder).encode())
    print(f"provisioned {name}")
    delivery = App(url, bank, name).fetch_with_code()
    Path(image).write_bytes(base64.b64decode(delivery["images"][0]))
    print(f"fetched {name}'s PIN with the code, and confirmed that it was shown")
