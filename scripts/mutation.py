"""One-line mistakes of stated kinds in GLSL and Rust, and what uses a kernel, for scripts/mutants.

A site is a place in a line and what to write there. Comments, text in quotes, pragmas and attributes have none.
"""
import collections
import re

Mutant = collections.namedtuple("Mutant", "path line kind old new")

# Pairs of a pattern and its replacement; a function gets the match and may decline with None.
SWAPS = {
    "sign": [(r" \+ (?!')", " - "), (r" - ", " + "), (r" \+= ", " -= "), (r" -= ", " += "), (r"(?<=[(=,] )-(?=\w)|(?<=\()-(?=\w)", "")],
    "factor": [(r" \* ", " / "), (r" / ", " * "), (r" \*= ", " /= "), (r" /= ", " *= ")],
    "comparison": [(r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "), (r" == ", " != "),
                   (r" != ", " == "), (r" && ", " || "), (r" \|\| ", " && "), (r"(?<=[(\s])!(?=[\w(])", "")],
    "index": [(r"(?<![\w.])(?<!e-)(\d+)(u?)(?![\w.])", lambda m: f"{int(m[1]) + 1}{m[2]}")],
    "axis": [(r"(?<=\.)[xyz](?!\w)", lambda m: {"x": "y", "y": "z", "z": "x"}[m[0]]),
             (r"(?<=\.)xy(?!\w)", "yx"), (r"(?<=\.)xyz(?!\w)", "yzx")],
    "constant": [(r"(?<![\w.])\d+\.(?!\.)\d*(e-?\d+)?", lambda m: "1.0" if float(m[0]) == 0 else f"(2.0 * {m[0]})")],
    "clamp": [(r"\bmin\(", "max("), (r"\bmax\(", "min("), (r"\.min\(", ".max("), (r"\.max\(", ".min(")],
}
KINDS = [*SWAPS, "dropped line"]
# Text and comments of Rust, also of several lines.
LITERAL = re.compile(r"//[^\n]*|/\*.*?\*/|\b[bc]?r(#*)\".*?\"\1|\"(\\.|[^\"\\])*\"|'(\\[^\n]+?|[^\\'\n])'", re.S)
CALL = re.compile(r"\b(clamp|fract|abs)\(")
# A statement on a line of its own that declares nothing and returns nothing.
STATEMENT = re.compile(r"(?!(return|let|const|use|pub|mod|type|static)\b|[\w<>]+ \w+( =|;|,|\())"
                       r"([\w.\[\](), &*+-]+( [-+*/|&^]?= .*|\(.*\)\??|\+\+)|continue|break);$")


def code_of(line):
    """The line with what is no code blanked, at equal columns."""
    if line.lstrip().startswith("#") or line.lstrip().startswith("//"):
        return ""
    blank = lambda m: " " * len(m[0])
    return re.sub(r'"(\\.|[^"\\])*"|\[\[\w+\]\]|//.*', blank, line).rstrip()


def without_literals(text):
    """A text of Rust with literals and comments blanked, at equal places."""
    return LITERAL.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)


def argument_ends(code, start):
    """The end of the first argument of the call whose arguments begin at `start`, and of the call."""
    depth, first = 0, None
    for at in range(start, len(code)):
        if code[at] in "([":
            depth += 1
        elif code[at] in ")]" and depth:
            depth -= 1
        elif code[at] == "," and not depth and first is None:
            first = at
        elif code[at] == ")":
            return (at if first is None else first), at + 1
    return None


def replaced(path, number, line, kind, start, end, new):
    return Mutant(path, number, kind, line, line[:start] + new + line[end:])


def in_line(path, number, line, code, ends_statement):
    """The mutants of a line with this code; `ends_statement` says that the code before it ends one."""
    for kind, rules in SWAPS.items():
        for pattern, new in rules:
            for match in re.finditer(pattern, code):
                text = new(match) if callable(new) else new
                yield replaced(path, number, line, kind, *match.span(), text)
    for match in CALL.finditer(code):
        ends = argument_ends(code, match.end())
        if ends:
            first, end = ends
            yield replaced(path, number, line, "clamp", match.start(), end, line[match.end() - 1:first] + ")")
    if ends_statement and STATEMENT.match(code.strip()) and code.count("(") == code.count(")"):
        yield replaced(path, number, line, "dropped line", len(line) - len(line.lstrip()), len(line), "")


