// Code samples of an operation. All values are from openapi.json: its first example of the body, and those of parameters.

import { clientCall } from "./client-calls.js";

const languages = { curl, Python: python, Swift: swift, Java: java, JavaScript: javaScript };

/** The samples of an operation, {language: text}, for a server at `host`. `resolved` follows references of openapi.json. */
export function samplesOf(operation, resolved, host) {
  const call = callOf(operation, resolved, host);
  return Object.fromEntries(Object.entries(languages).map(([language, sample]) => [language, sample(call)]));
}

/** What is sent. `target` is the part of a back-end's path that comes after its bank. */
function callOf({ operationId, method, path, parameters, requestBody, responses, security }, resolved, host) {
  const all = parameters.map(resolved);
  const valueOf = ({ example }) => encodeURIComponent(example);
  const inPath = (pattern) => all.filter((one) => one.in === "path")
    .reduce((filled, one) => filled.replace(`{${one.name}}`, valueOf(one)), pattern);
  const query = all.filter((one) => one.in === "query" && one.required).map((one) => `${one.name}=${valueOf(one)}`);
  const suffix = query.length > 0 ? `?${query.join("&")}` : "";
  // Fields that the operation must have, but for those that sign it.
  const fields = all.filter((one) => one.in === "header" && one.required).map((one) => [one.name, one.example]);
  const [mediaType, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const value = content && Object.values(content.examples)[0].value;
  return {
    host, method: method.toUpperCase(), mediaType, fields, value, isSigned: Boolean(security?.length),
    url: host + inPath(path) + suffix,
    target: inPath(path.replace("/v1/banks/{bankId}/", "")) + suffix,
    body: value === undefined ? null : typeof value === "string" ? value : JSON.stringify(value, null, 2),
    isWebSocket: "101" in responses, client: clientCall(operationId, value),
  };
}

const lines = (...parts) => `${parts.flat(Infinity).filter((line) => line !== null).join("\n")}\n`;
const indented = (text, indent) => text.split("\n").map((line) => (line ? indent + line : line)).join("\n");
/** A text in quotes, or a number, as JavaScript, Python, Java and Swift all read it. */
const quoted = (value) => JSON.stringify(value);
const webSocketURL = ({ url }) => url.replace(/^http/, "ws");

/** Whether a body of an app has a proof or a sealed value, which nobody writes by hand. */
const isProved = (value) => ["hashMac", "token", "hash"].some((name) => name in Object(value));

const signing = `sign this call, as the guide says ("Banks' back-ends").`;
const start = "Then send START, as the document \"WebSocket API v2\" says.";

function curl(call) {
  const { method, url, mediaType, fields, body, value, isSigned, isWebSocket } = call;
  const quotedURL = `'${url}'`;
  if (isWebSocket) {
    return lines(
      `# ${start} curl only shows that the session begins.`,
      `curl -sS -i -N --http1.1 --max-time 2 -H 'Connection: Upgrade' -H 'Upgrade: websocket' \\`,
      `    -H 'Sec-WebSocket-Version: 13' -H "Sec-WebSocket-Key: $(openssl rand -base64 16)" ${quotedURL}`);
  }
  const options = [
    mediaType && `-H 'Content-Type: ${mediaType}'`,
    ...fields.map(([name, one]) => `-H '${name}: ${one}'`),
    isSigned && body !== null && `-H "Content-Digest: $content_digest"`,
    isSigned && `-H "Signature-Input: $signature_input"`,
    isSigned && `-H "Signature: $signature"`,
    body !== null && `--data-binary '${body.replaceAll("'", `'\\''`)}'`,
  ].filter(Boolean);
  return lines(
    isSigned ? `# These values ${signing}` : null,
    isSigned ? "# examples/bank.sh computes them." : null,
    isProved(value) ? "# examples/app.py computes such values." : null,
    [`curl -sS ${method === "GET" ? "" : `-X ${method} `}${quotedURL}`, ...options].join(" \\\n    "));
}

function python(call) {
  const { host, method, url, target, mediaType, fields, body, value, isSigned, isWebSocket } = call;
  if (isWebSocket) {
    return lines(
      "from websockets.sync.client import connect", "", `with connect(${quoted(webSocketURL(call))}) as socket:`,
      `    print(socket.response.status_code)`, `    # ${start}`);
  }
  const isText = typeof value === "string";
  const sent = body === null ? null : isText ? `${quoted(body)}.encode()` : "json.dumps(members).encode()";
  const members = body === null || isText ? null : `members = ${pythonLiteral(value)}`;
  const json = members === null ? null : "import json";
  if (isSigned) {
    const named = fields.length > 0 ? `, headers=${JSON.stringify(Object.fromEntries(fields))}` : "";
    const more = (sent === null ? "" : `, ${sent}, ${quoted(mediaType)}`) + named;
    return lines(
      json, "import sys", "", `sys.path.append("examples")  # of this project: bank.py signs the call`,
      "from bank import Bank", "", `bank = Bank(${quoted(host)}, ".data/sandbox")`, members,
      `headers, answer = bank.call(${quoted(method)}, ${quoted(target)}${more})`, "print(answer.decode())");
  }
  if (sent === null) {
    return lines(
      "from urllib.request import urlopen", "", `with urlopen(${quoted(url)}) as answer:`,
      "    print(answer.read().decode())");
  }
  return lines(
    json, "from urllib.request import Request, urlopen", "",
    isProved(value) ? "# examples/app.py computes such values." : null, members,
    `request = Request(${quoted(url)}, ${sent}, {"Content-Type": ${quoted(mediaType)}})`,
    "with urlopen(request) as answer:", "    print(answer.read().decode())");
}

function pythonLiteral(value, indent = "") {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((one) => pythonLiteral(one, indent)).join(", ")}]`;
  const inner = `${indent}    `;
  const members = Object.entries(value).map(([name, one]) => `${inner}${quoted(name)}: ${pythonLiteral(one, inner)},\n`);
  return `{\n${members.join("")}${indent}}`;
}

function swift(call) {
  const { host, method, url, mediaType, fields, body, isSigned, isWebSocket, client } = call;
  if (client) {
    return lines(
      "import CardCompanionAPI", "import CardCompanionSDK", "", client.note ? `// ${client.note}` : null,
      `let parameters = ${client.parameters}(`,
      `    ${client.members.map(([name, one]) => `${name}: ${one.swift ?? quoted(one)}`).join(",\n    ")})`,
      `let answer = await ${client.type}.${client.name}(parameters, hostUrl: ${quoted(host)})`,
      "print(answer.errorCode, answer.errorMessage)");
  }
  if (isWebSocket) {
    return lines(
      "import Foundation", "", `let socket = URLSession.shared.webSocketTask(with: URL(string: ${quoted(webSocketURL(call))})!)`,
      "socket.resume()", `// ${start}`);
  }
  return lines(
    "import Foundation", "",
    `${method === "GET" && !isSigned ? "let" : "var"} request = URLRequest(url: URL(string: ${quoted(url)})!)`,
    method === "GET" ? null : `request.httpMethod = ${quoted(method)}`,
    mediaType ? `request.setValue(${quoted(mediaType)}, forHTTPHeaderField: "Content-Type")` : null,
    fields.map(([name, one]) => `request.setValue(${quoted(one)}, forHTTPHeaderField: ${quoted(name)})`),
    isSigned
      ? [
        `// \`signature\` has the fields that ${signing}`,
        "for (field, value) in signature { request.setValue(value, forHTTPHeaderField: field) }",
      ]
      : null,
    body === null ? null : [`request.httpBody = Data(`, `    #"""`, indented(body, "    "), `    """#.utf8)`],
    "let (answer, _) = try await URLSession.shared.data(for: request)", "print(String(decoding: answer, as: UTF8.self))");
}

