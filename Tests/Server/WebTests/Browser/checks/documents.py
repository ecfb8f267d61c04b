"""The type declarations, the names and codes, and the examples of docs/javascript.md."""

import json
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from checks import equal, equal_each

CLIENT = "Sources/Clients/CardCompanionJS"
CODES = ("DistributionCode", "DefinitionCode", "LibraryCode", "NotifyStatus")
TYPE_CHECK_SECONDS = 110


def check_codes(scene):
    """the codes and their names are those of the Swift package"""
    codes = scene.page.run("surface")["codes"]
    for name in CODES:
        source = (scene.root / f"Sources/Server/CardCompanionAPI/{name}.swift").read_text()
        swift = {case: int(number) for case, number in re.findall(r"^    case (\w+) = (\d+)$", source, re.MULTILINE)}
        assert swift, f"no codes found in {name}.swift"
        equal_each(codes[name], swift)


def check_messages(scene):
    """the messages of the library's codes are those of the Swift package"""
    swift = (scene.root / "Sources/Server/CardCompanionAPI/LibraryCode.swift").read_text()
    script = (scene.root / f"{CLIENT}/card-companion.js").read_text()
    expected = dict(re.findall(r'^        case \.(\w+): "(.*)"$', swift, re.MULTILINE))
    assert expected, "no messages found in LibraryCode.swift"
    equal_each(dict(re.findall(r'\[LibraryCode\.(\w+)\]: "(.*)",', script)), expected)


def check_declared_names(scene):
    """card-companion.d.ts declares exactly the values that the module exports, and the same codes"""
    declarations = (scene.root / f"{CLIENT}/card-companion.d.ts").read_text()
    surface = scene.page.run("surface")
    equal(sorted(re.findall(r"^export (?:const|class) (\w+)", declarations, re.MULTILINE)), surface["names"], "names")
    for name in CODES:
        block = re.search(rf"^export const {name}: Readonly<{{(.*?)^}}>;", declarations, re.MULTILINE | re.DOTALL)[1]
        declared = {code: int(number) for code, number in re.findall(r"^    (\w+): (\d+);$", block, re.MULTILINE)}
        equal_each(declared, surface["codes"][name])


def check_types(scene):
    """a consumer that uses every function passes tsc, strict"""
    compiler = shutil.which("tsc")
    assert compiler, "tsc not found on the PATH. Install Debian's package node-typescript: deploy/install-packages test"
    project = scene.root / "Tests/Server/WebTests/Types"
    result = subprocess.run(
        [compiler, "--project", str(project)], capture_output=True, text=True, timeout=TYPE_CHECK_SECONDS)
    equal((result.returncode, result.stdout), (0, ""), "tsc's status and output")


def check_package(scene):
    """an app that has installed the package finds the module with node, and its types with tsc"""
    package = json.loads((scene.root / f"{CLIENT}/package.json").read_text())
    release = (scene.root / "Sources/Server/CardCompanionServer/Installation/Release.swift").read_text()
    equal(package["version"], re.search(r'version = "(.*)"', release)[1], "the version")
    licences = [(scene.root / folder / "LICENSE").read_text() for folder in (CLIENT, ".")]
    equal(licences[0] == licences[1], True, "whether the package has the project's LICENSE")
    with tempfile.TemporaryDirectory() as folder:
        app = Path(folder)
        installed = app / "node_modules" / package["name"]
        installed.mkdir(parents=True)
        for name in ["package.json", *package["files"]]:  # what npm puts into the package
            shutil.copy(scene.root / CLIENT / name, installed / name)
        (app / "package.json").write_text('{"type": "module"}')
        (app / "app.js").write_text(
            f'import * as client from "{package["name"]}";\nconsole.log(JSON.stringify(Object.keys(client)));\n')
        names = json.loads(output_of("node", "app.js", folder=app))
        equal(sorted(names), scene.page.run("surface")["names"], "names")
        consumer = (scene.root / "Tests/Server/WebTests/Types/consumer.ts").read_text()
        (app / "consumer.ts").write_text(re.sub(r'from ".*/card-companion\.js"', f'from "{package["name"]}"', consumer))
        project = json.loads((scene.root / "Tests/Server/WebTests/Types/tsconfig.json").read_text())
        project["compilerOptions"] |= {"module": "node16", "moduleResolution": "node16"}
        (app / "tsconfig.json").write_text(json.dumps(project))
        output_of("tsc", "--project", "tsconfig.json", folder=app)


def output_of(program, *arguments, folder):
    path = shutil.which(program)
    assert path, f"{program} not found on the PATH. Install Debian's package node-typescript: deploy/install-packages test"
    result = subprocess.run(
        [path, *arguments], cwd=folder, capture_output=True, text=True, timeout=TYPE_CHECK_SECONDS)
    assert result.returncode == 0, f"{program}: {result.stdout}{result.stderr}"
    return result.stdout


def check_sandbox_files(scene):
    """docs/sandbox.md describes every file of the sandbox's folder, and no other"""
    described = re.findall(r"^\| `([\w-]+\.\w+)` \|", (scene.root / "docs/sandbox.md").read_text(), re.MULTILINE)
    equal(sorted(described), sorted(file.name for file in scene.sandbox.iterdir()), "files")


def check_example(scene):
    """the example of docs/javascript.md shows a PIN and confirms it, with the bank's back-end in Python"""
    text = (scene.root / "docs/javascript.md").read_text()
    [example] = re.findall(r"^```js\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    scene.origin.examples["/page/card-companion.js"] = (scene.root / f"{CLIENT}/card-companion.js").read_text()
    scene.origin.examples["/page/example.js"] = example
    scene.events("pin.delivered", "alice")
    claim, code = scene.claim("alice"), scene.code_of("alice")
    answer = scene.page.run("runExample", "/page/example.js", "showPIN", claim, code, scene.origin.url)
    equal(answer["returned"], "Welcome to the sandbox, alice", "what the example returned")
    assert answer["source"].startswith("data:image/png;base64,iVBORw0KGgo"), f"the image's source is {answer['source']}"
    assert answer["width"] > 100, f"the image is {answer['width']} pixels wide"
    equal(len(scene.events("pin.delivered", "alice")), 1, "pin.delivered events")


def check_console(scene):
    """the browser reports nothing that breaks the page's Content-Security-Policy"""
    complaints = [message for message in scene.page.complaints() if "Content Security Policy" in message]
    equal(json.dumps(complaints), "[]", "the console's complaints")
