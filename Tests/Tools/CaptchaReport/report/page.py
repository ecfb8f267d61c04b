"""The report, as a table in text and as HTML."""

import html
from dataclasses import dataclass

from images import ImageSet


def columns(options):
    return ["ddddocr", "ddddocr beta", "tesseract", *(f"network {count}" for count in options.training)]


def heads(options):
    return ["images", *columns(options), "bytes", "µs"]


@dataclass
class Row:
    images: ImageSet
    shares: dict


def cells(row, options):
    shares = [f"{row.shares[name]:.1%}" if name in row.shares else "" for name in columns(options)]
    return [row.images.name, *shares, str(row.images.byte_count), f"{row.images.microseconds:.0f}"]


def table(rows, options):
    lines = [heads(options), *(cells(row, options) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines)]
    return "\n".join("  ".join(text.rjust(width) for text, width in zip(line, widths)) for line in lines)


def write(rows, options):
    head = "".join(f"<th>{html.escape(text)}</th>" for text in heads(options))
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells(row, options)) + "</tr>\n" for row in rows
    )
    sheets = "".join(
        f'<h2>{row.images.name}</h2><img src="{row.images.name}.png" alt="the first images">'
        f"<details><summary>answers</summary><ol>{answers(row)}</ol></details>\n"
        for row in rows
    )
    (options.output / "index.html").write_text(PAGE.format(count=options.count, head=head, body=body, sheets=sheets))


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
and encoding it. A network was trained on so many other images of the same kind. <i>peer</i> is Python's captcha 0.7. What the numbers mean is in docs/captcha.md.</p>
<table><tr>{head}</tr>
{body}</table>
{sheets}
</html>
"""
