"""Generates a Python client from openapi.yaml, and makes each call with it.

Usage: generate.py BASE_URL OPENAPI_PATH CONFIG_PATH SANDBOX_FOLDER (the folder that the server's sandbox wrote).

openapi-python-client generates the client. Exit status 0: it had no error and no warning, and every answer has the
expected status and is an instance of the expected class of the generated client (client_calls.py).
"""

import compileall
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

from openapi_spec_validator.readers import read_from_filename

from conform import require_loopback

CLIENT = "card_companion_client"


def generate(openapi_path, config_path, folder):
    arguments = ["--path", openapi_path, "--config", config_path, "--output-path", folder / CLIENT]
    arguments += ["--meta", "none", "--fail-on-warning"]
    # The generator formats its result with ruff, which is next to it.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    command = [Path(sys.executable).parent / "openapi-python-client", "generate", *arguments]
    result = subprocess.run(command, cwd=folder, env=os.environ | {"PATH": path}, capture_output=True, text=True)
    output = result.stdout + result.stderr
    if result.returncode != 0 or "warning" in output.lower():
        sys.exit(output)


def require_compilable(folder):
    with warnings.catch_warnings(action="error"):
        if not compileall.compile_dir(folder, quiet=1):
            sys.exit("the generated client is not valid Python")


if __name__ == "__main__":
    base_url = sys.argv[1].rstrip("/")
    openapi_path, config_path, sandbox = (Path(path).resolve() for path in sys.argv[2:5])
    require_loopback(base_url)
    with tempfile.TemporaryDirectory() as folder:
        generate(openapi_path, config_path, Path(folder))
        require_compilable(folder)
        sys.path.insert(0, folder)
        import client_calls  # it imports the generated client

        client_calls.call_each_operation(base_url, read_from_filename(str(openapi_path))[0], sandbox)
