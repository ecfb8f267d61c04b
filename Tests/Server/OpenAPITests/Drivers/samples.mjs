// Prints the samples of the page at /docs: {operationId: {language: text}}.
// Usage: node samples.mjs SAMPLES_MODULE HOST <openapi.json

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [, , module, host] = process.argv;
const { samplesOf } = await import(pathToFileURL(module));
const { paths, components } = JSON.parse(readFileSync(0, "utf8"));

function resolved(part) {
  if (!part.$ref) return part;
  const [, , kind, name] = part.$ref.split("/");
  return components[kind][name];
}

const operations = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item).filter(([, one]) => one.operationId).map(([method, one]) => ({
    ...one, method, path, parameters: [...(item.parameters ?? []), ...(one.parameters ?? [])],
  })));
const samples = operations.map((one) => [one.operationId, samplesOf(one, resolved, host)]);
console.log(JSON.stringify(Object.fromEntries(samples)));
