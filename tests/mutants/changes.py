"""Which changes a source may have, and the source with some of them in it."""
import hashlib
import re

from tokens import PRECEDENCE, Text

BINARY = {"<": ("lt", "<="), "<=": ("le", "<"), ">": ("gt", ">="), ">=": ("ge", ">"), "==": ("eq", "!="),
          "!=": ("ne", "=="), "+": ("add", "-"), "-": ("sub", "+"), "*": ("mul", "/"), "/": ("div", "*")}
CONTRARY = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
ASSIGN = {"+=": ("add_to", "-="), "-=": ("sub_from", "+="), "*=": ("mul_by", "/="), "/=": ("div_by", "*=")}
FORGOTTEN = {"+": ("term", "none"), "-": ("term", "none"), "*": ("factor", "one"), "/": ("divisor", "one"),
             "+=": ("term", "none"), "-=": ("term", "none"), "*=": ("factor", "one"), "/=": ("divisor", "one")}


def other_number(text, choice):
    if not re.fullmatch(r"[\d.']+(e-?\d+)?[uU]?", text):
        return None
    if re.search(r"[.e]", text):
        value = float(text.replace("'", ""))
        return "1.0" if value == 0.0 else repr(value * (2.0, 0.5)[choice % 2])
    return str(int(text.rstrip("uU").replace("'", "")) + 1) + ("U" if text[-1] in "uU" else "")


def mutants_of(path, text):
    """Every mutant of a source: name, pieces of text to put in at places (with nesting), lines come later."""
    tokens, found, names, quiet = Text(text), [], {}, []
    for i, its in enumerate(tokens.text):
        if tokens.kind[i] == "word" and its in ("throw", "static_assert"):
            quiet.append((i, tokens.right(i, 0)))
        if its == "format" and tokens.text[i + 1] == "(":
            quiet.append((i, tokens.partner[i + 1]))

    def add(i, what, start, end, *pieces, rank=None, shown=None):
        """`pieces` replace the tokens they name; ID stands for the mutant."""
        if any(a <= i < b for a, b in quiet):
            return
        # Where two cover the same text, what is returned is the outer one, and a number the inner one.
        if rank is None:
            rank = 2 if what == "returned value" else 1 if i > start else 0
        line = tokens.between(*shown) if shown else tokens.between(max(start - 2, 0) if end - start < 3 else start, end)
        name = f"{path}: {line[:100]}: {what}"
        names[name] = names.get(name, 0) + 1
        if names[name] > 1:
            name += f" ({names[name]})"
        found.append({"name": name, "file": path, "what": what, "start": start, "end": end, "rank": rank,
                      "pieces": pieces})

    def forgotten(i, start, end):
        """What stands to the right of the operator, left out of it."""
        its, first = tokens.text[i], i + 1
        while tokens.spaced(first):
            first += 1
        if its in ("&&", "||"):
            add(i, "condition left out", first, end, None, "(pate_mutants::on(ID)||(" if its == "&&" else "(!pate_mutants::on(ID)&&(", "))",
                rank=1.5, shown=(start, end))
        else:
            what, function = FORGOTTEN[its]
            add(i, f"{what} left out", first, end, None, f"pate_mutants::{function}(ID,", ")", rank=1.5, shown=(start, end))

    braces = []
    for i, its in enumerate(tokens.text):
        kind = tokens.kind[i]
        if kind == "other" and its == "{":
            braces.append(i)
        elif kind == "other" and its == "}" and braces:
            braces.pop()
        elif kind == "other" and its == ";" and braces and tokens.is_body(braces[-1]):
            start = tokens.statement(i)
            if start is not None:
                add(i, "statement left out", start, i, None, "if(pate_mutants::on(ID)){}else ", "", rank=3)
        if i in tokens.operators and (its in BINARY or its in ("&&", "||")):
            start, end = tokens.left(i, PRECEDENCE[its]), tokens.right(i, PRECEDENCE[its])
            if start == i or end == i + 1:
                continue
            if its in BINARY:
                function, other = BINARY[its]
                if PRECEDENCE[its] == 6:
                    other += f", or {CONTRARY[its]} of floating-point numbers"
                add(i, f"{its} -> {other}", start, end, (i, "),("), f"pate_mutants::{function}(ID,(", "))")
            elif its == "&&":
                add(i, "&& -> ||", start, end, (i, ")!=pate_mutants::on(ID))?bool("), "((bool(", "):pate_mutants::on(ID))")
            else:
                add(i, "|| -> &&", start, end, (i, ")!=pate_mutants::on(ID))?!pate_mutants::on(ID):bool("), "((bool(", "))")
            if its in FORGOTTEN or its in ("&&", "||"):
                forgotten(i, start, end)
        elif kind == "other" and its in ASSIGN:
            start, end = tokens.left(i, 0), tokens.right(i, 0)
            function, other = ASSIGN[its]
            add(i, f"{its} -> {other}", start, end, (i, "),("), f"pate_mutants::{function}(ID,(", "))")
            forgotten(i, start, end)
        elif its == "!" and kind == "other":
            end = tokens.after_unary(i)
            if end > i + 1:
                add(i, "! left out", i, end, (i, ""), "pate_mutants::no(ID,", ")")
        elif kind == "number":
            other = other_number(its, int(hashlib.sha256(f"{path}{i}".encode()).hexdigest(), 16))
            if other:
                add(i, f"{its} -> {other}", i, i + 1, None, "pate_mutants::number(ID,", f",{other})")
        elif its == "return" and kind == "word":
            start = i + 1
            while tokens.spaced(start):
                start += 1
            end = tokens.right(start - 1, 0)
            if tokens.text[start] not in ";{" and end > start:
                add(i, "returned value", start, end, None, "pate_mutants::value(ID,", ")")
        elif its in ("min", "max") and tokens.text[i - 2:i] == ["std", "::"] and tokens.text[i + 1] == "(":
            function = "least" if its == "min" else "most"
            add(i, f"{its} -> {'max' if its == 'min' else 'min'}", i - 2, tokens.partner[i + 1] + 1,
                (i, ""), None, None)
            if found and found[-1]["pieces"][1] is None:
                found[-1]["call"] = (i - 2, i + 1, function)
    return tokens, found


