// Makes elements of the page. Text always becomes a text node, so nothing in openapi.json can become HTML.

export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return made;
}

export const code = (text) => element("code", {}, text);

export const link = (id, text) => element("a", { href: `#${id}` }, text);

// Only a block that has something to scroll takes part in the order of the Tab key.
const sizes = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const isScrolled = target.scrollWidth > target.clientWidth || target.scrollHeight > target.clientHeight;
    if (isScrolled) target.setAttribute("tabindex", "0");
    else target.removeAttribute("tabindex");
  }
});

/** A block that can be larger than its place, and is scrolled with the mouse, a finger or the keyboard. */
export function scrollable(label, child) {
  const block = element("div", { class: "wide", role: "group", "aria-label": label }, child);
  sizes.observe(block);
  return block;
}

export function preformatted(label, text) {
  return scrollable(label, element("pre", {}, code(text)));
}

export function table(label, headings, rows) {
  const head = element("tr", {}, headings.map((heading) => element("th", { scope: "col" }, heading)));
  const body = rows.map((cells) => element("tr", {}, cells.map((cell) => element("td", {}, cell))));
  return scrollable(label, element("table", {}, element("thead", {}, head), element("tbody", {}, body)));
}

/** `children` that are hidden until somebody opens them. */
export function folded(summary, ...children) {
  return element("details", {}, element("summary", {}, summary), ...children);
}

/** The words of a heading as an id. */
export const slug = (text) => text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
