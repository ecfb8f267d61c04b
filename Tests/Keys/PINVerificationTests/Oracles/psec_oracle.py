"""Makes PVVs and IBM 3624 offsets for PINVerificationTests with psec, and PINs of offsets. An argument names the question.
Standard input has its arguments as a JSON object of strings. Standard output gets the answer in the same format. A case is a
line; its words are those of the function. Keys are hex.
"""

import json
import sys
import warnings

# psec is older than the warnings about Triple DES.
warnings.simplefilter("ignore")

from psec import pin  # noqa: E402


def pvv(key, index, digits, pan):
    return pin.generate_visa_pvv(bytes.fromhex(key), index, digits[:4], pan)


def offset(key, table, digits, pan, start, count, pad):
    return pin.generate_ibm3624_offset(bytes.fromhex(key), table, digits, pan, int(start) - 1, int(count), pad)


def pin_of_offset(key, table, digits, pan, start, count, pad):
    return pin.generate_ibm3624_pin(bytes.fromhex(key), table, digits, pan, int(start) - 1, int(count), pad)


if __name__ == "__main__":
    function = {"pvv": pvv, "offset": offset, "pin": pin_of_offset}[sys.argv[1]]
    lines = json.load(sys.stdin)["cases"].splitlines()
    json.dump({"values": "\n".join(function(*line.split()) for line in lines)}, sys.stdout)
