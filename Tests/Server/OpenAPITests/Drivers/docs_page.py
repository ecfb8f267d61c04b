"""Checks the page at /docs in headless Chromium: what it shows, and how people can use it.

Usage: docs_page.py DOCS_FOLDER SCREENSHOTS_FOLDER

It serves the folder on loopback with a strict Content-Security-Policy. Exit status 0: the page shows every operation,
parameter, status, code, schema and example of openapi.json, all links lead somewhere, it fits narrow and wide windows,
its text has enough contrast in light and dark (WCAG 2.2, AA), the keyboard reaches everything, and Chromium complains
about nothing.
"""

import json
import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from answers import require
from chromium import Chromium
from validate import examples

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'")
LANGUAGES = ["curl", "Python", "Swift", "Java", "JavaScript"]
METHODS = {"get", "put", "post", "patch", "delete"}
SHOWN = "document.getElementById('schemas') !== null"
LEAST_CONTRAST = 4.5
PLACES = ["operation-putCardholder", "operation-captcha", "schema-DeliveredPIN", "guide"]
WIDTHS = {"wide": 1400, "narrow": 390, "smallest": 320}

FUNCTIONS = """
const text = (id) => document.getElementById(id)?.textContent ?? '';
const luminance = (color) => {
  const linear = (value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  const [red, green, blue] = color.match(/[0-9.]+/g).map((value) => linear(value / 255));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};
const background = (node) => {
  const color = getComputedStyle(node).backgroundColor;
  return color === 'rgba(0, 0, 0, 0)' && node.parentElement ? background(node.parentElement) : color;
};
const contrast = (node) => {
  const [light, dark] = [getComputedStyle(node).color, background(node)].map(luminance).sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
};
"""


class Pages(SimpleHTTPRequestHandler):
    """Serves the folder at /docs, as the sandbox does."""

    def translate_path(self, path):
        return super().translate_path("/index.html" if path == "/docs" else path.removeprefix("/docs"))

    def end_headers(self):
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()

    def log_message(self, *_):
        pass


def serve(folder):
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Pages, directory=folder))
    Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/docs"


def call(browser, expression):
    return browser.evaluate(f"(() => {{ {FUNCTIONS} return {expression}; }})()")


def all_of(selector):
    return f"[...document.querySelectorAll('{selector}')]"


def require_everything(browser, document):
    for item in document["paths"].values():
        for name in (operation["operationId"] for method, operation in item.items() if method in METHODS):
            titles = call(browser, f"{all_of(f'#operation-{name} summary')}.map((title) => title.textContent)")
            require(set(LANGUAGES) <= set(titles), f"the operation {name} has samples in {titles}")
    for item in [*document["paths"].values(), *document["webhooks"].values()]:
        for method, operation in item.items():
            if method in METHODS:
                require_operation(browser, document, method, operation, item.get("parameters", []))
    for name, schema in document["components"]["schemas"].items():
        text = call(browser, f"text('schema-{name}')")
        for part in [name, *schema.get("properties", {}), *map(str, schema.get("enum", []))]:
            require(part in text, f"the schema {name} does not show {part}")
    shown = "".join(call(browser, "document.body.textContent").split())
    for path, _, value in examples(document):
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        if path[-1] != "example" or "parameters" in path:  # the examples of header fields are not shown
            require("".join(text.split()) in shown, f"the example {path} is not shown")


def require_operation(browser, document, method, operation, parameters):
    name = operation["operationId"]
    text = call(browser, f"text('operation-{name}')")
    parts = [method.upper(), operation["summary"], *operation["responses"]]
    parts += operation.get("requestBody", {}).get("content", {})
    parts += [resolved(document, one)["name"] for one in [*parameters, *operation.get("parameters", [])]]
    for line in operation["description"].splitlines() if "description" in operation else []:
        if line.startswith("| "):  # the codes
            parts += [cell.strip().replace("`", "") for cell in line.strip("|").split("|")]
    for part in parts:
        require(part in text, f"the operation {name} does not show {part}")


def resolved(document, node):
    if "$ref" not in node:
        return node
    _, _, kind, name = node["$ref"].split("/")
    return document["components"][kind][name]