def emitted(tokens, mutants):
    """The source with these mutants, and the lines of each."""
    before, after, instead = {}, {}, {}
    for mutant in mutants:
        operator, prefix, suffix = mutant["pieces"]
        number, rank = str(mutant["id"]), mutant["rank"]
        mark = f"\n/*{number}<*/"
        if "call" in mutant:
            start, bracket, function = mutant["call"]
            before.setdefault(start, []).append((mutant["end"], rank, mark))
            instead[start], instead[start + 1] = "pate_mutants", "::"
            instead[start + 2], instead[bracket] = function, f"({number},"
            after.setdefault(mutant["end"], []).append((-start, rank, f"/*{number}>*/"))
            continue
        before.setdefault(mutant["start"], []).append((mutant["end"], rank, mark + prefix.replace("ID", number)))
        after.setdefault(mutant["end"], []).append((-mutant["start"], rank, suffix.replace("ID", number) + f"/*{number}>*/"))
        if operator:
            instead[operator[0]] = operator[1].replace("ID", number)
    out = []
    for i, text in enumerate(tokens.text):
        out += [piece for *_, piece in sorted(after.get(i, []))]  # inner ones end first
        out += [piece for *_, piece in sorted(before.get(i, []), reverse=True)]  # outer ones begin first
        out.append(instead.get(i, text))
    source = "".join(out)
    lines, at = {}, {}
    for number, line in enumerate(source.split("\n"), 1):
        for mark in re.finditer(r"/\*(\d+)([<>])\*/", line):
            if mark.group(2) == "<":
                at[int(mark.group(1))] = number
            else:
                lines[int(mark.group(1))] = (at[int(mark.group(1))], number)
    return source, lines
