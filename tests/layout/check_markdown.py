#!/usr/bin/env python3
"""Checks that Markdown can be read as text: lines of at most 100 columns, short cells in tables.

usage: check_markdown.py PROJECT_DIRECTORY [--update]

Blocks of code, headings and tables may be wider; a cell of a table holds at most 240 characters,
since a paragraph belongs below the table. --update wraps the paragraphs that are too wide.
Prints one line per violation; exit status 1 if there are any.
"""
import re
import sys
from pathlib import Path

COLUMNS = 100
CELL = 240
# A cell that is one command is as long as that is.
CODE = re.compile(r"`[^`]+`$")
# A word that means something else at the beginning of a line.
NOT_FIRST = re.compile(r"([-+*]|\d+[.)]|#+|>.*|\|.*|=+|:?-{3,}:?)$")
ITEM = re.compile(r"(\s*(?:[-*+]|\d+[.)])\s+)")
ATOM = re.compile(r"(?:`[^`\n]{1,60}`|\S)+")


def atoms(text):
    """Words, short pieces of code whole, each with those behind it that cannot begin a line."""
    result = []
    for word in ATOM.findall(text):
        if result and NOT_FIRST.match(word):
            result[-1] += " " + word
        else:
            result.append(word)
    return result


def blocks_of(lines):
    """(kind, first line, lines) of paragraphs, code, tables and the rest; an item is a paragraph."""
    result, fence, previous = [], None, ""
    for number, line in enumerate(lines):
        text = line.strip()
        opened = re.match(r"\s*(```+|~~~+)", line)
        if fence:
            kind = "code"
            if opened and opened.group(1).startswith(fence) and text == opened.group(1):
                fence = None
        elif opened:
            kind, fence = "code", opened.group(1)
        elif not text:
            kind = "blank"
        elif line.startswith("    ") and previous in ("blank", "code", "") and not ITEM.match(line):
            kind = "code"
        elif text.startswith("|"):
            kind = "table"
        elif text.startswith("#") or re.match(r"<!--|</?[a-z]", text):
            kind = "other"
        elif ITEM.match(line):
            kind = "item"
        else:
            kind = "paragraph"
        goes_on = kind == "paragraph" and result and result[-1][0] in ("paragraph", "item")
        if goes_on:
            result[-1][2].append(line)
        else:
            result.append((kind, number, [line]))
        previous = kind
    return result


def wrapped(lines):
    item = ITEM.match(lines[0])
    first = item.group(1) if item else re.match(r"\s*", lines[0]).group(0)
    rest = " " * len(first) if item else first
    if item and len(lines) > 1:
        rest = re.match(r"\s*", lines[1]).group(0)
    text = " ".join([lines[0][len(first):].strip(), *(line.strip() for line in lines[1:])])
    result, line = [], first
    for word in atoms(text):
        empty = line in (first, rest)
        if not empty and len(line) + 1 + len(word) > COLUMNS:
            result.append(line)
            line, empty = rest, True
        line += word if empty else " " + word
    return [*result, line]


def can_be_wrapped(kind, lines):
    hard_break = any(line.endswith(("  ", "\\")) for line in lines)
    return kind in ("paragraph", "item") and not hard_break and max(map(len, lines)) > COLUMNS


def markdown_of(root):
    skipped = {"build", ".git", "corpora", "cases"}
    return sorted(path for path in root.rglob("*.md") if not skipped & set(path.relative_to(root).parts))


def violations(root):
    for path in markdown_of(root):
        name = path.relative_to(root)
        for kind, number, lines in blocks_of(path.read_text(encoding="utf-8").splitlines()):
            for line_number, line in enumerate(lines, number + 1):
                cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)]
                longest = max((len(cell) for cell in cells if not CODE.match(cell)), default=0)
                if kind == "table" and longest > CELL:
                    yield f"{name}:{line_number}: a cell of {longest} characters, at most {CELL}"
                # A link or a piece of code that is longer than a line cannot be broken.
                if kind in ("paragraph", "item") and len(line) > COLUMNS and len(atoms(line)) > 1 + (kind == "item"):
                    yield f"{name}:{line_number}: {len(line)} columns, at most {COLUMNS}"


def update(root):
    for path in markdown_of(root):
        text = path.read_text(encoding="utf-8")
        lines = [line for kind, _, block in blocks_of(text.splitlines())
                 for line in (wrapped(block) if can_be_wrapped(kind, block) else block)]
        if "\n".join(lines) + "\n" != text:
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--update"]):
        sys.exit(__doc__)
    root = Path(sys.argv[1])
    if len(sys.argv) == 3:
        update(root)
    found = list(violations(root))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
