#!/usr/bin/env python3
"""Plays the same scenarios against the real AusweisApp with a virtual card, and against eid-simulator.

    make test-eid                          SCENARIOS="PUK" plays only those with this in the name; LOGS=FOLDER keeps all

The program `eid` is also run with both. It prints a table of the transcripts, and of those that differ what differs. The exit
status is 1 if one differs by more than docs/eid.md lists. It needs Linux, and Python 3.9 or later with `websockets`.
"""

import argparse
import difflib
import os
import pathlib
import sys
from functools import partial

from differences import normal_of_app, normal_of_simulator
from player import Player, ReadersLost, ScenarioError
from programs import AusweisApp, Simulator, make_world
from scenarios import all_runs, all_scenarios

# In these the programs have their own network, pcscd's socket, and an end: they die with this one.
NAMESPACES = ["unshare", "--net", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child"]
LEVELS = [1, 2]
# How often a scenario is played in which the AusweisApp loses its readers.
ATTEMPTS = 3


def main():
    arguments = parse()
    if not arguments.inside:
        own = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
        os.execvp("unshare", NAMESPACES[:1] + own + NAMESPACES[1:] + [sys.executable, "-B", *sys.argv, "--inside"])
    make_world()
    folder = pathlib.Path(arguments.logs or "/run/test-eid")
    folder.mkdir(parents=True, exist_ok=True)
    real = AusweisApp(folder, arguments.card.resolve())
    try:
        real.start()
        simulator = Simulator(folder, arguments.simulator.resolve())
        return compare_all(real, simulator, arguments.eid.resolve(), arguments.scenarios, folder)
    except (ScenarioError, KeyboardInterrupt) as error:
        print(error or "interrupted", file=sys.stderr)
        return 1
    finally:
        real.stop()


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--simulator", type=pathlib.Path, default=pathlib.Path(".build/testing/release/eid-simulator"))
    parser.add_argument("--card", type=pathlib.Path, default=pathlib.Path(".build/testing/release/virtual-eid-card"))
    parser.add_argument("--eid", type=pathlib.Path, default=pathlib.Path(".build/testing/release/eid"))
    parser.add_argument("--scenarios", default="", help="a part of their names")
    parser.add_argument("--logs", help="where the transcripts and logs are kept")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def compare_all(real, simulator, eid, part, folder):
    """Prints a line for each scenario and level, and each run of `eid`; then the differences. 1 if there are any."""
    comparisons = [
        (f"{scenario.name}, level {level}", partial(compare, real, simulator, scenario, level))
        for scenario in all_scenarios() for level in LEVELS
    ] + [(run.name, partial(compare_run, real, simulator, run, eid)) for run in all_runs()]
    comparisons = [(name, play) for name, play in comparisons if part in name]
    differences = []
    for name, play in comparisons:
        lines, difference = play()
        (folder / (name.replace(" ", "-") + ".txt")).write_text("\n".join(lines) + "\n")
        print(f"{'differs' if difference else 'equal  '}  {len(lines):4} lines  {name}", flush=True)
        if difference:
            differences.append((name, difference))
    for name, difference in differences:
        print(f"\n{name}: - the AusweisApp, + eid-simulator\n" + "\n".join(difference))
    print(f"\n{len(comparisons)} transcripts: {len(differences) or 'none'} of them differ")
    return 1 if differences or not comparisons else 0


def compare(real, simulator, scenario, level):
    """The real transcript, and how the simulated one differs."""

    def play(app, card, settle, normal):
        player = Player(app, card, settle, normal, level)
        try:
            player.play(scenario)
        except ReadersLost:
            return None
        except ScenarioError as error:
            player.lines.append(f"! {error}")
        return player

    for _ in range(ATTEMPTS):
        app_player = real.play(scenario, lambda *parts: play(*parts, normal_of_app))
        if app_player:
            break
    else:
        raise ScenarioError(f"the AusweisApp loses its readers again and again: {scenario.name}")
    # What happens to the simulated card is in its scenario.
    simulator_player = simulator.play(
        scenario, app_player.events, LEVELS, lambda *parts: play(*parts, normal_of_simulator))
    # Two equal failures are no agreement.
    difference = differing(app_player.lines, simulator_player.lines)
    return app_player.lines, difference or [line for line in app_player.lines if line.startswith("!")]


def compare_run(real, simulator, run, eid):
    """What `eid` says with the AusweisApp, and how it differs with the simulator, or from the status that it must have."""
    lines = real.run(run, eid)
    difference = differing(lines, simulator.run(run, LEVELS, eid))
    expected = f"exit status {run.status}"
    return lines, difference or ([] if lines[-1] == expected else [f"{lines[-1]} instead of {expected}"])


def differing(lines, others):
    return list(difflib.unified_diff(lines, others, lineterm="", n=2))[2:]


if __name__ == "__main__":
    sys.exit(main())
