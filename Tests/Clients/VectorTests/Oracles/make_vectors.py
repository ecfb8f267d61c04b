"""Generates docs/vectors.

`make_vectors.py make` writes the files. `make_vectors.py compare`, which PythonOracle runs, answers for each file
whether it equals the generated file byte for byte.
"""

import json
import pathlib
import sys

import negative
import positive
import signatures

FOLDER = pathlib.Path(__file__).resolve().parents[4] / "docs" / "vectors"
FILES = {
    "delivered-pins": positive.delivered_pins,
    "defined-pins": positive.defined_pins,
    "macs": positive.macs,
    "tokens": positive.tokens,
    "bindings": positive.bindings,
    "thumbprints": positive.thumbprints,
    "keypads": positive.keypads,
    "negative": negative.negative,
    "signatures": signatures.signatures,
}


def written(value, indent="\n"):
    """Formats JSON with one line per member. A list without lists and objects in it is on one line."""
    inner = indent + "  "
    if isinstance(value, dict) and value:
        members = [f"{json.dumps(name)}: {written(member, inner)}" for name, member in value.items()]
        return "{" + inner + ("," + inner).join(members) + indent + "}"
    if isinstance(value, list) and any(isinstance(element, (dict, list)) for element in value):
        return "[" + inner + ("," + inner).join(written(element, inner) for element in value) + indent + "]"
    return json.dumps(value, ensure_ascii=False)


def texts():
    for name, make in FILES.items():
        yield FOLDER / f"{name}.json", written(make()) + "\n"


def main():
    if sys.argv[1] == "make":
        for path, text in texts():
            path.write_text(text, encoding="utf-8")
    else:
        answers = {path.stem: path.read_text(encoding="utf-8") == text for path, text in texts()}
        json.dump({name: str(answer).lower() for name, answer in answers.items()}, sys.stdout)


if __name__ == "__main__":
    main()