/** A text block of Java. Its last line has the indent, too. */
function textBlock(text) {
  const indent = " ".repeat(8);
  const end = text.endsWith("\n") ? indent : "";
  return `"""\n${indented(text.replaceAll("\\", "\\\\"), indent)}${end}"""`;
}

function java(call) {
  const { host, method, url, mediaType, fields, body, isSigned, isWebSocket, client } = call;
  if (client) {
    const members = client.javaMembers.map((one) => one.java ?? quoted(one));
    return lines(
      "import cardcompanion.sdk.*;", "", client.note ? `// ${client.note}` : null, "// Not on the main thread.",
      `${client.parameters} parameters = new ${client.parameters}(`,
      `    ${members.join(",\n    ")});`,
      `${client.javaAnswer} answer = ${client.type}.${client.name}(context, parameters, ${quoted(host)});`,
      `System.out.println(answer.errorCode + " " + answer.errorMessage);`);
  }
  if (isWebSocket) {
    return lines(
      "import java.net.URI;", "import java.net.http.*;", "",
      "WebSocket socket = HttpClient.newHttpClient().newWebSocketBuilder()",
      `    .buildAsync(URI.create(${quoted(webSocketURL(call))}), new WebSocket.Listener() {}).join();`, `// ${start}`);
  }
  const publisher = body === null
    ? "HttpRequest.BodyPublishers.noBody()"
    : `HttpRequest.BodyPublishers.ofString(${textBlock(body)})`;
  return lines(
    "import java.net.URI;", "import java.net.http.*;", "",
    isSigned ? `// \`signature\` has names and values of the fields that ${signing}` : null,
    `HttpRequest request = HttpRequest.newBuilder(URI.create(${quoted(url)}))`,
    mediaType ? `    .header("Content-Type", ${quoted(mediaType)})` : null,
    fields.map(([name, one]) => `    .header(${quoted(name)}, ${quoted(one)})`),
    isSigned ? "    .headers(signature)" : null,
    `    .method(${quoted(method)}, ${publisher})`, "    .build();",
    "HttpResponse<String> answer =",
    "    HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());",
    `System.out.println(answer.statusCode() + " " + answer.body());`);
}