def mutants(path, text):
    """All mutants of a file, in the order of its lines."""
    found, before, in_comment = [], "{", False
    plain = without_literals(text) if path.endswith(".rs") else text
    for number, (line, code) in enumerate(zip(text.split("\n"), plain.split("\n")), 1):
        # Unit tests end a file of Rust.
        if line == "#[cfg(test)]":
            break
        in_comment = in_comment or "/*" in line
        code = "" if in_comment else code_of(code)
        in_comment = in_comment and "*/" not in line
        if code.strip():
            found += dict.fromkeys(in_line(path, number, line, code, before[-1] in "{};"))
            before = code
    return found


def with_mutant(text, mutant):
    lines = text.split("\n")
    assert lines[mutant.line - 1] == mutant.old, mutant
    lines[mutant.line - 1] = mutant.new
    return "\n".join(lines)



def bodies(text):
    """Starts and ends of the bodies of the outermost functions of Rust, but for those that the compiler evaluates."""
    code = without_literals(text)
    found, at = [], 0
    for name in re.finditer(r"(\bconst +(unsafe +)?)?\bfn +[\w$]+", code):
        if name.start() < at:
            continue
        start, depth = name.end(), 0
        while depth or code[start] not in "{;":
            depth += (code[start] in "([") - (code[start] in ")]")
            start += 1
        if code[start] == ";":
            continue
        at = start
        while True:
            depth += (code[at] == "{") - (code[at] == "}")
            at += 1
            if not depth:
                break
        if not name[1]:
            found.append((start, at))
    return found


def with_switches(text, numbered, switch):
    """A text of Rust with all mutants of a list of pairs of a number and a mutant: a function that has some gets a body for each,
    of which `switch` selects one at run time. Returns the text, the first and last line of each new body by number, and the
    numbers of mutants that are in no function."""
    functions, outside, lines = {}, [], {}
    for number, mutant in numbered:
        changed = with_mutant(text, mutant)
        first = sum(len(line) + 1 for line in text.split("\n")[:mutant.line - 1])
        same = next((k for k, (a, b) in enumerate(zip(mutant.old, mutant.new)) if a != b), min(len(mutant.old), len(mutant.new)))
        longer = len(changed) - len(text)
        body = next(((start, end) for start, end in bodies(text) if start < first + same < end), None)
        if body is None or changed[body[1] + longer - 1:] != text[body[1] - 1:]:
            outside.append(number)
        else:
            functions.setdefault(body, []).append((number, changed[body[0]:body[1] + longer]))
    parts, at = [], 0
    for (start, end), changed in sorted(functions.items()):
        parts.append(text[at:start] + "{")
        for number, body in changed:
            parts.append(f" if {switch}({number}) ")
            lines[number] = ["".join(parts).count("\n") + 1, 0]
            parts.append(body)
            lines[number][1] = "".join(parts).count("\n") + 1
            parts.append("\nelse ")
        parts.append(text[start:end] + "}")
        at = end
    return "".join(parts) + text[at:], lines, outside


class Kernels:
    """Kernels, the files that include them, and the modules and pipelines that name them."""

    def __init__(self, root):
        shaders = root / "shaders"
        self.text = {p.relative_to(shaders).as_posix(): p.read_text() for p in shaders.rglob("*") if p.is_file()}
        self.json = {p.stem: p.read_text() for p in (root / "pipelines").rglob("*.json")}
        self.data = {p: p.read_text(errors="replace") for p in (root / "tests/data").rglob("*") if p.suffix in (".comp", ".json", ".glsl")}

    def users(self, path):
        """A file and all that include it."""
        found, open_ = {path}, [path]
        while open_:
            name = open_.pop().split("/")[-1]
            for other, text in self.text.items():
                if other not in found and re.search(rf'#include "(\.\./|[\w/])*\b{re.escape(name)}"', text):
                    found.add(other)
                    open_.append(other)
        return found

    def names(self, path):
        """What a test may name: first kernels, then modules and pipelines."""
        users = self.users(path)
        first = {re.sub(r"\.\w+$", "", user) for user in users}
        then, open_ = set(), [name for name, text in self.json.items() if any(user in text for user in users)]
        while open_:
            name = open_.pop()
            if name not in then:
                then.add(name)
                open_ += [other for other, text in self.json.items() if f"{name}.json" in text and other not in then]
        for file, text in self.data.items():
            if any(user in text for user in users):
                first.add(f"{file.parent.name}/{file.name}" if file.suffix != ".json" else file.name)
        return first, then
