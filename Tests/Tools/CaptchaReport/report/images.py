"""Sets of images with known digits: the project's own, and those of Python's captcha, as a peer."""

import json
import random
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from captcha.image import ImageCaptcha
from PIL import Image, ImageDraw


@dataclass
class ImageSet:
    name: str
    folder: Path
    answers: list
    byte_count: int
    microseconds: float

    @property
    def files(self):
        return [self.folder / f"{index:05d}.png" for index in range(len(self.answers))]


def draw_own(program, folder, name, count, *, style, theme="light", format="captcha", length=4):
    folder = folder / name
    options = {"style": style, "theme": theme, "format": format, "length": length, "count": count, "output": folder}
    arguments = [text for key, value in options.items() for text in (f"--{key}", str(value))]
    subprocess.run([program, *arguments], check=True)
    described = json.loads((folder / "images.json").read_text())
    return ImageSet(name, folder, described["answers"], described["byteCount"], described["microseconds"])


def draw_peer(folder, name, count, length):
    """Python's captcha as it comes: 160 × 60 pixels."""
    folder = folder / name
    folder.mkdir(parents=True, exist_ok=True)
    generator = ImageCaptcha()
    answers, seconds, byte_count = [], 0.0, 0
    for index in range(count):
        answer = "".join(random.choice("0123456789") for _ in range(length))
        file = folder / f"{index:05d}.png"
        start = time.process_time()
        generator.write(answer, str(file))
        seconds += time.process_time() - start
        byte_count += file.stat().st_size
        answers.append(answer)
    return ImageSet(name, folder, answers, byte_count // count, seconds / count * 1e6)


def write_contact_sheet(images, file, count=100, columns=5):
    """Images with numbers and without answers, so that a person can read them first and compare afterwards."""
    gap, line = 8, 16
    pictures = [Image.open(path).convert("RGB") for path in images.files[:count]]
    width, height = pictures[0].size
    columns = columns if width > 100 else 4 * columns
    rows = (len(pictures) + columns - 1) // columns
    sheet = Image.new("RGB", (columns * (width + gap), rows * (height + line + gap)), (200, 200, 200))
    numbers = ImageDraw.Draw(sheet)
    for index, picture in enumerate(pictures):
        left, top = index % columns * (width + gap) + gap // 2, index // columns * (height + line + gap)
        numbers.text((left, top + 2), str(index + 1), fill=(0, 0, 120))
        sheet.paste(picture, (left, top + line))
    sheet.save(file)
