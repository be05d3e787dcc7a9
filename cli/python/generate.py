#!/usr/bin/env python3
"""Writes the functions of the package and their type stubs, from the definitions of the options.

usage: generate.py PATE [--check]

pate/commands.py and pate/commands.pyi have a function for every command, whose keywords are the options; pate/flags.py
says which of them take no value. All are kept in the repository. With --check nothing is written, and the exit status is 1 where a file is not what it would be.
"""
import difflib
import json
import keyword
import pathlib
import re
import subprocess
import sys
import textwrap

HERE = pathlib.Path(__file__).resolve().parent / "pate"

# Options that say where the program puts its outputs and what a terminal shows: a call returns them.
OF_THE_TERMINAL = {"output", "json", "summary", "quiet", "progress", "format", "all", "statement", "metrics"}
# And of one command: its table on standard output; what a call of it returns.
KEPT = {"table": {"format"}}
LEFT_OUT = {"explain": {"csv"}, "plot": {"script"}, "simulate": {"labels-output", "force"}}
# Whether an option that takes a file may have an array or a report instead (pate/calls.py), or a path only.
FILES = {"indices": "Votes", "student": "Votes", "labels": "Votes", "decisions": "Votes", "parameters-from": "Reported", "resume": "Reported",
         "write-labels": "Path", "csv": "Path", "groups": "Votes", "teacher-weights": "Votes", "weights-output": "Path", "ledger": "Path", "tables": "Path", "export-rdp": "Path", "export-pld": "Path"}
TYPES = {"flag": "bool", "text": "str | float", "rows": "str | int | slice | range", "texts": "str | Sequence[str]", "named texts": "str | Sequence[str] | Mapping[str, object]", "number": "float", "numbers": "float | Sequence[float]",
         "orders": 'Literal["moments"] | Sequence[float]', "whole number": "int", "whole numbers": "int | Sequence[int]",
         "count or names": "int | Sequence[str]"}
POSITIONAL = {"VOTES": ("votes", "Votes"), "LEDGER": ("ledger", "Path"), "REPORT": ("reports", "Reported")}
DRAWS_LABELS = {"label": "True", "darrm": "None", "tune": "None"}  # what write_labels is without being given
RETURNS = {"simulate": "Simulated", "report": "Page", "plot": "Picture", "table": "str", "cite": "str"}

BEGINNING = '''"""{what}

Made by cli/python/generate.py from the options of the program: not to be edited.
"""
'''


