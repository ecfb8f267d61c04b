#!/usr/bin/env python3
"""Checks the chaos suite itself: each broken rule of the database must be found.

    .venv/bin/python3 Tests/Tools/Chaos/mutations.py --program .build/release/card-companion

Each run takes about 15 seconds. The exit status is 1 if a mutation is not found.
"""

import pathlib
import subprocess
import sys

FUNCTIONS = pathlib.Path(__file__).resolve().parents[3] / "migrations/functions"

# Name: the function, its text, the text instead, and what the suite must say then.
MUTATIONS = {
    "a wrong code does not count": (
        "fetch_pin", "CASE WHEN is_right THEN 0 ELSE holder.authentication_failures + 1 END",
        "CASE WHEN is_right THEN 0 ELSE holder.authentication_failures END", "a wrong code was not counted"),
    "an IdTransaction is served again": (
        "fetch_pin", "outcome := 'transaction-spent';\n            RETURN;", "NULL;", "served"),
    "a hashMac is served again": (
        "fetch_pin", "outcome := 'hmac-spent';\n        RETURN;", "p_hmac_digest := sha256(random()::text::bytea);",
        "served twice"),
    "a confirmation does not erase": (
        "notify_delivery", "holder.sealed_pin := NULL;", "NULL;", "a PIN after its erasure"),
    "a definition is lost": (
        "define_pin", "holder.sealed_pin := p_sealed_pin;",
        "holder.sealed_pin := CASE WHEN random() < 0.2 THEN holder.sealed_pin ELSE p_sealed_pin END;", "than the acknowledged one"),
    "an event is lost": ("read_events", "position > p_after", "position > p_after + 1", "events of"),
    "a line of an import is lost": (
        "merge_import", "        RETURN NEXT;\n",
        "        IF random() < 0.05 THEN DELETE FROM cardholder AS c\n"
        "            WHERE c.bank_id = p_bank_id AND c.unique_id = staged.unique_id; END IF;\n        RETURN NEXT;\n",
        "lines of imports are lost"),
}


def apply_mutation(site, name):
    function, old, new, _ = MUTATIONS[name]
    text = (FUNCTIONS / f"{function}.sql").read_text()
    if old not in text:
        raise SystemExit(f"migrations/functions/{function}.sql has no '{old}'")
    site.sql(f"SET search_path = card_companion;\n{text.replace(old, new)}")


def main():
    chaos = pathlib.Path(__file__).resolve().parent / "chaos.py"
    found_all = True
    for name, (_, _, _, words) in MUTATIONS.items():
        result = subprocess.run(
            [sys.executable, "-B", str(chaos), "--short", "--minutes", "0.1", "--seed", "1", "--answer-limit", "60",
             "--only", "server-killed", "--mutate", name, *sys.argv[1:]], capture_output=True, text=True)
        found = result.returncode == 1 and words in result.stdout
        found_all = found_all and found
        print(f"{'ok  ' if found else 'FAIL'} {name}: {'found' if found else result.stdout[-2000:] + result.stderr}", flush=True)
    return 0 if found_all else 1


if __name__ == "__main__":
    sys.exit(main())
