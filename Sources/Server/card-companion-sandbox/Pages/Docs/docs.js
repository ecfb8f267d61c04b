// The page at /docs: shows openapi.json.

import { code, element, folded, link, preformatted, slug, table } from "./elements.js";
import { markdown } from "./markdown.js";
import { samplesOf } from "./samples.js";
import { example, phrase, schemaId, schemaSection, schemaView } from "./schemas.js";

const METHODS = ["get", "put", "post", "patch", "delete"];

const place = (id) => document.getElementById(id);

const operationId = (operation) => `operation-${operation.operationId}`;

class Page {
  constructor(openAPI) {
    this.openAPI = openAPI;
    this.components = openAPI.components;
    this.operations = [
      ...operationsOf(openAPI.paths),
      ...operationsOf(openAPI.webhooks).map((operation) => ({ ...operation, path: "your URL", isWebhook: true })),
    ];
  }

  resolved(part) {
    if (!part.$ref) return part;
    const [, , kind, name] = part.$ref.split("/");
    return this.components[kind][name];
  }

  show() {
    const { info, tags } = this.openAPI;
    place("about").prepend(`Version ${info.version}. ${info.summary} `);
    const guide = element("section", { id: "guide" }, element("h2", {}, "Guide"), markdown(info.description));
    place("content").replaceChildren(
      guide, ...tags.map((tag) => this.tagSection(tag)), this.authenticationSection(), this.schemasSection());
    this.showLinks([...guide.querySelectorAll("h3")]);
  }

  tagSection(tag) {
    const operations = this.operations.filter((operation) => operation.tags.includes(tag.name));
    return element(
      "section", { id: `tag-${slug(tag.name)}` },
      element("h2", {}, tag.name), markdown(tag.description), operations.map((one) => this.operationSection(one)));
  }

  operationSection(operation) {
    const id = operationId(operation);
    return element(
      "section", { id, class: "operation", "aria-labelledby": `${id}-name` },
      element("h3", { id: `${id}-name` }, operation.summary),
      element("p", { class: "address" }, method(operation), " ", code(operation.path)),
      markdown(operation.description, 4),
      this.authentication(operation),
      this.parameters(operation),
      this.request(operation),
      this.samples(operation),
      this.responses(operation));
  }

  /** A webhook is a call to the bank: there is nothing to send. */
  samples(operation) {
    if (operation.isWebhook) return null;
    const samples = samplesOf(operation, (part) => this.resolved(part), location.origin);
    return [
      element("h4", {}, "Code samples"),
      Object.entries(samples).map(([language, text]) => folded(
        language, preformatted(`${operation.operationId} in ${language}`, text.trimEnd()))),
    ];
  }

  authentication({ security }) {
    if (!security?.length) return null;
    const ways = security.map((way) => Object.keys(way).map((name) => link(`authentication-${slug(name)}`, name)));
    const words = ways.map((way) => way.flatMap((name, index) => (index === 0 ? [name] : [" and ", name])));
    const either = words.flatMap((way, index) => (index === 0 ? way : [", or ", way]));
    return element("p", {}, "Authentication: ", either);
  }

  parameters({ parameters, operationId: name }) {
    if (parameters.length === 0) return null;
    const rows = parameters.map((one) => this.resolved(one)).map((parameter) => [
      [
        code(parameter.name),
        element("span", { class: "where" }, ` in the ${parameter.in}`),
        parameter.required ? element("span", { class: "required" }, " required") : null,
      ],
      phrase(parameter.schema),
      [
        markdown(parameter.description),
        parameter.example ? element("p", {}, "Example: ", code(parameter.example)) : null,
      ],
    ]);
    return [
      element("h4", {}, "Parameters"),
      table(`Parameters of ${name}`, ["Parameter", "Value", "Meaning"], rows),
    ];
  }

  request({ requestBody, operationId: name }) {
    if (!requestBody) return null;
    return [element("h4", {}, "Request"), this.content(requestBody.content, `${name}: request`)];
  }

  responses({ responses, operationId: name }) {
    const all = Object.entries(responses).map(([status, response]) => [status, this.resolved(response)]);
    const isSuccess = ([status]) => status.startsWith("2");
    const problems = all.filter((one) => !isSuccess(one));
    return [
      element("h4", {}, "Responses"),
      all.filter(isSuccess).map(([status, response]) => [
        element("h5", {}, code(status), " ", response.description.trim()),
        this.response(response, `${name}: ${status}`),
      ]),
      problems.map(([status, response]) => folded(
        [code(status), " ", response.description.trim()], this.response(response, `${name}: ${status}`))),
    ];
  }

