"""Checks answers against openapi.yaml."""

import json
import sys

from jsonschema import Draft202012Validator

from validate import registry, with_absolute_references


class Description:
    """The answers that openapi.yaml describes."""

    def __init__(self, document):
        self.document = document
        self.resolver = registry(document).resolver("urn:openapi")

    def require(self, method, path, response):
        """Fails unless openapi.yaml describes the answer's status, header fields and body for this operation."""
        operation = self.document["paths"][path][method.lower()]
        expected = self.resolved(operation["responses"][str(response.status_code)])
        for name, header in expected["headers"].items():
            self.require_schema(self.resolved(header)["schema"], self.header(response, name))
        media_type = response.headers.get("Content-Type")
        if "content" not in expected:
            return require(response.content == b"" and media_type is None, f"{method} {path}: the answer has a body")
        schema = expected["content"][media_type]["schema"]
        if media_type == "application/x-ndjson":
            return self.require_lines(self.resolved(schema), response.text)
        self.require_schema(schema, response.json())

    def require_lines(self, schema, text):
        *lines, last = [json.loads(line) for line in text.splitlines()]
        for line in lines:
            self.require_schema(schema["x-ndjson-line"], line)
        self.require_schema(schema["x-ndjson-last-line"], last)

    def require_schema(self, schema, value):
        Draft202012Validator(with_absolute_references(schema), registry=registry(self.document)).validate(value)

    def resolved(self, node):
        return self.resolver.lookup(node["$ref"]).contents if "$ref" in node else node

    @staticmethod
    def header(response, name):
        value = response.headers.get(name)
        return int(value) if name == "Retry-After" else value


def require(condition, message):
    if not condition:
        sys.exit(message)
