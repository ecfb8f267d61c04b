"""Programs that read images of text as they come, without having seen ours."""

import subprocess

import ddddocr

LOOK_ALIKES = str.maketrans(
    {
        "o": "0", "O": "0", "Q": "0", "D": "0",
        "l": "1", "I": "1", "i": "1", "|": "1",
        "z": "2", "Z": "2",
        "s": "5", "S": "5",
        "b": "6", "G": "6",
        "B": "8",
        "g": "9", "q": "9",
    }
)  # fmt: skip


def share_right(readings, answers):
    """Of whole PINs, 0 to 1. Letters that look like digits count as digits."""
    right = sum(reading.translate(LOOK_ALIKES) == answer for reading, answer in zip(readings, answers))
    return right / len(answers)


def read_with_ddddocr(images, beta):
    model = ddddocr.DdddOcr(show_ad=False, beta=beta)
    return [model.classification(file.read_bytes()) for file in images.files]


def read_with_tesseract(images):
    """In one call for all images, as one word of digits each."""
    listing = images.folder / "files.txt"
    listing.write_text("".join(f"{file}\n" for file in images.files))
    command = ["tesseract", str(listing), "stdout", "--psm", "8", "-c", "tessedit_char_whitelist=0123456789"]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    pages = output.split("\f")[: len(images.answers)]
    return ["".join(page.split()) for page in pages]


READERS = {
    "ddddocr": lambda images: read_with_ddddocr(images, beta=False),
    "ddddocr beta": lambda images: read_with_ddddocr(images, beta=True),
    "tesseract": read_with_tesseract,
}
