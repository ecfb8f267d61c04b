"""Makes and opens key blocks for KeyBlocksTests with psec. An argument names the question. Standard input has its arguments
as a JSON object of strings. Standard output gets the answer in the same format. Bytes are hex.
"""

import json
import sys
import warnings

# psec is older than the warnings about Triple DES.
warnings.simplefilter("ignore")

from cryptography.hazmat.primitives import cmac  # noqa: E402
from cryptography.hazmat.primitives.ciphers.algorithms import AES  # noqa: E402
from psec import des, tr31  # noqa: E402


def wrap(arguments):
    """A key block with a header that psec has checked, and its own padding of optional blocks."""
    header = tr31.Header()
    header.load(arguments["header"])
    for name, value in arguments.items():
        if name.startswith("block "):
            header.blocks[name.removeprefix("block ")] = value
    kbpk, key = bytes.fromhex(arguments["protectionKey"]), bytes.fromhex(arguments["key"])
    return {"block": tr31.wrap(kbpk, header, key)}


def forge(arguments):
    """A key block whose MAC is right, whatever its header says. '####' in the header becomes the length."""
    kbpk, key = bytes.fromhex(arguments["protectionKey"]), bytes.fromhex(arguments["key"])
    version, text = arguments["version"], arguments["header"]
    size, wrap = {"B": (8, tr31.KeyBlock._b_wrap), "D": (16, tr31.KeyBlock._d_wrap)}[version]
    extra = int(arguments.get("extraPad", "0"))
    payload = 2 + len(key) + extra
    payload += size - payload % size
    length = len(text) + 2 * (payload + size)
    return {"block": wrap(tr31.KeyBlock(kbpk, tr31.Header(version)), text.replace("####", f"{length:04}"), key, extra)}


def unwrap(arguments):
    header, key = tr31.unwrap(bytes.fromhex(arguments["protectionKey"]), arguments["block"])
    return {"key": key.hex(), "header": str(header), **{f"block {name}": text for name, text in header.blocks.items()}}


def check_value(arguments):
    key = bytes.fromhex(arguments["key"])
    if arguments["algorithm"] == "tdes":
        return {"kcv": des.generate_kcv(key, 3).hex().upper()}
    code = cmac.CMAC(AES(key))
    code.update(bytes(16))
    return {"kcv": code.finalize()[:5].hex().upper()}


if __name__ == "__main__":
    answer = {"wrap": wrap, "forge": forge, "unwrap": unwrap, "check_value": check_value}[sys.argv[1]](json.load(sys.stdin))
    json.dump(answer, sys.stdout)
