#!/usr/bin/env python3
"""Checks the models with spin: every interleaving of two servers, their database, its failures and its owner.

    make model

For each property of each model, `spin -a`, `cc` and `pan` must find no error, and each line of the model must be reached.
Then each mutation, which breaks one rule, must break the properties that are named here: a property that cannot fail says
nothing. The exit status is 1 if anything is not as expected. It needs spin, cc and Python 3.9 or later.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PROPERTIES = {
    "replay": ["once", "kept"],
    "attempts": ["bounded", "counted"],
    "delivery": ["reported", "single", "erased", "untouched"],
    "definition": ["one_keypad", "kept", "together"],
    "inventory": ["safe", "settled"],
}
# Model, mutation, and the property that must fail then.
MUTATIONS = [
    ("replay", "MUTATE_NO_LOCK", "once"), ("replay", "MUTATE_ANSWER_FIRST", "once"), ("replay", "MUTATE_ASYNC", "kept"),
    ("replay", "MUTATE_CANCEL", "kept"),
    ("attempts", "MUTATE_NO_LOCK", "bounded"), ("attempts", "MUTATE_JUDGE_FIRST", "bounded"),
    ("attempts", "MUTATE_ASYNC", "counted"), ("attempts", "MUTATE_CANCEL", "counted"),
    ("delivery", "MUTATE_ASYNC", "reported"), ("delivery", "MUTATE_CANCEL", "reported"),
    ("delivery", "MUTATE_NO_SECOND_LOOK", "single"), ("delivery", "MUTATE_NO_ERASURE", "erased"),
    ("delivery", "MUTATE_ERASE_ANY", "untouched"),
    ("definition", "MUTATE_NO_LOCK", "one_keypad"), ("definition", "MUTATE_ASYNC", "kept"),
    ("definition", "MUTATE_CANCEL", "kept"), ("definition", "MUTATE_NO_EVENT", "together"),
    ("inventory", "MUTATE_MARK_FIRST", "quiet"), ("inventory", "MUTATE_MARK_READ_LAST", "quiet"),
    ("inventory", "MUTATE_MARK_RACE", "raised"), ("inventory", "MUTATE_MARK_BY_VERSION", "kept"),
    ("inventory", "MUTATE_NO_MARK", "kept"), ("inventory", "MUTATE_ANSWER_ANYWAY", "kept"),
    ("inventory", "MUTATE_NO_VERSION_CHECK", "kept"), ("inventory", "MUTATE_ROW_ONLY", "withdrawn"),
    ("inventory", "MUTATE_START_BLIND", "withdrawn"), ("inventory", "MUTATE_TAKE_ANY", "withdrawn"),
    ("inventory", "MUTATE_TAKE_ANY", "one_way"), ("inventory", "MUTATE_TAKE_NEWER", "one_way"),
    ("inventory", "MUTATE_TAKE_UNMARKED", "one_way"), ("inventory", "MUTATE_TAKE_UNMARKED", "withdrawn"),
    ("inventory", "MUTATE_NO_USED", "decided"), ("inventory", "MUTATE_NO_ERA", "decided"),
    ("inventory", "MUTATE_MEMORY_ONLY", "newest"), ("inventory", "MUTATE_MEMORY_ONLY", "noticed"),
]
# What does not hold. The models must show it, so that it is not forgotten.
KNOWN = [
    # What one fault at a time hides: the primary dies before its standby has a commit, comes back, and then dies again.
    ("delivery", "FAULTS=2", "reported"),
    # With a vault on each host, two hosts can take two inventories of one version if the database is rolled back between them.
    # Operators must then accept on each host.
    ("inventory", "OWN_MARKS", "one_way"), ("inventory", "OWN_MARKS", "newest"),
    # A recovered vault has no mark: a server that starts then believes the database.
    ("inventory", "RECOVER", "withdrawn"),
]
DEPTH = 1_000_000
SECONDS = 120


def check(model, ltl, defines, folder):
    """Runs spin for one property. Returns (errors, states, lines that were not reached)."""
    program = pathlib.Path(folder) / "-".join([model, *defines])
    # It has all properties of the model.
    if not program.exists():
        flags = [f"-D{define}" for define in defines]
        run(["spin", *flags, "-a", str(HERE / f"{model}.pml")], folder)
        # A search that finds an error is short: there the compiler would take longer than the search.
        level = "-O0" if defines else "-O2"
        run(["cc", level, "-DVECTORSZ=2048", "-DNOFAIR", "-DCOLLAPSE", "-w", "-o", str(program), "pan.c"], folder)
    output = run([str(program), "-a", f"-m{DEPTH}", "-N", ltl], folder)
    errors = int(re.search(r"errors: (\d+)", output).group(1))
    states = int(float(re.search(r"([\d.e+]+) states, stored", output).group(1)))
    if "max search depth too small" in output:
        raise SystemExit(f"{model}: the search is not deep enough")
    places = re.findall(r"(\w+\.pml:\d+), state \d+, \"([^\"]*)\"", output.split("unreached in claim")[0])
    return errors, states, {f"{place} {text}" for place, text in places}


def run(command, folder):
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=SECONDS)
    output = result.stdout + result.stderr
    if result.returncode != 0 and "errors:" not in output:
        raise SystemExit(f"{' '.join(command)}:\n{output}")
    return output


def main():
    held = True
    with tempfile.TemporaryDirectory(prefix="card-companion-model-") as folder:
        for model, properties in PROPERTIES.items():
            never = None
            for ltl in properties:
                errors, states, unreached = check(model, ltl, [], folder)
                held = held and errors == 0
                never = unreached if never is None else never & unreached
                print(f"{'ok  ' if errors == 0 else 'FAIL'} {model}: {ltl} holds in {states} states", flush=True)
            if never:
                held = False
                print(f"FAIL {model}: never reached: {', '.join(sorted(never))}")
        for model, mutation, ltl in MUTATIONS:
            errors, _, _ = check(model, ltl, [mutation], folder)
            held = held and errors > 0
            print(f"{'ok  ' if errors > 0 else 'FAIL'} {model}: {ltl} fails with {mutation}", flush=True)
        for model, define, ltl in KNOWN:
            errors, _, _ = check(model, ltl, [define], folder)
            held = held and errors > 0
            print(f"{'ok  ' if errors > 0 else 'FAIL'} {model}: {ltl} fails with {define}, as is known", flush=True)
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