def definitions(pate):
    done = subprocess.run([pate, "help", "--json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def python_name(option):
    name = option["name"].removeprefix("--").replace("-", "_")
    if not name.isidentifier():
        sys.exit(f"{option['name']} makes no keyword of Python")
    return name + "_" if keyword.iskeyword(name) else name


def options_of(command):
    """The options that are keywords, without those whose place tells what they are."""
    out = (OF_THE_TERMINAL | LEFT_OUT.get(command["name"], set())) - KEPT.get(command["name"], set())
    return [option for option in command["options"] if not option["positional"] and option["name"].removeprefix("--") not in out]


def positional_of(command):
    """Name, type and whether it must be given, of what comes without a keyword; None where nothing does."""
    for option in command["options"]:
        if option["positional"]:
            return (*POSITIONAL[option["name"]], option["required"], option["help"])
    return None


def takes_path(option):
    is_file = option["value"] in ("FILE", "DIR")
    if is_file != (option["name"].removeprefix("--") in FILES):
        sys.exit(f"{option['name']}: is it a file that may be given as an array? say so in FILES")
    return is_file


def default_of(command, option):
    if option["name"] == "--write-labels":
        return DRAWS_LABELS[command["name"]]
    if option["required"]:
        return None
    return "False" if option["kind"] == "flag" else "None"


def type_of(option):
    if takes_path(option):
        kind = FILES[option["name"].removeprefix("--")]
        return f"{kind} | Literal[True]" if option["name"] == "--write-labels" else kind
    if option["words"]:
        words = f"Literal[{', '.join(json.dumps(word) for word in option['words'])}]"
        return f"{words} | Sequence[{words}]" if option["kind"] == "words" else words
    if option["name"] == "--group-epsilon":
        return "str | float | Mapping[str, float]"
    return TYPES["rows" if option["name"] == "--queries" and option["kind"] == "text" else option["kind"]]


def with_keywords(text):
    """Options in a text, as keywords."""
    return re.sub(r"(?<![\w-])--([a-z][\w-]*)", lambda match: match[1].replace("-", "_"), text)


def wrapped(text, indent, first=None):
    lines = text.split("\n")
    head = textwrap.fill(lines[0], 112, initial_indent=first if first is not None else indent, subsequent_indent=indent,
                         break_long_words=False, break_on_hyphens=False)
    return "\n".join([head, *(indent + line for line in lines[1:])])


def docstring(command):
    text = [f'    """{command["about"][0].upper()}{command["about"][1:]}.', "", f"    On the command line: {command['example']}", ""]
    positional = positional_of(command)
    if positional:
        text.append(wrapped(f"{positional[0]}: {positional[3]}", "        ", "    "))
    section = None
    for option in options_of(command):
        if option["section"] != section:
            section = option["section"]
            text.append(f"\n    {with_keywords(section)}:" if section else "")
        text.append(wrapped(with_keywords(f"{python_name(option)}: {option['help']}"), "        ", "    "))
    while "" in text[4:5]:
        del text[4]
    return "\n".join([*text, '    """'])


def parameters(command, show):
    """Of the signature, the positional ones first; `show` writes down an option."""
    result = []
    positional = positional_of(command)
    if positional:
        name, kind, required, _ = positional
        if kind == "Reported":
            result.append(show(f"*{name}", kind, None))
        else:
            result += [show(name, kind, None if required else "None"), "*"]
    else:
        result.append("*")
    # What must be given comes first, as in any signature.
    options = sorted(options_of(command), key=lambda option: default_of(command, option) is not None)
    return result + [show(python_name(option), type_of(option), default_of(command, option)) for option in options]


def in_code(name, _, default):
    return name if default is None else f"{name}={default}"


def in_stub(name, kind, default):
    if default == "None":
        kind += " | None"
    return f"{name}: {kind}" + ("" if default is None else " = ...")


def body(command):
    name = command["name"]
    paths = sorted(python_name(option) for option in options_of(command) if takes_path(option))
    words = f"({', '.join(map(repr, paths))}{',' if len(paths) == 1 else ''})"
    kind = (positional_of(command) or ("", ""))[1]
    if name == "simulate":
        return "return _calls.simulate(locals())"
    if name == "report":
        return "options = locals()\n    return _calls.page_of(options.pop(\"reports\"), options)"
    if name in ("table", "cite"):
        return f"options = locals()\n    return _calls.text_of({name!r}, options.pop(\"reports\", ()), options)"
    if name == "plot":
        return "options = locals()\n    return _calls.picture_of(options.pop(\"reports\"), options)"
    if kind == "Reported":
        return f"options = locals()\n    return _calls.call_with_reports({name!r}, options.pop(\"reports\"), options, {words})"
    if kind:
        return f"options = locals()\n    return _calls.call({name!r}, options.pop({positional_of(command)[0]!r}), options, {words})"
    return f"return _calls.call({name!r}, None, locals(), {words})"


def in_lines(name, words, tail):
    """`def name(words)tail`, broken where it is long."""
    return textwrap.fill(f"def {name}({', '.join(words)}){tail}", 120, subsequent_indent=" " * (len(name) + 5), break_long_words=False,
                         break_on_hyphens=False)


def code(all_commands):
    text = BEGINNING.format(what="A function for every command of the program; keywords are its options.")
    text += "from pate import calls as _calls, reports as _reports\n\n"
    text += f"VERSION = {all_commands['version']!r}\n\n"
    text += "__all__ = " + textwrap.fill(repr([command["name"] for command in all_commands["commands"]]), 110, subsequent_indent=" " * 11) + "\n"
    for command in all_commands["commands"]:
        text += f"\n\n{in_lines(command['name'], parameters(command, in_code), ':')}\n{docstring(command)}\n    {body(command)}\n"
    return text


def stub(all_commands):
    text = BEGINNING.format(what="The types of the functions.")
    text += "from collections.abc import Mapping, Sequence\nfrom typing import Literal\n\nfrom pate.calls import Path, Reported, Simulated, Votes\n"
    text += "from pate.reports import Page, Picture, Report\n\nVERSION: str\n"
    for command in all_commands["commands"]:
        words = "".join(f"    {word},\n" for word in parameters(command, in_stub))
        text += f"\ndef {command['name']}(\n{words}) -> {RETURNS.get(command['name'], 'Report')}: ...\n"
    return text


def flags(all_commands):
    """The options that take no value; none of them takes one in another command."""
    kinds = {}
    for command in all_commands["commands"]:
        for option in options_of(command):
            kinds.setdefault(python_name(option), set()).add(option["kind"] == "flag")
    mixed = [name for name, its in kinds.items() if len(its) > 1]
    if mixed:
        sys.exit(f"{mixed[0]} is a flag of one command and takes a value in another")
    names = sorted(name for name, its in kinds.items() if True in its)
    return (BEGINNING.format(what="The keywords that are True or False.") +
            "\nFLAGS = frozenset(" + textwrap.fill(repr(names), 110, subsequent_indent=" " * 19) + ")\n")


def main():
    arguments = [word for word in sys.argv[1:] if word != "--check"]
    if len(arguments) != 1:
        sys.exit(__doc__)
    found = definitions(arguments[0])
    stale = 0
    for name, text in (("commands.py", code(found)), ("commands.pyi", stub(found)), ("flags.py", flags(found))):
        path = HERE / name
        if "--check" not in sys.argv:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            stale += 1
            old = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
            print("\n".join([*difflib.unified_diff(old, text.splitlines(), f"cli/python/pate/{name}", "as the options are", lineterm="")][:40]))
    if stale:
        sys.exit("run python3 cli/python/generate.py build/release/pate")


if __name__ == "__main__":
    main()
