"""YAML that cannot be read is explained in plain words, with the line where the mistake begins.

Theory of operation. A parser tells where it could not go on and in which of its own states it was. People want the
place of the mistake, which is often above: an open quote swallows all lines up to the next quote, and a key without a
colon is noticed at the colon of the next one. So the error is taken as a hint, the lines at and above it are read
again, and the mistake is named that explains the error best. Where none does, the place is told without a guess.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_KEY = re.compile(r"\s*(?:- +)*(?P<key>\"[^\"]*\"|'[^']*'|[^\s:#\"'\[\]{},&*!|>%@`-][^:#\"']*?) *:(?= |$)")
_OPENED = re.compile(r"(?:^\s*|[:\-,\[{] *|^\s*- +)(?P<quote>[\"'])")
_GLUED = re.compile(r"\s*(?:- +)*(?P<key>[\w-]+):(?![:/\s])\S")
_DASHED = re.compile(r"\s*-[A-Za-z0-9_\"'!{\[]")
_HIDDEN = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'[^']*'|(?:^|\s)#.*")
_BARE_TAG = re.compile(r"(?:^|[\s\[{,:])(?P<tag>![\w:]+)[\]}\s]*$")
"""A short form of a function before brackets at most: the parser misses its value at the bracket."""
_CLOSERS = {"[": "]", "{": "}"}
_INDENT_HINT = "Put it in the column of the line that it belongs beside."
_TEXT_HINT = "Put the value in quotes if it is a text."


@dataclass(frozen=True, slots=True)
class Mark:
    """A place as the parser counts: from 0."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake, its place (counted from 0) and the advice."""

    line: int
    column: int
    detail: str
    hint: str
    length: int = 1


def mistake_in(text: str, problem: str, at: Mark, context: str, since: Mark | None) -> Mistake:
    """The mistake behind an error of the parser: its two messages and the places of both."""
    lines = text.splitlines() or [""]
    at = Mark(min(at.line, len(lines) - 1), at.column if at.line < len(lines) else len(lines[-1]))
    if "\\t" in problem:
        return Mistake(at.line, at.column, "A tab stands here for indentation.", "YAML indents with spaces only.")
    found = (
        _of_flow(lines, problem, at, context, since)
        or _of_quotes(lines, problem, at, context, since)
        or _of_keys(lines, problem, at, since)
        or _of_signs(lines, problem, at, since)
        or _of_indentation(lines, problem, at)
    )
    return found or Mistake(at.line, at.column, "This does not fit to the lines above it.", "")


def _of_flow(lines: Sequence[str], problem: str, at: Mark, context: str, since: Mark | None) -> Mistake | None:
    """Explain brackets and braces that stay open, are closed by the wrong sign, or miss a comma."""
    if "flow" not in context or since is None:
        closer = re.search(r"found '([\]}])'", problem)
        if not closer:
            return None
        if tag := _BARE_TAG.search(lines[at.line][: at.column]):
            name = tag["tag"]
            hint = f"Write the value behind it, such as `{name} …`."
            return Mistake(at.line, tag.start("tag"), f"{name} has no value.", hint, len(name))
        opener = next(one for one, sign in _CLOSERS.items() if sign == closer[1])
        return Mistake(at.line, at.column, f"This {closer[1]} closes nothing.", f"Remove it, or open it with {opener}.")
    is_over = "stream end" in problem or "document" in problem
    if "node content" in problem or since.line >= len(lines):
        left = _open_bracket(lines, at)
        if is_over and left is not None:
            since = left
        else:
            return Mistake(at.line, at.column, "A value is missing before this.", "Give it, or remove the comma.")
    opener = lines[since.line][since.column : since.column + 1]
    closer_sign = _CLOSERS.get(opener, "]")
    name = "bracket" if opener == "[" else "brace"
    other = re.search(r"got '([\]}])'", problem)
    if other and other[1] != closer_sign:
        detail = f"The {name} {opener} of line {since.line + 1} is closed by {other[1]} here."
        return Mistake(at.line, at.column, detail, f"Close it with {closer_sign}.")
    if is_over or (at.line > since.line and "':'" in problem):
        detail = f"The {name} {opener} that opens here is not closed."
        return Mistake(since.line, since.column, detail, f"Close it with {closer_sign}.")
    detail = f"A comma is missing between two values of the {name} {opener} of line {since.line + 1}, or {closer_sign}."
    return Mistake(at.line, at.column, detail, "Separate values by commas; put a text with colons or commas in quotes.")


