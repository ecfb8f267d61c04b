"""Says how well programs read the images of PINs: 'make captcha-report'.

Draws images in each style and images of Python's captcha as a peer, lets tesseract, ddddocr and a network that was
trained on our images read them, and prints and writes the shares that were read. It takes about twenty minutes.
"""

import argparse
import shutil
import sys
from pathlib import Path

import network  # first, because it says how many threads numpy uses

import images
import page
import readers

STYLES = ("standard", "strong", "calm")
LENGTHS = (4, 6)


def main():
    options = parsed_arguments()
    shutil.rmtree(options.output, ignore_errors=True)
    options.output.mkdir(parents=True)
    sets = draw(options)
    rows = [read(image_set) for image_set in sets]
    train_and_read(options, rows)
    for image_set in sets:
        images.write_contact_sheet(image_set, options.output / f"{image_set.name}.png")
    page.write(rows, options)
    print(page.table(rows, options))
    print(f"report: {options.output / 'index.html'}")


def parsed_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=Path, required=True, help="captcha-report, which draws our images")
    parser.add_argument("--output", type=Path, required=True, help="the folder for the report; it is emptied")
    parser.add_argument("--count", type=int, default=500, help="images of each set (default 500)")
    parser.add_argument(
        "--training", type=int, nargs="+", default=[1000, 10000],
        help="how many images networks are trained on, of each style (default 1000 10000)",
    )  # fmt: skip
    return parser.parse_args()


def draw(options):
    say(f"drawing {options.count} images of each set")
    folder, count = options.output / "images", options.count
    sets = []
    for style in STYLES:
        for length in LENGTHS:
            name = f"{style}-{length}"
            sets.append(images.draw_own(options.program, folder, name, count, style=style, length=length))
        name = f"{style}-digit"
        sets.append(images.draw_own(options.program, folder, name, count, style=style, format="digits"))
    for style in STYLES:
        name = f"{style}-dark-4"
        sets.append(images.draw_own(options.program, folder, name, count, style=style, theme="dark"))
    return sets + [images.draw_peer(folder, f"peer-{length}", count, length) for length in LENGTHS]


def read(image_set):
    say(f"{image_set.name}: ", end="")
    shares = {}
    for name, reader in readers.READERS.items():
        shares[name] = readers.share_right(reader(image_set), image_set.answers)
        print(f"{name} {shares[name]:.1%}  ", end="", flush=True)
    print()
    return page.Row(image_set, shares)


def train_and_read(options, rows):
    """A network for each style that hinders programs, and for the peer, for PINs of four digits."""
    for count in options.training:
        for name in ("standard", "strong", "peer"):
            say(f"drawing {count} images to train on: {name}")
            network_name = f"network {count}"
            training = draw_training(options, f"{name}-training-{count}", count, name)
            trained = network.train(training, lambda epoch, epochs: say(f"\rtraining {epoch} of {epochs}", end=""))
            row = next(row for row in rows if row.images.name == f"{name}-4")
            readings = network.read_with_network(trained, row.images)
            row.shares[network_name] = readers.share_right(readings, row.images.answers)
            say(f": {row.shares[network_name]:.1%}")


def draw_training(options, folder_name, count, name):
    folder = options.output / "images"
    if name == "peer":
        return images.draw_peer(folder, folder_name, count, 4)
    return images.draw_own(options.program, folder, folder_name, count, style=name)


def say(text, end="\n"):
    print(text, end=end, flush=True)


if __name__ == "__main__":
    sys.exit(main())
