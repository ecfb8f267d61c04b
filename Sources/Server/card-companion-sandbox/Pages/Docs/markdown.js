// Shows the part of Markdown (CommonMark, with tables) that openapi.yaml uses: headings, paragraphs, lists, tables,
// indented code, `code` and **bold**.

import { code, element, preformatted, slug, table } from "./elements.js";

const isBlank = (line) => line.trim() === "";
const isItem = (line) => line.startsWith("- ");
const isRow = (line) => line.startsWith("|");
const isCode = (line) => line.startsWith("    ");
const isHeading = (line) => line.startsWith("#");
const isText = (line) => !isBlank(line) && !isItem(line) && !isRow(line) && !isHeading(line);

/** `**bold**` and `code` as elements. */
export function inline(text) {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) => {
    if (part.startsWith("`")) return code(part.slice(1, -1));
    if (part.startsWith("**")) return element("strong", {}, inline(part.slice(2, -2)));
    return part;
  });
}

/** The blocks of a text. Its headings `##` become headings of this level. */
export function markdown(text, headingLevel = 3) {
  const lines = (text ?? "").trimEnd().split("\n");
  const blocks = [];
  const take = (belongs) => {
    const taken = [];
    while (lines.length > 0 && belongs(lines[0])) taken.push(lines.shift());
    return taken;
  };
  while (lines.length > 0) {
    if (isBlank(lines[0])) lines.shift();
    else if (isHeading(lines[0])) blocks.push(heading(lines.shift(), headingLevel));
    else if (isItem(lines[0])) blocks.push(list(take((line) => isItem(line) || line.startsWith("  "))));
    else if (isRow(lines[0])) blocks.push(rows(take(isRow)));
    else if (isCode(lines[0])) blocks.push(indented(take((line) => isCode(line) || isBlank(line))));
    else blocks.push(element("p", {}, inline(take(isText).join(" "))));
  }
  return blocks;
}

function heading(line, level) {
  const text = line.replace(/^#+ /, "");
  return element(`h${level}`, { id: `section-${slug(text)}` }, inline(text));
}

function list(lines) {
  const items = [];
  for (const line of lines) {
    if (isItem(line)) items.push(line.slice(2));
    else items.push(`${items.pop()} ${line.trim()}`);
  }
  return element("ul", {}, items.map((item) => element("li", {}, inline(item))));
}

function rows(lines) {
  const cells = (line) => line.slice(1, -1).split("|").map((cell) => inline(cell.trim()));
  const [head, , ...body] = lines;
  return table(head.slice(1, -1).replaceAll("|", ","), cells(head), body.map(cells));
}

function indented(lines) {
  return preformatted("Example", lines.map((line) => line.slice(4)).join("\n").trimEnd());
}
