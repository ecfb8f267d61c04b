"""The second half of own-bank.sh: the bank provisions a cardholder, and their app fetches the PIN.

    python3 examples/own_bank.py http://127.0.0.1:8090 FOLDER pin.png
"""

import command_line  # first: it says in one line what is missing

import base64
import json
import secrets

from app import App
from bank import Bank


def main():
    parser = command_line.parser(__doc__)
    parser.add_argument("url", type=command_line.url, help="the server, such as http://127.0.0.1:8090")
    parser.add_argument("folder", help="the folder that own-bank.sh has made")
    parser.add_argument("image", help="the file for the image of the PIN, such as pin.png")
    arguments = parser.parse_args()
    bank = Bank(arguments.url, arguments.folder)
    (name, code), = bank.sandbox["authenticationCodes"].items()
    pin = f"{secrets.randbelow(10_000):04}"
    cardholder = {
        "authenticationCode": bank.seal("authenticationCode", name, code),
        "pin": bank.seal("pin", name, pin),
        "pinVersion": 1,
    }
    with open(arguments.image, "wb") as image:
        bank.call("PUT", f"cardholders/{name}", json.dumps(cardholder).encode())
        print(f"provisioned {name}")
        delivery = App(arguments.url, bank, name).fetch_with_code()
        image.write(base64.b64decode(delivery["images"][0]))
    print(f"fetched {name}'s PIN with the code, and confirmed that it was shown")


if __name__ == "__main__":
    main()
