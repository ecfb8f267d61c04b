"""Writes the JSON form of openapi.yaml, which the page at /docs reads, or compares the two.

Usage: openapi_json.py write|compare OPENAPI_YAML OPENAPI_JSON. Exit status 0: it was written, or the two agree.
"""

import json
import sys
from pathlib import Path

from openapi_spec_validator.readers import read_from_filename


def json_form(document):
    """The text of the JSON file: one member per line, so that a change of the YAML changes few lines."""
    text = json.dumps(document, ensure_ascii=False, indent=1) + "\n"
    if json.loads(text) != document:
        sys.exit("openapi.yaml has a member name or a value that JSON does not have, such as a number as a name")
    return text


if __name__ == "__main__":
    command, yaml_path, json_path = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    expected = json_form(read_from_filename(yaml_path)[0])
    if command == "write":
        json_path.write_text(expected, encoding="utf-8")
    elif json_path.read_text(encoding="utf-8") != expected:
        sys.exit(f"{json_path} differs from {yaml_path}: run 'make openapi'")
