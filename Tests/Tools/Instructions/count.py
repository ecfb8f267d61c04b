"""Counts the instructions and allocations of hot functions, and compares them with the recorded numbers.

    python3 count.py PROGRAM            checks against thresholds.json
    python3 count.py PROGRAM --record   writes thresholds.json

Instructions of libcrypto are not counted, because it takes other paths on other processors.
"""

import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

THRESHOLDS = Path(__file__).with_name("thresholds.json")
TOLERANCE = 0.03
# What one call costs is the difference of two runs, so that the start of the program does not count.
CALLS = (20, 60)
ALLOCATORS = {"malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc"}
# The C library chooses its string functions by processor. With these it takes those that every processor has.
ENVIRONMENT = {
    "SWIFT_DETERMINISTIC_HASHING": "1",
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-AVX,-ERMS,-FSRM,-BMI2",
    "PATH": os.environ["PATH"],
}


def measure(program, function, calls):
    """The instructions and the allocations of a run."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "callgrind.out"
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={file}", "--compress-strings=no",
                   "--compress-pos=no", program, function, str(calls)]
        result = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            raise SystemExit(f"{' '.join(command)} failed:\n{result.stderr}")
        return read_profile(file)


def read_profile(file):
    """Adds up a file of callgrind (its format: valgrind's manual, 'Callgrind Format Specification')."""
    library, called, instructions, allocations = "", "", 0, 0
    next_is_call = False
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
        if line.startswith("ob="):
            library = line[3:]
        elif line.startswith("cfn="):
            called = line[4:]
        elif line.startswith("calls="):
            if called in ALLOCATORS:
                allocations += int(line[6:].split()[0])
            # The next line has the cost of the called function, which is counted there.
            next_is_call = True
        elif line[:1].isdigit():
            if not next_is_call and "libcrypto" not in library:
                instructions += int(line.split()[1])
            next_is_call = False
    return instructions, allocations


def count(program, function):
    fewer, more = (measure(program, function, calls) for calls in CALLS)
    calls = CALLS[1] - CALLS[0]
    return {"instructions": (more[0] - fewer[0]) // calls, "allocations": round((more[1] - fewer[1]) / calls, 1)}


def count_all(program):
    functions = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip(functions, pool.map(lambda function: count(program, function), functions)))


def check(counted, recorded):
    """The functions that cost more than recorded, as text."""
    problems = []
    for function, costs in counted.items():
        for unit, cost in costs.items():
            limit = recorded.get(function, {}).get(unit)
            if limit is None:
                problems.append(f"{function}: no number of {unit} is recorded")
            elif cost > limit * (1 + TOLERANCE):
                problems.append(f"{function}: {cost} {unit} per call, recorded are {limit}")
    return problems


def main():
    program = sys.argv[1]
    counted = count_all(program)
    for function, costs in counted.items():
        print(f"{function:14} {costs['instructions']:>10,} instructions {costs['allocations']:>7} allocations")
    if "--record" in sys.argv:
        THRESHOLDS.write_text(json.dumps(counted, indent=2) + "\n", encoding="utf-8")
        return
    problems = check(counted, json.loads(THRESHOLDS.read_text(encoding="utf-8")))
    if problems:
        problems.append("Find the cause. If it is wanted: make instructions RECORD=1")
        raise SystemExit("\n".join(problems))


if __name__ == "__main__":
    main()
