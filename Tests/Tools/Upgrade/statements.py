"""The typed statements of the program, as its sources declare them."""

import pathlib
import re

STORE = pathlib.Path(__file__).resolve().parents[3] / "Sources/Server/CardCompanionStore"

TYPE = re.compile(r"^(?:(?:private|package) )?struct (\w+)", re.M)
DECLARES = re.compile(r"static (?:let|var) sql\b")
LITERAL = r"(?:\"\"\"\n(.*?)\n( *)\"\"\"|\"([^\n]*)\")"
SQL = re.compile(rf"static (?:let|var) sql(?:: String)?\s*(?:=|\{{)\s*{LITERAL}", re.S)
CONSTANT = re.compile(rf"\blet (\w+)(?:: String)? =\s*{LITERAL}", re.S)


class Declaration:
    """A type with its SQL. `pattern` matches the texts that it can have."""

    def __init__(self, name, file, template):
        self.name, self.file, self.template = name, file, template
        self.pieces = split_interpolations(template)
        self.pattern = re.compile(".+?".join(re.escape(piece) for piece in self.pieces), re.S)

    @property
    def text(self):
        """The SQL, if nothing is inserted into it."""
        return self.pieces[0] if len(self.pieces) == 1 else None


def declarations():
    """All statement types of CardCompanionStore.

    Raises ValueError if there is one whose SQL has another form than those that are known here."""
    found = []
    for file in sorted(STORE.rglob("*.swift")):
        text = file.read_text()
        constants = {constant[1]: literal(*constant.groups()[1:]) for constant in CONSTANT.finditer(text)}
        types = list(TYPE.finditer(text))
        for declared, following in zip(types, [*types[1:], None]):
            part = text[declared.start():following.start() if following else len(text)]
            if not DECLARES.search(part):
                continue
            sql = SQL.search(part)
            if not sql:
                raise ValueError(f"{file.name}: the SQL of {declared[1]} has a form that statements.py does not know")
            template = literal(*sql.groups())
            for name, value in constants.items():
                template = template.replace(f"\\({name})", value)
            found.append(Declaration(declared[1], str(file.relative_to(STORE)), template))
    return found


def literal(long, indentation, short):
    """The text of a Swift literal, of several lines or of one, with its interpolations as they are."""
    if long is None:
        return short
    return "\n".join(line.removeprefix(indentation) for line in long.split("\n")).replace("\\\n", "")


def split_interpolations(template):
    """The texts around each \\(...) of a Swift literal, with its other escapes resolved."""
    pieces, start, index = [], 0, 0
    while (index := template.find("\\(", index)) >= 0:
        pieces.append(template[start:index])
        depth, index = 1, index + 2
        while depth:
            depth += {"(": 1, ")": -1}.get(template[index], 0)
            index += 1
        start = index
    return [piece.replace('\\"', '"').replace("\\\\", "\\") for piece in [*pieces, template[start:]]]
