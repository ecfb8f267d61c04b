"""Checks that a running server answers as openapi.yaml describes.

Usage: conform.py BASE_URL OPENAPI_PATH SANDBOX_FOLDER (the folder that the server's sandbox wrote).

Schemathesis sends valid and invalid requests, only to this machine. The requests are the same each time, except for
their signatures (fuzzing.py).
Exit status 0: all answers are as described. Otherwise standard output lists the wrong ones, each with a curl command.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import ProxyHandler, build_opener

EXAMPLES_PER_OPERATION = 50
TIME_LIMIT_SECONDS = 900

# Without negative_data_rejection, which expects 4xx for data that does not match the schema, and without
# positive_data_acceptance, which expects 2xx for data that does. This API reports errors by the code in the answer: the
# status is 200 for every JSON object.
CHECKS = [
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "unsupported_method",
    "allow_header_conformance",
]

# Schemathesis must not use the names in the answers: it would change and erase the cardholders of other tests.
CONFIGURATION = "".join(
    f"[phases.{phase}.extra-data-sources]\nresponses = false\n" for phase in ("examples", "coverage", "fuzzing"))


def require_loopback(base_url):
    if urlsplit(base_url).hostname not in ("127.0.0.1", "::1", "localhost"):
        sys.exit(f"BASE_URL must be on this machine (was {base_url})")


def require_same_description(base_url, openapi_path):
    with build_opener(ProxyHandler({})).open(f"{base_url}/openapi.yaml", timeout=120) as answer:
        if answer.read() != openapi_path.read_bytes():
            sys.exit(f"{base_url}/openapi.yaml differs from {openapi_path}")


def run_schemathesis(base_url, openapi_path, sandbox):
    arguments = ["--url", base_url, "--checks", ",".join(CHECKS), "--phases", "examples,coverage,fuzzing"]
    arguments += ["--max-examples", str(EXAMPLES_PER_OPERATION), "--generation-deterministic"]
    arguments += ["--continue-on-failure", "--output-sanitize", "false", "--warnings", "off", "--no-color"]
    environment = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    environment |= {"SCHEMATHESIS_HOOKS": "fuzzing", "PYTHONPATH": str(Path(__file__).parent), "SANDBOX": str(sandbox)}
    # In a temporary folder: this deletes all files that Schemathesis writes, and it finds no other configuration.
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "schemathesis.toml").write_text(CONFIGURATION)
        command = [sys.executable, "-m", "schemathesis.cli", "run", str(openapi_path), *arguments]
        return subprocess.run(command, cwd=folder, env=environment, timeout=TIME_LIMIT_SECONDS).returncode


if __name__ == "__main__":
    base_url, openapi_path = sys.argv[1].rstrip("/"), Path(sys.argv[2]).resolve()
    require_loopback(base_url)
    require_same_description(base_url, openapi_path)
    sys.exit(run_schemathesis(base_url, openapi_path, Path(sys.argv[3]).resolve()))
