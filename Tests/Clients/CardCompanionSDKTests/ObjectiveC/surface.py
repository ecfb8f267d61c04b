"""Writes down what Objective-C sees of the SDK, as Apple's compiler derives it from the @objcMembers classes.

`surface.py write` writes CardCompanionSDK.h. `surface.py check`, which PythonOracle runs, answers whether the file is what the
sources give, and whether clang takes the calls of the document's samples (samples.m) with it.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = HERE.parents[3] / "Sources" / "Clients" / "CardCompanionSDK" / "IOS"
HEADER = HERE / "CardCompanionSDK.h"
CLASSES = [
    "JResponse", "PinCodeProvisioningJResponse", "PINCodeProvisioningJResponse", "DefinePinTokenRequest", "GetKeypadCoordJResponse", "PinCodeConfiguration",
    "CardCompanionUtil", "PinCodeRequest",
]
VALUES = {"Int": "NSInteger", "Double": "double", "Bool": "BOOL", "GETPIN_STATUS": "GETPIN_STATUS", "Any": "id"}
OBJECTS = {"String": "NSString", "[String]": "NSArray<NSString *>", "NSNumber": "NSNumber"}
# What the document names on iOS: in the tables and samples of 4.1.2 to 4.5.2, and in 5.2 and 5.6.
DOCUMENTED = {
    "classes": """PinCodeRequest CardCompanionUtil JResponse PINCodeProvisioningJResponse PinCodeProvisioningJResponse
        DefinePinTokenRequest GetKeypadCoordJResponse GETPIN_STATUS""",
    "functions": """postGetPINRequest postGetPinRequest postNotifyRequest postGetPINCaptchaTokenRequest
        postGetPinCaptchaTokenRequest postNotifyTokenRequest postDefinePINRequest postDefinePinRequest
        postDefinePinRequestECDH postGetCoordinateKeypad postGetCoodinateKeypad postDefinePinRequestECDH_CB
        postDefineTokenRequestECDH_CB getTimestamp stringToHex calculHashMacValue""",
    "labels": """bankId uniqueId ac timestamp hashMac hmac hostURL sessionId status token signature PIN pin keypadSize indexes
        pinIndex key str""",
    "properties": "errorCode errorMessage imageData sessionId freeField keyPad",
    "constants": "SUCCESS SERVER_ERROR APP_ERROR",
}
DOCUMENTED_COUNT = 51
INTRODUCTION = """\
// What Objective-C sees of CardCompanionSDK. Xcode makes the same from the Swift sources (CardCompanionSDK-Swift.h); this file is
// for reading, and for the test of the SDK document's samples. surface.py writes it.
#import <Foundation/Foundation.h>

NS_ASSUME_NONNULL_BEGIN
"""


def source():
    """The sources without comments."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(SOURCES.glob("*.swift"))]
    return re.sub(r"^\s*//.*\n", "", "\n".join(texts), flags=re.MULTILINE)


def objective_c(swift):
    """A type, with a space or an asterisk at its end."""
    swift = swift.removeprefix("@escaping ").removeprefix("@Sendable ").strip()
    if "->" in swift:
        given = re.fullmatch(r"\((.*)\) -> Void", swift).group(1)
        return f"void (^)({objective_c(given).strip() if given else 'void'})"
    nullable = " _Nullable" if swift.endswith("?") else ""
    swift = swift.removesuffix("?")
    if swift in VALUES:
        return VALUES[swift] + " "
    return f"{OBJECTS.get(swift, swift)} *{nullable}"


def split(parameters):
    """The parameters, separated at the commas that are in no brackets."""
    depth, parts = 0, [""]
    for character in parameters:
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [" ".join(part.split()) for part in parts if part.strip()]


def method(name, parameters, returned):
    words = [name]
    for place, parameter in enumerate(split(parameters)):
        names, _, swift = parameter.partition(": ")
        label, _, inner = names.partition(" ")
        written = f":({objective_c(swift).strip()}){inner or label}"
        if place > 0:
            words.append(label + written)
        elif label == "_":
            words[0] += written
        else:
            words[0] += "With" + label[0].upper() + label[1:] + written
    return f"+ ({objective_c(returned).strip() if returned else 'void'}){' '.join(words)};"


FUNCTION = re.compile(r"public static func (\w+)\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)(?:\s+-> ([\w\[\]?]+))?\s+\{")
PROPERTY = re.compile(r"public (let|var) (\w+)(?:: ([\w\[\]?]+))?(?: = (\S+))?( \{.*)?$", re.MULTILINE)


def literal_type(value):
    return {"true": "Bool", "false": "Bool"}.get(value) or ("Double" if "." in value else "Int")


def bodies(text, name):
    """The bodies of a class and its extensions."""
    for match in re.finditer(rf"^(?:public final class|public class|extension) {name}\b[^{{]*\{{\n(.*?)^\}}", text, re.M | re.S):
        yield match.group(0), match.group(1)


def members(text, name):
    for head, body in bodies(text, name):
        for kind, member, swift, value, computed in PROPERTY.findall(body):
            is_variable = kind == "var" and not computed
            written = objective_c(swift or literal_type(value))
            access = (", copy" if "*" in written else "") if is_variable else ", readonly"
            yield f"@property (nonatomic{access}) {written}{member};".replace("_Nullable", "_Nullable ")
        start = 0
        for match in FUNCTION.finditer(body):
            if "@nonobjc" not in body[start:match.start()]:
                yield method(*match.groups())
            start = match.end()


def header():
    text = source()
    cases = re.findall(r"@objc\((\w+)\)\s*#endif\s*case \w+ = (\d)", text)
    parts = [INTRODUCTION]
    parts.append("typedef NS_ENUM(NSInteger, GETPIN_STATUS) {\n" + "".join(f"    {c} = {v},\n" for c, v in cases) + "};\n")
    for name in CLASSES:
        parent = re.search(rf"class {name}: (\w+)", text).group(1)
        lines = "".join(line + "\n" for line in members(text, name))
        parts.append(f"@interface {name} : {parent}\n{lines}@end\n")
    return "\n".join(parts) + "\nNS_ASSUME_NONNULL_END\n"


def missing(text):
    """The documented names that are not in a header."""
    forms = {
        "classes": r"(?:@interface|NS_ENUM\(NSInteger,) {}\b", "functions": r"\){}[:;]",
        "labels": r":\([^)]*(?:\)|\)\)){}\b", "properties": r"@property .*\b{};", "constants": r"\b{} = ",
    }
    names = [(kind, name) for kind, listed in DOCUMENTED.items() for name in listed.split()]
    found = [name for kind, name in names if re.search(forms[kind].format(name), text)]
    return [name for _, name in names if name not in found] or ([] if len(found) == DOCUMENTED_COUNT else [str(len(found))])


def compiled():
    clang = shutil.which("clang") or "/opt/swift/usr/bin/clang"
    options = ["-x", "objective-c", "-fsyntax-only", "-fblocks", "-Wall", "-Wextra", "-Werror", f"-I{HERE}"]
    run = subprocess.run([clang, *options, str(HERE / "samples.m")], capture_output=True, text=True, check=False)
    return "ok" if run.returncode == 0 else run.stderr


def main():
    if sys.argv[1] == "write":
        HEADER.write_text(header(), encoding="utf-8")
    else:
        text = HEADER.read_text(encoding="utf-8")
        answers = {
            "header": "ok" if text == header() else "is not what the sources give", "samples": compiled(),
            "names": "ok" if not missing(text) else f"missing: {missing(text)}"}
        json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
