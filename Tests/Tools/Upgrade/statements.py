"""The statements of the program, as its sources declare them."""

import collections
import pathlib
import re

STORE = pathlib.Path(__file__).resolve().parents[3] / "Sources/Server/CardCompanionStore"

TYPE = re.compile(r"^(?:(?:private|package) )?(?:struct|extension) ([\w.]+)", re.M)
FUNCTION = re.compile(r"\bfunc (\w+)")
STATEMENT = re.compile(r"static (?:let|var) sql(?:: String)?\s*(?:=|\{)\s*$")
CONSTANT = re.compile(r"\blet (\w+)(?:: (?:String|SQLText))? =\s*$")
QUERY = re.compile(r"(SELECT|WITH|INSERT|UPDATE|DELETE)\b")


class Declaration:
    """A statement. Its parts are texts, and interpolations: a number of parameters, or None for text that is not known here.

    `pattern` matches the texts that it can have."""

    def __init__(self, name, file, parts):
        self.name, self.file, self.parts = name, file, parts
        self.fixed = "".join(part for part in parts if isinstance(part, str))
        self.pattern = re.compile("".join(map(self._pattern, parts)), re.S)

    @staticmethod
    def _pattern(part):
        if isinstance(part, str):
            return re.escape(part)
        return ".+?" if part is None else ", ".join([r"\$\d+"] * part)

    @property
    def text(self):
        """The SQL, if all of its text is known."""
        if None in self.parts:
            return None
        text, count = "", 0
        for part in self.parts:
            if isinstance(part, int):
                text += ", ".join(f"${count + number}" for number in range(1, part + 1))
                count += part
            else:
                text += part
        return text


def declarations():
    """All statements of CardCompanionStore: of types that have SQL, and queries in functions, which have the function's name.
    The second one in a function has a 2 behind it, and so on."""
    sources = {file: file.read_text() for file in sorted(STORE.rglob("*.swift"))}
    constants = constants_of(sources.values())
    found, names = [], collections.Counter()
    for file, text in sources.items():
        for start, literal in literals(text):
            before = text[:start]
            in_type = STATEMENT.search(before)
            parts = split(literal, constants, in_query=not in_type)
            if not in_type and (CONSTANT.search(before) or not QUERY.match("".join(map(str, parts)))):
                continue
            name = owner_of(before) if in_type else FUNCTION.findall(before)[-1]
            names[name] += 1
            suffix = f" {names[name]}" if names[name] > 1 else ""
            found.append(Declaration(name + suffix, str(file.relative_to(STORE)), parts))
    return found


def constants_of(sources):
    """The parts of statements that have a name, by this name, and by their type's and this name."""
    constants = {}
    for text in sources:
        for start, literal in literals(text):
            if constant := CONSTANT.search(text[:start]):
                constants[constant[1]] = constants[f"{owner_of(text[:start])}.{constant[1]}"] = literal
    return constants


def owner_of(before):
    """The type that a source has begun last."""
    owners = TYPE.findall(before)
    return owners[-1] if owners else ""


def literals(text):
    """The string literals of a Swift source: (where it begins, its text with interpolations as they are)."""
    index = 0
    while (start := re.compile(r'//[^\n]*|"""|"').search(text, index)) is not None:
        index = start.end()
        if start[0].startswith("//"):
            continue
        index = end = end_of_literal(text, index, start[0])
        content = text[start.end():end]
        index += len(start[0])
        if start[0] == '"""':
            indentation = content[content.rfind("\n") + 1:]
            lines = content[1:content.rfind("\n")].split("\n")
            content = "\n".join(line.removeprefix(indentation) for line in lines).replace("\\\n", "")
        yield start.start(), content


def end_of_literal(text, index, quote):
    """Where the closing quotes are."""
    while not text.startswith(quote, index):
        if text.startswith("\\(", index):
            index = end_of_interpolation(text, index)
        else:
            index += 2 if text[index] == "\\" else 1
    return index


def end_of_interpolation(text, index):
    """The position after an interpolation that begins at `index`. It can have literals with quotes."""
    depth, index = 1, index + 2
    while depth:
        if text[index] == '"':
            index = end_of_literal(text, index + 1, '"')
        depth += {"(": 1, ")": -1, "[": 1, "]": -1, "{": 1, "}": -1}.get(text[index], 0)
        index += 1
    return index


def split(literal, constants, in_query):
    """The parts of a statement's text."""
    parts, start, index = [], 0, 0
    while (index := literal.find("\\(", index)) >= 0:
        parts.append(unescaped(literal[start:index]))
        start = end_of_interpolation(literal, index)
        inside = literal[index + 2:start - 1].strip()
        if in_query and not inside.startswith("sql: "):
            parts.append(1 + top_level_commas(inside))
        else:
            constant = constants.get(inside.removeprefix("sql: "))
            parts += [None] if constant is None else split(constant, constants, in_query)
        index = start
    return [*parts, unescaped(literal[start:])]


def unescaped(text):
    return text.replace('\\"', '"').replace("\\\\", "\\")


def top_level_commas(expressions):
    depth, commas, index = 0, 0, 0
    while index < len(expressions):
        if expressions[index] == '"':
            index = end_of_literal(expressions, index + 1, '"')
        depth += {"(": 1, ")": -1, "[": 1, "]": -1, "{": 1, "}": -1}.get(expressions[index], 0)
        commas += depth == 0 and expressions[index] == ","
        index += 1
    return commas