def _open_bracket(lines: Sequence[str], at: Mark) -> Mark | None:
    """The innermost bracket or brace before a place that is not closed; quotes and comments are left out."""
    left: list[Mark] = []
    for number, line in enumerate(lines[: at.line + 1]):
        plain = _HIDDEN.sub(lambda found: " " * len(found[0]), line)
        for column, sign in enumerate(plain):
            if sign in "[{":
                left.append(Mark(number, column))
            elif sign in "]}" and left:
                left.pop()
    return left[-1] if left else None


def _of_quotes(lines: Sequence[str], problem: str, at: Mark, context: str, since: Mark | None) -> Mistake | None:
    """Explain quotes that stay open, texts behind a closed quote, and escapes that there are not."""
    if "escape" in problem:
        sign = lines[at.line][at.column : at.column + 1]
        detail = f"\\{sign} means nothing in a text in double quotes."
        return Mistake(
            at.line, max(0, at.column - 1), detail, f"Write \\\\{sign}, or put the text in single quotes.", 2
        )
    is_in_quotes = "quoted scalar" in context
    if not is_in_quotes and not ("found '<scalar>'" in problem and _is_behind_quote(lines[at.line], at.column)):
        return _open_quote(lines, at.line) if "<scalar>" in problem else None
    found = _open_quote(lines, at.line)
    if found is not None:
        return found
    if is_in_quotes and since is not None:
        return _unclosed(since.line, since.column, lines[since.line][since.column : since.column + 1] or '"')
    detail = "There is text behind the closing quote."
    hint = "Put the whole value in one pair of quotes. Inside of '…' a quote is written '', inside of \"…\" \\\"."
    return Mistake(at.line, at.column, detail, hint)


def _of_keys(lines: Sequence[str], problem: str, at: Mark, since: Mark | None) -> Mistake | None:
    """Explain keys without a colon or a space, values with a colon, and keys below a value."""
    if "could not find expected ':'" in problem:
        return _no_colon(lines, since.line if since is not None else at.line)
    if "mapping values are not allowed" not in problem:
        return None
    line = lines[at.line]
    key = _KEY.match(line)
    if key is not None and key.end("key") < at.column - 1 and ": " in line[: at.column]:
        detail = f"The value of {key['key']} holds a colon and a space, which begin the value of another key."
        return Mistake(at.line, at.column, detail, "Put the whole value in quotes.")
    above = _line_above(lines, at.line)
    if above is None:
        return Mistake(at.line, at.column, "A colon and a space stand in a text here.", "Put the text in quotes.")
    if _indent(lines[above]) <= _indent(line) and (glued := _GLUED.match(lines[above])):
        detail = f"A space is missing after the colon of {glued['key']}."
        return Mistake(above, glued.end("key"), detail, f"Write `{glued['key']}: …`.")
    before = _KEY.match(lines[above])
    if before is None:
        return _no_colon(lines, above)
    if _indent(line) > _indent(lines[above]):
        name = key["key"].strip() if key is not None else "This line"
        detail = f"{name} is indented below {before['key']} of line {above + 1}, which has a value already."
        return Mistake(at.line, _indent(line), detail, _INDENT_HINT, len(name) if key is not None else 1)
    return None


