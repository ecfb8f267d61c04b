"""The report, as a table in text and as HTML."""

import html
from dataclasses import dataclass

from images import ImageSet

READERS = ("ddddocr", "ddddocr beta", "tesseract", "network")
HEADS = ("images", *READERS, "bytes", "µs")


@dataclass
class Row:
    images: ImageSet
    shares: dict


def cells(row):
    shares = [f"{row.shares[name]:.1%}" if name in row.shares else "" for name in READERS]
    return [row.images.name, *shares, str(row.images.byte_count), f"{row.images.microseconds:.0f}"]


def table(rows):
    lines = [HEADS, *map(cells, rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADS))]
    return "\n".join("  ".join(text.rjust(width) for text, width in zip(line, widths)) for line in lines)


def write(rows, options):
    heads = "".join(f"<th>{html.escape(head)}</th>" for head in HEADS)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells(row)) + "</tr>\n" for row in rows
    )
    sheets = "".join(
        f'<h2>{row.images.name}</h2><img src="{row.images.name}.png" alt="the first images">'
        f"<details><summary>answers</summary><ol>{answers(row)}</ol></details>\n"
        for row in rows
    )
    (options.output / "index.html").write_text(PAGE.format(count=options.count, heads=heads, body=body, sheets=sheets))


def answers(row):
    return "".join(f"<li>{answer}</li>" for answer in row.images.answers[:100])


PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Who reads the images of PINs</title>
<style>
body {{ font: 1rem/1.5 system-ui, sans-serif; margin: 2rem; }}
td, th {{ padding: 0.2rem 0.8rem; text-align: right; }}
td:first-child, th:first-child {{ text-align: left; }}
img {{ max-width: 100%; }}
ol {{ columns: 8; }}
</style>
<h1>Who reads the images of PINs</h1>
<p>{count} images of each set. The share of whole PINs that a program read, the length of a file, and the CPU time of drawing
and encoding it. <i>peer</i> is Python's captcha 0.7. What the numbers mean is in docs/captcha.md.</p>
<table><tr>{heads}</tr>
{body}</table>
{sheets}
</html>
"""