function javaScript(call) {
  const { host, method, url, mediaType, fields, body, isSigned, isWebSocket, client } = call;
  if (client) {
    const uses = [client.type, ...client.members.map(([, one]) => one.javaScriptImport).filter(Boolean)];
    const members = client.members.map(([name, one]) => `${name}: ${one.javaScript ?? quoted(one)},`);
    return lines(
      `import { ${uses.sort().join(", ")} } from "./card-companion.js";`, "", client.note ? `// ${client.note}` : null,
      `const answer = await ${client.type}.${client.name}({`, members.map((one) => `  ${one}`),
      `}, ${quoted(host)});`, "console.log(answer.errorCode, answer.errorMessage);");
  }
  if (isWebSocket) {
    return lines(
      "// In Node.js 22 or later. Browsers send an Origin, which is refused.",
      `const socket = new WebSocket(${quoted(webSocketURL(call))});`, `// ${start}`);
  }
  const named = fields.map(([name, one]) => `${quoted(name)}: ${quoted(one)}`);
  const headers = [mediaType && `"Content-Type": ${quoted(mediaType)}`, ...named, isSigned && "...signature"].filter(Boolean);
  const options = [
    method !== "GET" && `method: ${quoted(method)},`,
    headers.length > 0 && `headers: { ${headers.join(", ")} },`,
    body !== null && `body: String.raw\`${body}\`,`,
  ].filter(Boolean);
  return lines(
    isSigned ? `// \`signature\` has the fields that ${signing}` : null,
    options.length > 0
      ? [`const answer = await fetch(${quoted(url)}, {`, options.map((one) => `  ${one}`), "});"]
      : `const answer = await fetch(${quoted(url)});`,
    "console.log(answer.status, await answer.text());");
}
