"""Checks that openapi.yaml is a valid OpenAPI document and that its examples match their schemas.

Usage: validate.py OPENAPI_PATH. Exit status 0: valid. 1: standard error lists the problems.
"""

import sys

from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator
from openapi_spec_validator.readers import read_from_filename
from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012


def reference_problems(document):
    resolver = registry(document).resolver("urn:openapi")
    for path, member in members(document, []):
        if path[-1] == "$ref":
            try:
                resolver.lookup(member)
            except Unresolvable:
                yield f"{pointer(path)}: {member} does not exist"


def schema_problems(document):
    for error in OpenAPIV31SpecValidator(document).iter_errors():
        yield f"{pointer(error.absolute_path)}: {error.message}"


def example_problems(document):
    for path, schema, example in examples(document):
        validator = Draft202012Validator(with_absolute_references(schema), registry=registry(document))
        for error in validator.iter_errors(example):
            yield f"{pointer(path)}: {error.message}"


def examples(document):
    """Each example with its path and its schema."""
    for path, node in members(document, []):
        if not isinstance(node, dict):
            continue
        match node.get("examples"):
            case list(values):  # of a schema
                yield from (([*path, "examples", index], node, value) for index, value in enumerate(values))
            case dict(named):  # of a media type
                yield from (([*path, "examples", name], node["schema"], one["value"]) for name, one in named.items())
        if "example" in node:  # of a header
            yield [*path, "example"], node["schema"], node["example"]


def members(node, path):
    """All values in the document, with their paths."""
    steps = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for step, member in steps:
        yield [*path, step], member
        yield from members(member, [*path, step])


def registry(document):
    return Registry().with_resource("urn:openapi", DRAFT202012.create_resource(document))


def with_absolute_references(node):
    if isinstance(node, list):
        return [with_absolute_references(element) for element in node]
    if not isinstance(node, dict):
        return node
    return {
        name: "urn:openapi" + member if name == "$ref" else with_absolute_references(member)
        for name, member in node.items()
    }


def pointer(path):
    return "#" + "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


if __name__ == "__main__":
    document, _ = read_from_filename(sys.argv[1])
    # Each check requires that the one before it found no problem.
    problems = (
        list(reference_problems(document)) or list(schema_problems(document)) or list(example_problems(document))
    )
    for problem in problems:
        print(problem, file=sys.stderr)
    sys.exit(1 if problems else 0)