def _of_signs(lines: Sequence[str], problem: str, at: Mark, since: Mark | None) -> Mistake | None:
    """Explain signs that mean something else at the beginning of a value."""
    line = lines[at.line]
    sign = re.search(r"found character '(.)' that cannot start", problem)
    if sign:
        return Mistake(at.line, at.column, f"A value cannot begin with {sign[1]} without quotes.", _TEXT_HINT)
    if "alphabetic or numeric" in problem and since is not None:
        mark = lines[since.line][since.column : since.column + 1]
        meaning = "repeats a value that has a name" if mark == "*" else "gives a value a name"
        return Mistake(since.line, since.column, f"{mark} {meaning}, and no name follows it.", _TEXT_HINT)
    if "chomping or indentation" in problem:
        detail = "Text stands behind the sign | or > that begins a text of several lines."
        return Mistake(at.line, at.column, detail, "Begin the text on the next line, indented.")
    if "found '-'" in problem:
        column = _indent(line)
        above = next(
            (one for one in range(at.line) if _DASHED.match(lines[one]) and _indent(lines[one]) == column), None
        )
        if above is not None:
            return Mistake(above, _indent(lines[above]), "A space is missing after the dash.", "Write `- …`.")
        detail = "An item of a list stands among the keys of a mapping."
        return Mistake(at.line, at.column, detail, "Indent the list below its key, or give the item a key.")
    return None


def _of_indentation(lines: Sequence[str], problem: str, at: Mark) -> Mistake | None:
    """A line in a column in which nothing above begins."""
    if "block end" not in problem:
        return None
    line = lines[at.line]
    levels = _open_levels(lines, at.line)
    if _indent(line) in levels:
        if _GLUED.match(line) or _KEY.match(line) is None:
            return _no_colon(lines, at.line)
        return None
    columns = [str(one) for one in levels]
    told = " and ".join([", ".join(columns[:-1]), columns[-1]]) if len(columns) > 1 else "".join(columns) or "0"
    count = _indent(line)
    detail = f"The line is indented by {count} space{'' if count == 1 else 's'}; the lines above it begin after {told}."
    return Mistake(at.line, _indent(line), detail, _INDENT_HINT)


def _no_colon(lines: Sequence[str], number: int) -> Mistake:
    line = lines[number]
    word = re.match(r"\s*(?:- +)*(\S+)", line)
    if word is None:
        return Mistake(number, 0, "A key with a colon is missing here.", "")
    glued = _GLUED.match(line)
    if glued is not None:
        detail = f"A space is missing after the colon of {glued['key']}."
        return Mistake(number, glued.end("key"), detail, f"Write `{glued['key']}: …`.")
    name = word[1]
    return Mistake(number, word.start(1), f"A colon is missing after {name}.", f"Write `{name}:`.", len(name))


def _open_quote(lines: Sequence[str], last: int) -> Mistake | None:
    """The first quote that is not closed on its line although the next line begins with a key or an item."""
    for number in range(min(last, len(lines) - 1) + 1):
        line = lines[number]
        column = _left_open(line)
        if column is None:
            continue
        following = next((one for one in lines[number + 1 :] if one.strip()), "")
        is_new = _KEY.match(following) is not None or re.match(r"\s*- ", following) is not None
        if not following or (is_new and _indent(following) <= _indent(line) + 2):
            return _unclosed(number, column, line[column])
    return None


def _left_open(line: str) -> int | None:
    """The column of a quote that begins a value and is not closed on the line."""
    at = 0
    while match := _OPENED.search(line, at):
        quote, start = match["quote"], match.start("quote")
        end = start + 1
        while end < len(line) and line[end] != quote:
            end += 2 if line[end] == "\\" and quote == '"' else 1
            if quote == "'" and line[end : end + 2] == "''":
                end += 2
        if end >= len(line):
            return start
        at = end + 1
    return None


def _unclosed(line: int, column: int, quote: str) -> Mistake:
    return Mistake(line, column, "The quote that opens here is not closed.", f"Write {quote} at the end of the text.")


def _is_behind_quote(line: str, column: int) -> bool:
    return line[:column].rstrip().endswith(('"', "'"))


def _open_levels(lines: Sequence[str], number: int) -> list[int]:
    """The columns in which lines above begin that are still open at a line, outermost first."""
    levels: list[int] = []
    least: int | None = None
    for line in reversed(lines[:number]):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        indent = _indent(line)
        if least is None or indent < least:
            levels.append(indent)
            least = indent
    return sorted(levels)


def _line_above(lines: Sequence[str], number: int) -> int | None:
    for above in range(number - 1, -1, -1):
        if lines[above].strip() and not lines[above].lstrip().startswith("#"):
            return above
    return None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
