"""Draws the results of 'make bench' (latency over load, and CPU time by part) or of 'make overload' (goodput over offered load).

    python3 plot.py bench.json FOLDER
"""

import json
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

# Where the CPU time of a request goes: the name of a part, and how it is found in a measurement.
PARTS = [
    ("HTTP framework", lambda m: m["httpFloorMicroseconds"]),
    ("cryptography and image", lambda m: m["primitivesFloorMicroseconds"]),
    ("database client", lambda m: m["databaseClientFloorMicroseconds"]),
    ("rest of the server", lambda m: m["serverMicroseconds"] - server_floor(m)),
    ("lean SQL", lambda m: postgres_floor(m)),
    ("rest of PostgreSQL", lambda m: m["postgresMicroseconds"] - postgres_floor(m)),
]


def server_floor(measurement):
    names = ("httpFloorMicroseconds", "primitivesFloorMicroseconds", "databaseClientFloorMicroseconds")
    return sum(measurement[name] for name in names)


def postgres_floor(measurement):
    return measurement.get("postgresFloorMicroseconds") or 0


def plot_latency(measurements, path):
    figure, axes = plt.subplots(figsize=(9, 6))
    axes.set_prop_cycle(color=plt.get_cmap("tab20").colors)
    for measurement in measurements:
        steps = [(step["perSecond"], step["latency"]) for step in measurement["steps"]]
        steps.append((measurement["requestsPerSecond"], measurement["saturated"]))
        rates = [rate for rate, _ in steps]
        axes.plot(rates, [latency["p99Milliseconds"] for _, latency in steps], marker="o", label=measurement["operation"])
    axes.set(xscale="log", yscale="log", xlabel="requests per second", ylabel="p99 in ms")
    axes.grid(True, which="both", alpha=0.3)
    axes.legend(fontsize="small")
    save(figure, path)


def plot_cpu(measurements, path):
    figure, axes = plt.subplots(figsize=(9, 6))
    names = [measurement["operation"] for measurement in measurements]
    left = [0.0] * len(names)
    for part, value in PARTS:
        widths = [max(0.0, value(measurement)) for measurement in measurements]
        axes.barh(names, widths, left=left, label=part)
        left = [start + width for start, width in zip(left, widths)]
    axes.invert_yaxis()
    axes.set(xlabel="µs of CPU per request")
    axes.legend(fontsize="small")
    save(figure, path)


def plot_overload(report, path):
    figure, axes = plt.subplots(figsize=(9, 5))
    steps = sorted(report["overload"], key=lambda step: step["offeredPerSecond"])
    offered = [step["factor"] for step in steps]
    axes.plot(offered, [step["goodPerSecond"] for step in steps], marker="o", label="good answers per second")
    axes.axhline(report["capacityPerSecond"], linestyle="--", color="gray", label="what the server can do")
    axes.set(xlabel="offered load, in times of what the server can do", ylabel="per second", ylim=0)
    other = axes.twinx()
    other.plot(offered, [step["goodP99Milliseconds"] for step in steps], marker="s", color="tab:red", label="p99 of successes")
    other.set(ylabel="ms", ylim=0)
    axes.legend(handles=[*axes.get_lines(), *other.get_lines()], fontsize="small")
    axes.grid(True, alpha=0.3)
    save(figure, path)


def save(figure, path):
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    print(path)


def main():
    results, folder = Path(sys.argv[1]), Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    report = json.loads(results.read_text(encoding="utf-8"))
    if "overload" in report:
        plot_overload(report, folder / "overload.png")
        return
    measurements = report["measurements"]
    plot_latency(measurements, folder / "latency.png")
    plot_cpu(measurements, folder / "cpu.png")


if __name__ == "__main__":
    main()