def require_structure(browser):
    targets = f"{all_of('a')}.filter((link) => link.hash).map((link) => link.hash.slice(1))"
    missing = call(browser, f"{targets}.filter((id) => !document.getElementById(id))")
    require(missing == [], f"links that lead nowhere: {missing}")
    require(call(browser, "document.querySelector('header a[href=\"/sandbox/\"]') !== null"), "no link to the sandbox")
    ids = call(browser, f"{all_of('[id]')}.map((node) => node.id)")
    require(len(ids) == len(set(ids)), f"ids that are not unique: {[one for one in ids if ids.count(one) > 1]}")
    headings = all_of("main h2, main h3, main h4, main h5")
    levels = call(browser, f"{headings}.map((heading) => Number(heading.localName[1]))")
    steps = [deeper - level for level, deeper in zip(levels, levels[1:])]
    require(levels[0] == 2 and max(steps) <= 1, f"a heading level is left out: {levels}")
    named = all_of("nav, input, [role=group]")
    unnamed = call(browser, f"{named}.filter((node) => !node.ariaLabel && !node.labels?.length).length")
    require(unnamed == 0, f"{unnamed} parts have no name for screen readers")


def require_readable(browser, what):
    """Everything that is folded is opened first."""
    browser.evaluate(f"""new Promise((done) => {{
        for (const folded of {all_of("details")}) folded.open = true;
        requestAnimationFrame(() => setTimeout(done, 100));
    }})""")
    width = call(browser, "[document.documentElement.scrollWidth, innerWidth]")
    require(width[0] <= width[1], f"{what}: the page is {width[0]} px wide in a window of {width[1]} px")
    faint = call(browser, f"""{all_of('main *, nav *, header *')}
        .filter((node) => [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim()))
        .filter((node) => contrast(node) < {LEAST_CONTRAST}).slice(0, 5).map((node) => node.outerHTML.slice(0, 200))""")
    require(faint == [], f"{what}: too little contrast: {faint}")
    unreachable = call(browser, f"""{all_of('.wide')}
        .filter((block) => block.scrollWidth > block.clientWidth && block.tabIndex !== 0).length""")
    require(unreachable == 0, f"{what}: the keyboard cannot scroll {unreachable} blocks")


def require_keyboard(browser):
    """In a narrow window: skips to the content, opens the contents, and finds an operation, all with the keyboard."""
    focused = "document.activeElement.outerHTML.slice(0, 60)"
    browser.press("Tab")
    require(call(browser, "document.activeElement.className") == "skip", f"first: {call(browser, focused)}")
    for _ in range(4):  # three links
        browser.press("Tab")
    require(call(browser, "document.activeElement.id") == "toggle", f"fifth: {call(browser, focused)}")
    browser.press("Enter", "\r")
    require(call(browser, "document.getElementById('filter').checkVisibility()"), "Enter does not open the contents")
    browser.press("Tab")
    for letter in "events":
        browser.press(letter, letter)
    found = call(
        browser, f"{all_of('#links li')}.filter((item) => item.checkVisibility()).map((item) => item.textContent)")
    require("GET Fetch events" in found and "GET Show a cardholder" not in found, f"found: {found}")
    said = call(browser, "text('found')")
    require(said == f"{len(found)} found", f"it says: {said}")
    browser.press("Tab")
    browser.press("Enter", "\r")
    require(call(browser, "location.hash.length > 1 && !document.getElementById('filter').checkVisibility()"),
            "a link does not close the contents")


def open_page(browser, url, **window):
    browser.open("about:blank", "true")  # otherwise another place in the same page would not load it again
    browser.open(url, SHOWN, **window)


def check(url, document, screenshots):
    screenshots.mkdir(parents=True, exist_ok=True)
    with Chromium() as browser:
        for scheme in ("light", "dark"):
            for name, width in WIDTHS.items():
                open_page(browser, f"{url}#{PLACES[0]}", width=width, scheme=scheme)
                for place in PLACES:
                    browser.evaluate(f"location.hash = '{place}'")
                    browser.screenshot(screenshots / f"docs-{name}-{scheme}-{place}.png")
                    top = call(browser, f"document.getElementById('{place}').getBoundingClientRect().top")
                    require(abs(top) < 50, f"{place} is {top} px from the top of the window")
                require_readable(browser, f"{name}, {scheme}")
        require_everything(browser, document)
        require_structure(browser)
        open_page(browser, url, width=WIDTHS["narrow"])
        require_keyboard(browser)
        require(browser.complaints() == [], f"Chromium complains: {browser.complaints()}")


if __name__ == "__main__":
    folder, screenshots = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    check(serve(str(folder)), json.loads((folder / "openapi.json").read_text(encoding="utf-8")), screenshots)
