// Shows JSON Schemas in words and tables.

import { code, element, folded, link, preformatted, table } from "./elements.js";
import { markdown } from "./markdown.js";

const PREFIX = "#/components/schemas/";

/** What a keyword with a schema says about the value. */
const RELATED = {
  "x-jwe-header": "its header: ",
  "x-jwe-plaintext": "its plaintext: ",
  "x-ndjson-line": "each line: ",
  "x-ndjson-last-line": "the last line: ",
  contentSchema: "as JSON: ",
};

export const schemaId = (name) => `schema-${name}`;
const nameOf = (reference) => reference.slice(PREFIX.length);
const schemaLink = (reference) => link(schemaId(nameOf(reference)), nameOf(reference));
const json = (value) => code(JSON.stringify(value));

function listed(parts, separator = ", ") {
  return parts.flatMap((part, index) => (index === 0 ? [part] : [separator, part]));
}

/** A schema in one phrase: its type and what it requires of a value. */
export function phrase(schema) {
  return listed([...kind(schema), ...limits(schema)]);
}

function kind(schema) {
  const named = schema.$ref ? [schemaLink(schema.$ref)] : [];
  if (schema.oneOf) return [...named, listed(schema.oneOf.map(nested), " or ")];
  if (schema.allOf) return [...named, ["object with all members of ", listed(references(schema), " and ")]];
  if (schema.items) return [...named, ["array of ", nested(schema.items)]];
  return schema.type ? [...named, schema.type] : named;
}

const references = (schema) => schema.allOf.filter((part) => part.$ref).map(phrase);

/** A schema within the phrase of another. */
function nested(schema) {
  const inner = phrase(schema);
  return inner.length > 1 ? ["(", inner, ")"] : inner;
}

function limits(schema) {
  const said = [];
  const say = (...parts) => said.push(parts);
  if ("const" in schema) say("always ", json(schema.const));
  if (schema.enum) say(schema.enum.length > 1 ? "one of " : "always ", listed(schema.enum.map(json)));
  range(say, schema.minLength, schema.maxLength, "characters");
  range(say, schema.minimum, schema.maximum, "");
  range(say, schema.minItems, schema.maxItems, "elements");
  range(say, schema.minProperties, schema.maxProperties, "members");
  if (schema.uniqueItems) say("all different");
  if (schema.pattern) say("pattern ", code(schema.pattern));
  if (schema.format) say("format ", schema.format);
  if (schema.contentEncoding) say("in ", schema.contentEncoding);
  if (schema.contentMediaType) say(schema.contentMediaType);
  if ("default" in schema) say("default ", json(schema.default));
  if (schema.readOnly) say("only in answers");
  if (schema.writeOnly) say("only in requests");
  if (schema.unevaluatedProperties === false || schema.additionalProperties === false) say("no other members");
  for (const [member, others] of Object.entries(schema.dependentRequired ?? {})) {
    say(code(member), " only with ", listed(others.map(code)));
  }
  if (schema.not) say(exclusion(schema.not));
  if (schema.if) say("if ", condition(schema.if), ": ", condition(schema.then), "; else ", condition(schema.else));
  for (const [keyword, words] of Object.entries(RELATED)) {
    if (schema[keyword]) say(words, nested(schema[keyword]));
  }
  // Of a schema that only narrows another one, such as the data of an event.
  if (schema.$ref && schema.properties) say(condition({ properties: schema.properties }));
  return said;
}

function range(say, least, most, units) {
  const counted = (number) => `${number} ${number === 1 ? units.replace(/s$/, "") : units}`.trim();
  if (least === undefined && most === undefined) return;
  if (least === most) say(`exactly ${counted(least)}`);
  else if (most === undefined) say(`at least ${counted(least)}`);
  else if (least === undefined) say(`at most ${counted(most)}`);
  else say(`${least} to ${counted(most)}`);
}

function exclusion(schema) {
  if (Object.keys(schema).length === 0) return "never allowed";
  const forbidden = (schema.anyOf ?? [schema]).flatMap((one) => one.required);
  return ["without ", listed(forbidden.map(code))];
}

/** A schema with parts of an object, in words. */
function condition(schema) {
  const members = Object.entries(schema.properties ?? {}).map(([name, member]) => {
    if (member === false) return [code(name), " is missing"];
    if ("const" in member) return [code(name), " is ", json(member.const)];
    return [code(name), member.enum ? " is " : " has ", phrase(member)];
  });
  const required = schema.required ? [["with ", listed(schema.required.map(code))]] : [];
  return listed([...members, ...required, ...(schema.not ? [exclusion(schema.not)] : [])], " and ");
}

/** A schema with all its members. If it is the name of another schema, with what that one says. */
export function schemaView(schema, schemas) {
  const members = membersOf(schema, schemas);
  const target = schema.$ref ? schemas[nameOf(schema.$ref)] : null;
  const more = target && members.length === 0 ? [": ", phrase(target)] : [];
  return [
    element("p", {}, phrase(schema), more),
    members.length > 0 ? membersTable(members, schemas) : null,
    (target?.oneOf ?? []).map((one) => schemaView(one, schemas)),
  ];
}

/** The members of an object, also those of the schemas that `allOf` or `$ref` name. */
function membersOf(schema, schemas) {
  const others = [...(schema.$ref ? [schemas[nameOf(schema.$ref)]] : []), ...(schema.allOf ?? [])];
  const members = new Map();
  const required = new Set(schema.required ?? []);
  for (const other of others) {
    for (const member of membersOf(other, schemas)) {
      members.set(member.name, member);
      if (member.required) required.add(member.name);
    }
  }
  for (const [name, member] of Object.entries(schema.properties ?? {})) members.set(name, { name, schema: member });
  return [...members.values()].map((member) => ({ ...member, required: required.has(member.name) }));
}

function membersTable(members, schemas) {
  const rows = members.map(({ name, schema, required }) => [
    [code(name), required ? element("span", { class: "required" }, " required") : null],
    [phrase(schema)],
    markdown(schema.description ?? (schema.$ref && schemas[nameOf(schema.$ref)].description)),
  ]);
  return table("Members", ["Member", "Value", "Meaning"], rows);
}

/** The section of a schema of the components. */
export function schemaSection(name, schema, schemas) {
  return element(
    "section", { id: schemaId(name), "aria-labelledby": `${schemaId(name)}-name` },
    element("h3", { id: `${schemaId(name)}-name` }, name),
    markdown(schema.description),
    schemaView(schema, schemas),
    schema.examples ? element("h4", {}, schema.examples.length > 1 ? "Examples" : "Example") : null,
    (schema.examples ?? []).map((value) => example(`Example of ${name}`, value)),
    folded("JSON Schema", preformatted(`JSON Schema of ${name}`, JSON.stringify(schema, null, 2))),
  );
}

/** An example, as it is sent. A text that is not JSON stays as it is. */
export function example(label, value) {
  return preformatted(label, typeof value === "string" ? value.trimEnd() : JSON.stringify(value, null, 2));
}