  response(response, label) {
    const headers = Object.entries(response.headers ?? {}).map(([name, header]) => [name, this.resolved(header)]);
    const rows = headers.map(([name, header]) => [code(name), phrase(header.schema), markdown(header.description)]);
    const fields = () => table(`${label}: header fields`, ["Field", "Value", "Meaning"], rows);
    return [
      response.content ? this.content(response.content, label) : null,
      rows.length > 0 ? folded("Header fields", fields()) : null,
    ];
  }

  content(content, label) {
    return Object.entries(content).map(([mediaType, { schema, examples }]) => [
      element("p", {}, "Content-Type: ", code(mediaType)),
      schemaView(schema, this.components.schemas),
      Object.entries(examples ?? {}).map(([name, one]) => folded(
        [`Example: ${name}`, one.summary ? ` (${one.summary})` : null], example(`${label}, ${name}`, one.value))),
    ]);
  }

  authenticationSection() {
    const schemes = Object.entries(this.components.securitySchemes).map(([name, scheme]) => element(
      "section", { id: `authentication-${slug(name)}` }, element("h3", {}, name), markdown(scheme.description)));
    return element("section", { id: "authentication" }, element("h2", {}, "Authentication"), schemes);
  }

  schemasSection() {
    const all = this.components.schemas;
    const sections = Object.entries(all).map(([name, schema]) => schemaSection(name, schema, all));
    return element("section", { id: "schemas" }, element("h2", {}, "Schemas"), sections);
  }

  showLinks(guideHeadings) {
    const schemes = Object.keys(this.components.securitySchemes);
    const groups = [
      ["Guide", guideHeadings.map((heading) => [heading.id, heading.textContent])],
      ...this.openAPI.tags.map(({ name }) => [
        name,
        this.operations.filter((operation) => operation.tags.includes(name)).map((operation) => [
          operationId(operation), [method(operation), " ", operation.summary],
        ]),
      ]),
      ["Authentication", schemes.map((name) => [`authentication-${slug(name)}`, name])],
      ["Schemas", Object.keys(this.components.schemas).map((name) => [schemaId(name), name])],
    ];
    place("links").replaceChildren(...groups.map(([name, links]) => element(
      "section", { "aria-label": name }, element("h2", {}, name),
      element("ul", {}, links.map(([id, text]) => element("li", {}, link(id, text)))))));
  }
}

/** The operations of paths or webhooks, with the parameters of their path. */
function operationsOf(paths) {
  return Object.entries(paths).flatMap(([path, item]) => METHODS.filter((name) => item[name]).map((name) => ({
    ...item[name], method: name, path, parameters: [...(item.parameters ?? []), ...(item[name].parameters ?? [])],
  })));
}

function method(operation) {
  return element("span", { class: `method ${operation.method}` }, operation.method.toUpperCase());
}

/** Shows only links whose text, or whose operation's path, contains what was typed. */
function filterLinks(typed) {
  const wanted = typed.trim().toLowerCase();
  let count = 0;
  for (const group of place("links").children) {
    for (const item of group.querySelectorAll("li")) {
      const target = place(item.firstChild.hash.slice(1));
      const path = target.querySelector(".address")?.textContent ?? "";
      item.hidden = !`${item.textContent} ${path}`.toLowerCase().includes(wanted);
      count += item.hidden ? 0 : 1;
    }
    group.hidden = !group.querySelector("li:not([hidden])");
  }
  place("found").textContent = wanted ? `${count} found` : "";
}

/** Only a narrow window hides the contents. */
function openContents(isOpen) {
  place("toggle").setAttribute("aria-expanded", String(isOpen));
}

const contentsAreOpen = () => place("toggle").getAttribute("aria-expanded") === "true";

/** The page is filled after the browser has looked for the place in the address. */
function goToHash() {
  const target = place(decodeURIComponent(location.hash.slice(1)));
  target?.scrollIntoView();
}

async function start() {
  const answer = await fetch(new URL("openapi.json", import.meta.url));
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  new Page(await answer.json()).show();
  place("filter").addEventListener("input", (event) => filterLinks(event.target.value));
  place("toggle").addEventListener("click", () => openContents(!contentsAreOpen()));
  place("links").addEventListener("click", ({ target }) => target.closest("a") && openContents(false));
  goToHash();
}

start().catch((error) => {
  place("state").textContent = `openapi.json cannot be shown: ${error.message}. Reload the page, or read openapi.yaml.`;
});
