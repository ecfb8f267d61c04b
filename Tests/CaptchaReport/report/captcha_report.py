"""Says how well programs read the images of PINs: 'make captcha-report'.

Draws images in each style and images of Python's captcha as a peer, lets tesseract, ddddocr and a network that was
trained on our images read them, and prints and writes the shares that were read. It takes about a quarter of an hour.
"""

import argparse
import shutil
import sys
import time
from pathlib import Path

import images
import network
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
    print(page.table(rows))
    print(f"report: {options.output / 'index.html'}")


def parsed_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=Path, required=True, help="captcha-report, which draws our images")
    parser.add_argument("--output", type=Path, required=True, help="the folder for the report; it is emptied")
    parser.add_argument("--count", type=int, default=500, help="images of each set (default 500)")
    parser.add_argument("--training", type=int, default=1000, help="images to train on, of each style (default 1000)")
    parser.add_argument("--epochs", type=int, default=40, help="how often the network sees them (default 40)")
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
    """One network for each style and the peer, for PINs of four digits."""
    folder = options.output / "training"
    for name in (*STYLES, "peer"):
        if name == "peer":
            training = images.draw_peer(folder, name, options.training, 4)
        else:
            training = images.draw_own(options.program, folder, name, options.training, style=name)
        start = time.monotonic()

        def progress(epoch, epochs):
            print(f"\r{name}: training {epoch} of {epochs}", end="", flush=True)

        trained = network.train(training, options.epochs, progress)
        row = next(row for row in rows if row.images.name == f"{name}-4")
        share = readers.share_right(network.read_with_network(trained, row.images), row.images.answers)
        row.shares["network"] = share
        print(f": {share:.1%} after {time.monotonic() - start:.0f} s")


def say(text, end="\n"):
    print(text, end=end, flush=True)


if __name__ == "__main__":
    sys.exit(main())
