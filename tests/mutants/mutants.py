#!/usr/bin/env python3
"""Mutants of the library: which of them do the tests notice?

usage: mutants.py SOURCE_DIR BUILD_DIR WORK_DIR [--count N] [--seed S] [--rooms ROOM...] [--only FILE] [--files FILE...]
                  [--all] [--patience S] [--longest S] [--stages N] [--least SHARE] [--fewest N] [--executed]

A mutant is one change: < and <=, > and >= exchanged (of floating-point numbers < and >=, > and <=), == and !=, + and -,
* and /, && and ||, min and max exchanged, a `!` left out, another number, another returned value; and what is forgotten:
the right term of a sum, factor, divisor or condition, what += adds, a whole statement (an assignment, a call). Texts of
errors are not mutated. N are chosen by a hash with seed S, of those that compile: the compiler's errors tell which do not (constant
expressions, types that have no such operator). They are of all rooms of lib/pate, unless --rooms names some. All of them
are compiled at once, source by source, and linked to the other objects of a finished release build: every changed place
asks which mutant is chosen, by the environment variable PATE_MUTANT.

Every test case runs first without a mutant, which tells what it executes and how long it takes; those of more than 30 s (--longest)
are left out. A mutant meets the test cases that execute it, quick ones and those of its own source first, until those of
the mutated rooms have taken S seconds (stage 1), and those of the rest of the library as many (stage 2); the
program's are left out. It is noticed when one fails, crashes, or takes three times the time and 2 s more (of the
processor). What no test case executes is not noticed. Those with a reason in survivors.md beside this file are not run
unless --all says so. The table goes into WORK_DIR/results.md: at least 95 % of those without a reason must be noticed
(--least; with --executed: of those that test cases execute).

With --files only these sources are mutated. Where they share an object with others, in a build of a folder at a time, that
object is compiled once more with them in it, and the others as they are.

Results are kept in WORK_DIR: another run compiles the sources that changed, asks only test cases that are new or
changed, and forgets what it knew of mutants in changed sources.
"""
import argparse
import concurrent.futures
import hashlib
import html
import json
import math
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time

ROOMS = []  # that are mutated: all, or those that are named
PER_FILE = 2048  # numbers of mutants: those of other files stay what they are when one changes
MOST = 1 << 21  # all numbers are below it: HEADER keeps which of them are executed
HEADER = """#pragma once
#pragma GCC system_header
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <unistd.h>
namespace pate_mutants {
inline unsigned char seen[MOST];
struct Chosen {
  int id = -1;
  const char* trace = std::getenv("PATE_MUTANT_TRACE");
  Chosen() {
    if (const char* text = std::getenv("PATE_MUTANT")) id = std::atoi(text);
  }
  ~Chosen() {
    if (trace == nullptr) return;
    std::FILE* file = std::fopen((std::string(trace) + "." + std::to_string(getpid())).c_str(), "w");
    if (file == nullptr) return;
    for (int i = 0; i < MOST; ++i) {
      if (seen[i]) std::fprintf(file, "%d\\n", i);
    }
    std::fclose(file);
  }
};
inline const Chosen chosen;
inline bool on(int i) {
  seen[i] = 1;
  return i == chosen.id;
}
#define PATE_BINARY(NAME, OP, OTHER)                                  \\
  template <class A, class B>                                         \\
  auto NAME(int i, const A& a, const B& b) -> decltype(a OP b) {      \\
    static_assert(std::is_same_v<decltype(a OP b), decltype(a OTHER b)>); \\
    return on(i) ? (a OTHER b) : (a OP b);                            \\
  }
// Of floating-point numbers the contrary: when they are equal, both sides of a comparison are nearly always right.
#define PATE_COMPARE(NAME, OP, OTHER)                                            \\
  template <class A, class B>                                                    \\
  bool NAME(int i, const A& a, const B& b) {                                     \\
    if constexpr (std::is_floating_point_v<A> || std::is_floating_point_v<B>) {  \\
      return on(i) != (a OP b);                                                  \\
    } else {                                                                     \\
      return on(i) ? (a OTHER b) : (a OP b);                                     \\
    }                                                                            \\
  }
PATE_COMPARE(lt, <, <=)
PATE_COMPARE(le, <=, <)
PATE_COMPARE(gt, >, >=)
PATE_COMPARE(ge, >=, >)
PATE_BINARY(eq, ==, !=)
PATE_BINARY(ne, !=, ==)
PATE_BINARY(add, +, -)
PATE_BINARY(sub, -, +)
PATE_BINARY(mul, *, /)
PATE_BINARY(div, /, *)
#define PATE_ASSIGN(NAME, OP, OTHER)                    \\
  template <class A, class B>                           \\
  decltype(auto) NAME(int i, A&& a, const B& b) {       \\
    return on(i) ? (a OTHER b) : (a OP b);              \\
  }
PATE_ASSIGN(add_to, +=, -=)
PATE_ASSIGN(sub_from, -=, +=)
PATE_ASSIGN(mul_by, *=, /=)
PATE_ASSIGN(div_by, /=, *=)
template <class A>
bool no(int i, const A& a) {
  return on(i) ? static_cast<bool>(a) : !a;
}
template <class T>
T number(int i, T a, T b) {
  return on(i) ? b : a;
}
template <class T>
T value(int i, T a) {
  static_assert(std::is_arithmetic_v<T>);
  if (!on(i)) return a;
  if constexpr (std::is_same_v<T, bool>) return !a;
  else if constexpr (std::is_integral_v<T>) return static_cast<T>(a + 1);
  else return a == 0 || a - a != 0 ? T(1) : a / 2;  // infinities too
}
template <class T>
T none(int i, T a) {
  static_assert(std::is_arithmetic_v<T>);
  return on(i) ? T(0) : a;
}
template <class T>
T one(int i, T a) {
  static_assert(std::is_arithmetic_v<T>);
  return on(i) ? T(1) : a;
}
template <class T>
const T& least(int i, const T& a, const T& b) {
  return (b < a) != on(i) ? b : a;
}
template <class T>
T least(int i, std::initializer_list<T> all) {
  T found = *all.begin();
  for (const T& one : all) found = least(i, found, one);
  return found;
}
template <class T>
const T& most(int i, const T& a, const T& b) {
  return (a < b) != on(i) ? b : a;
}
template <class T>
T most(int i, std::initializer_list<T> all) {
  T found = *all.begin();
  for (const T& one : all) found = most(i, found, one);
  return found;
}
}  // namespace pate_mutants
""".replace("MOST", str(MOST))

TOKEN = re.compile(
    r'(?P<space>\s+)|(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<string>R"(?P<end>[^(\s]*)\(.*?\)(?P=end)"|"(?:\\.|[^"\\\n])*")'
    r"|(?P<char>'(?:\\.|[^'\\])+')|(?P<number>\.?\d(?:[eEpP][+-]|[\w.']|)*)|(?P<word>[A-Za-z_]\w*)"
    r"|(?P<other><=>|<<=|>>=|\.\.\.|->|::|\+\+|--|&&|\|\||[-+*/%&|^=!<>]=|<<|.)", re.S)
PRECEDENCE = {"*": 10, "/": 10, "%": 10, "+": 9, "-": 9, "<<": 8, ">>": 8, "<=>": 7, "<": 6, "<=": 6, ">": 6, ">=": 6,
              "==": 5, "!=": 5, "&": 4, "^": 3, "|": 3, "&&": 2, "||": 1}
BINARY = {"<": ("lt", "<="), "<=": ("le", "<"), ">": ("gt", ">="), ">=": ("ge", ">"), "==": ("eq", "!="),
          "!=": ("ne", "=="), "+": ("add", "-"), "-": ("sub", "+"), "*": ("mul", "/"), "/": ("div", "*")}
CONTRARY = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
ASSIGN = {"+=": ("add_to", "-="), "-=": ("sub_from", "+="), "*=": ("mul_by", "/="), "/=": ("div_by", "*=")}
STOPS = {";", ",", "?", ":", "=", "%=", "&=", "|=", "^=", "<<=", ">>=", *ASSIGN}
FORGOTTEN = {"+": ("term", "none"), "-": ("term", "none"), "*": ("factor", "one"), "/": ("divisor", "one"),
             "+=": ("term", "none"), "-=": ("term", "none"), "*=": ("factor", "one"), "/=": ("divisor", "one")}
# What begins with one of these is no assignment and no call.
NO_STATEMENT = {"auto", "break", "case", "class", "const", "constexpr", "continue", "default", "delete", "do", "else", "enum", "for",
                "goto", "if", "namespace", "new", "operator", "return", "static", "static_assert", "static_cast", "struct", "switch",
                "template", "throw", "try", "typename", "using", "while"}
KEYWORDS = {"return", "else", "case", "throw", "do", "co_return", "delete"}


class Text:
    """A source as tokens, with the partner of every bracket and which tokens are binary operators."""

    def __init__(self, text):
        self.kind, self.text, self.place = [], [], []
        pieces = re.split(r"(?m)^([ \t]*#(?:\\\n|.)*$)", text)  # lines of the preprocessor between
        place = 0
        for i, piece in enumerate(pieces):
            if i % 2:
                self.put("space", piece, place)
            else:
                for found in TOKEN.finditer(piece):
                    self.put(found.lastgroup if found.lastgroup != "end" else "string", found.group(), place + found.start())
            place += len(piece)
        self.size = len(self.text)
        self.partner, self.operators = {}, set()
        stack = []
        for i, its in enumerate(self.text):
            if self.kind[i] != "other":
                continue
            before, after = self.spaced(i - 1), self.spaced(i + 1)
            opens = its in "([{" or (its == "<" and not after and (not before or self.word_before(i) == "template"))
            closes = its in ")]}" or (its == ">" and not before and stack and self.text[stack[-1]] == "<")
            if opens:
                stack.append(i)
            elif closes and stack:
                while self.text[stack[-1]] == "<" and its != ">":  # it was no bracket
                    stack.pop()
                self.partner[i] = stack[-1]
                self.partner[stack.pop()] = i
            elif its in PRECEDENCE and before and after:
                self.operators.add(i)

    def put(self, kind, text, place):
        self.kind.append(kind)
        self.text.append(text)
        self.place.append(place)

    def spaced(self, i):
        return not 0 <= i < len(self.kind) or self.kind[i] in ("space", "comment")

    def word_before(self, i):
        i -= 1
        while i >= 0 and self.spaced(i):
            i -= 1
        return self.text[i] if i >= 0 else ""

    def operand(self, i):
        return self.kind[i] in ("word", "number", "string", "char") or self.text[i] in ")]}>" and i in self.partner

    def left(self, i, precedence):
        """The first token of the operand to the left of the operator i."""
        start, at = i, i - 1
        while at >= 0:
            if self.spaced(at):
                at -= 1
                continue
            its = self.text[at]
            if (its in STOPS or its in KEYWORDS or (its in "([{<" and at in self.partner)
                    or (its in "([{" and self.kind[at] == "other")
                    or (at in self.operators and PRECEDENCE[its] < precedence)):
                break
            # Two operands with nothing between: the first ends something else, as in `if (x) y += z`.
            if self.operand(at) and start < i and self.spaced(start - 1) and start not in self.operators:
                break
            at = self.partner[at] if its in ")]}>" and at in self.partner else at
            start = at
            at -= 1
        return start

    def right(self, i, precedence):
        """What follows the last token of the operand to the right of the operator i."""
        end, at = i + 1, i + 1
        while at < self.size:
            if self.spaced(at):
                at += 1
                continue
            its = self.text[at]
            if (its in STOPS and (precedence > 0 or its in ";,")) or (at in self.partner and self.partner[at] < at) or (
                    at in self.operators and PRECEDENCE[its] <= precedence):
                break
            at = self.partner.get(at, at) + 1
            end = at
        return end

    def after_unary(self, i):
        at = i + 1
        while at < self.size and not self.spaced(at):
            if self.text[at] in "([{<" and at in self.partner:
                at = self.partner[at] + 1
            elif self.kind[at] in ("word", "number") or self.text[at] in (".", "->", "::", "*"):
                at += 1
            else:
                break
        return at

    def is_body(self, brace):
        """Whether statements stand in these braces, and not members of a class or a namespace, nor values."""
        return self.word_before(brace) in (")", "]", "else", "do", "try", "const", "noexcept", "mutable", "override")

    def statement(self, i):
        """What follows the statement that ends with the ; at i, and where it begins: an assignment or a call; none otherwise."""
        start = i - 1
        while start >= 0:
            its = self.text[start]
            if its in (";", "{", "else") or (its in (")", "}") and self.spaced(start + 1)):
                break
            start = self.partner[start] - 1 if its in (")", "]", "}") and start in self.partner else start - 1
        start += 1
        while self.spaced(start):
            start += 1
        at = start
        while at < i and self.text[at] in ("*", "++", "--"):
            at += 1
        if at >= i or self.kind[at] != "word" or self.text[at] in NO_STATEMENT or re.fullmatch(r"[A-Z_]+", self.text[at]):
            return None
        last = at
        while at < i and not self.spaced(at) and (
                self.kind[at] == "word" or self.text[at] in (".", "->", "::", "++", "--") or at in self.partner and self.partner[at] > at):
            last = self.partner.get(at, at)
            at = last + 1
        if at < i:  # more follows than names and calls
            while self.spaced(at):
                at += 1
            if self.text[at] != "=" and self.text[at] not in ASSIGN:
                return None
        elif self.text[last] not in (")", "++", "--") and self.text[start] not in ("++", "--"):
            return None
        return start

    def between(self, start, end):
        return " ".join("".join(self.text[start:end]).split())


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


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)


def write(path, text):
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def digest_of(*texts):
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


class Objects:
    """The objects of the release build that hold a mutated source, and how each source is compiled."""

    def __init__(self, source, build, files):
        lib = source / "lib/pate"
        self.kept, self.commands, self.alone, self.units = [], {}, {}, {}
        for entry in json.loads((build / "compile_commands.json").read_text()):
            output = re.search(r" -o (CMakeFiles/pate_(\w+)\.dir/\S*\.o) ", entry["command"])
            if not output or not (lib / output.group(2)).is_dir():
                continue
            file = pathlib.Path(entry["file"])
            its = [file] if lib in file.parents else [
                pathlib.Path(name) for name in re.findall(r'(?m)^#include "([^"]*\.cpp)"', file.read_text())]
            if not any(lib / room in path.parents and (not files or path in files) for room in ROOMS for path in its):
                if not output.group(1).endswith(".gch"):
                    self.kept.append(build / output.group(1))
                continue
            if files and its != [file]:
                its = [path for path in its if path in files]
                self.units[build / output.group(1)] = (file, its)
            for path in its:
                self.commands[path] = entry["command"].split(" -o ")[0]
                if path == file:
                    self.alone[path] = build / output.group(1)
        if not self.commands:
            sys.exit(f"{build}: its compile_commands.json has no source below {lib}")


class Compiler:
    """Compiles every source with the mutants asked for, but for those that do not compile."""

    def __init__(self, source, build, work, files=()):
        self.source, self.build, self.work = source, build, work
        self.objects = Objects(source, build, files)
        self.header = work / "pate_mutants.hpp"
        write(self.header, HEADER)
        self.kept_file = work / "compiled.json"
        self.kept = json.loads(self.kept_file.read_text()) if self.kept_file.exists() else {}
        self.common = digest_of(HEADER, *(p.read_text() for p in sorted((source / "lib").rglob("*.hpp"))))
        self.lock = threading.Lock()
        self.mutated = set()

    def object_of(self, path):
        """Without a mutant it is that of the release build."""
        if path in self.objects.alone and path not in self.mutated:
            return self.objects.alone[path]
        return self.work / "objects" / (str(path.relative_to(self.source)).replace("/", "_") + ".o")

    def __call__(self, path, tokens, its):
        """The mutants left."""
        if not its and (path in self.objects.alone or self.objects.units):
            return []
        self.mutated.add(path)
        name, target = str(path.relative_to(self.source)), self.object_of(path)
        digest = digest_of(self.common, self.objects.commands[path], path.read_text(), *(m["name"] for m in its))
        if self.kept.get(name, {}).get("digest") == digest and target.exists():
            return [m for m in its if m["name"] in set(self.kept[name]["names"])]
        text_file = self.work / "sources" / name
        command = (f"nice -n 10 {self.objects.commands[path]} -w -include {self.header} -I{path.parent} -fmax-errors=0 "
                   f"-o {target} -c {text_file}")
        target.parent.mkdir(parents=True, exist_ok=True)
        for _ in range(40):
            text, lines = emitted(tokens, its)
            write(text_file, text)
            done = run(["sh", "-c", command], cwd=self.build)
            if done.returncode == 0:
                break
            wrong = set()
            for block in re.split(r"(?m)^(?=\S*: (?:In |At )|\S*:\d+:\d+: error)", done.stdout):
                for place in (int(n) for n in re.findall(rf"{re.escape(path.name)}:(\d+):", block)):
                    around = [(last - first, mutant) for mutant, (first, last) in lines.items() if first <= place <= last]
                    if around:
                        wrong.add(min(around)[1])
                        if "error" in block:
                            break
            if not wrong:
                sys.exit(f"{name}: cannot tell which mutant is wrong\n{done.stdout[:3000]}")
            its = [mutant for mutant in its if mutant["id"] not in wrong]
        else:
            sys.exit(f"{name}: does not compile\n{done.stdout[:3000]}")
        with self.lock:
            self.kept[name] = {"digest": digest, "names": [mutant["name"] for mutant in its]}
            self.kept_file.write_text(json.dumps(self.kept))
        return its

    def unit(self, kept):
        """The object that several sources share, with those that are mutated: compiled again, or that of the build."""
        file, its = self.objects.units[kept]
        its = [path for path in its if path in self.mutated]
        if not its:
            return kept
        text = file.read_text()
        for path in its:
            text = text.replace(f'#include "{path}"', f'#include "{self.work / "sources" / path.relative_to(self.source)}"')
        name = str(kept.relative_to(self.build)).replace("/", "_")
        unit, target = self.work / "units" / f"{name}.cxx", self.work / "objects" / name
        write(unit, text)
        done = run(["sh", "-c", f"nice -n 10 {self.objects.commands[its[0]]} -w -include {self.header} "
                    f"{' '.join(f'-I{path.parent}' for path in its)} -o {target} -c {unit}"], cwd=self.build)
        if done.returncode != 0:
            sys.exit(f"{file}: does not compile\n{done.stdout[:3000]}")
        return target


def chosen_of(compiler, count, seed, only, jobs):
    """`count` mutants that compile, the first by a hash, compiled into their objects."""
    sources, order = {}, []
    lib = compiler.source / "lib/pate"
    for index, path in enumerate(sorted(lib.rglob("*.cpp"))):
        name = str(path.relative_to(compiler.source))
        if path not in compiler.objects.commands:
            continue  # of a room that is not mutated, or for another processor
        tokens, its = mutants_of(name, path.read_text())
        if len(its) > PER_FILE or PER_FILE * (index + 1) > MOST:
            sys.exit(f"{name}: too many mutants, or sources before it")
        for number, mutant in enumerate(its):
            mutant["id"] = PER_FILE * index + number
        sources[path] = tokens
        order += [m for m in its if only in name]
    if not order:
        sys.exit(f"no source of {', '.join(ROOMS)} has {only or 'anything'} to change")
    order.sort(key=lambda m: hashlib.sha256(f"{seed} {m['name']}".encode()).hexdigest())
    possible, asked, good = len(order), count * 9 // 8, []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        while True:
            first = order[:asked]
            its = {path: [m for m in first if compiler.source / m["file"] == path] for path in compiler.objects.commands}
            for path in its.keys() - sources.keys():  # shares an object with mutated ones
                sources[path] = Text(path.read_text())
            good = [m["id"] for left in pool.map(lambda path: compiler(path, sources[path], its[path]), its) for m in left]
            good = set(good)
            if len(good) >= count or asked >= possible:
                return [m for m in first if m["id"] in good][:count]
            asked += count // 8 + 1


def link(compiler, jobs):
    """The release build's test program with the mutated objects; what it is made of, as a digest."""
    build, work = compiler.build, compiler.work
    library, program = work / "libpate.a", work / "pate_tests"
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        objects = list(pool.map(compiler.unit, compiler.objects.units))
    shared = {path for _, its in compiler.objects.units.values() for path in its}
    objects += [compiler.object_of(path) for path in compiler.objects.commands if path not in shared]
    library.unlink(missing_ok=True)
    done = run(["ar", "qcs", library, *compiler.objects.kept, *objects])
    if done.returncode != 0:
        sys.exit(done.stdout)
    commands = run(["ninja", "-C", build, "-t", "commands", "pate_tests"]).stdout
    command = next(c for c in commands.split(" && ") if " -o tests/pate_tests " in c)
    command = re.sub(r" libpate\.a(?= |$)", f" {library}", command.replace(" -o tests/pate_tests ", f" -o {program} "))
    done = run(["sh", "-c", command], cwd=build)
    if done.returncode != 0:
        sys.exit(done.stdout)
    return digest_of(compiler.common, *(compiler.kept[str(path.relative_to(compiler.source))]["digest"] if path in compiler.mutated
                                        else path.read_text() for path in sorted(compiler.objects.commands)))


class Tests:
    def __init__(self, work):
        self.work, self.program = work, work / "pate_tests"
        self.scratch = work / "scratch"
        shutil.rmtree(self.scratch, ignore_errors=True)
        self.scratch.mkdir()

    def __call__(self, cases, cpu, mutant=None, trace=None):
        """Status (None: it took too long) and seconds of the processor of test cases."""
        pattern = ",".join(re.sub(r"[,\\]", "?", case) for case in cases)
        scratch = pathlib.Path(tempfile.mkdtemp(dir=self.scratch))
        environment = dict(os.environ, TMPDIR=str(scratch))
        environment.pop("PATE_MUTANT", None)
        if mutant is not None:
            environment["PATE_MUTANT"] = str(mutant)
        if trace is not None:
            environment["PATE_MUTANT_TRACE"] = str(scratch / "trace")

        def limits():
            os.setsid()
            resource.setrlimit(resource.RLIMIT_CPU, (int(cpu) + 1, int(cpu) + 2))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        process = subprocess.Popen([self.program, f"--test-case={pattern}", "--abort-after=1", "--minimal=true"], cwd=scratch,
                                   env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, preexec_fn=limits)
        end, status = time.monotonic() + 20 * cpu + 120, None
        while time.monotonic() < end:
            pid, code, used = os.wait4(process.pid, os.WNOHANG)
            if pid:
                status, process.returncode = os.waitstatus_to_exitcode(code), 0
                break
            time.sleep(0.005)
        else:
            os.killpg(process.pid, 9)
            _, _, used = os.wait4(process.pid, 0)
            process.returncode = 0
        seen = {int(line) for file in scratch.glob("trace.*") for line in file.read_text().split()}
        shutil.rmtree(scratch, ignore_errors=True)
        return status, used.ru_utime + used.ru_stime, sorted(seen)


def folder_of(path):
    found = re.search(r"lib/(?:pate/)?(\w+)/", path)
    return found.group(1) if found else ""


def stage_of(path):
    """Test cases of the mutated rooms are the first stage, those of the rest of the library the second; the program's none."""
    return 0 if folder_of(path) in ROOMS else 1 if folder_of(path) else 2


def listed(tests):
    """The file of every test case, or the files of several of one name: they run together."""
    xml = run([tests.program, "--list-test-cases", "--reporters=xml"]).stdout
    cases = {}
    for name, path in re.findall(r'<TestCase name="([^"]*)"[^\n]*? filename="[^"]*?(tests/[^"]*)"', xml):
        cases.setdefault(html.unescape(name), []).append(path)
    return {name: " ".join(sorted(paths, key=stage_of)) for name, paths in cases.items()}


def baseline(tests, cases, longest, source, made_of, kept_file, pool):
    """Of every test case, without a mutant: its seconds and which mutants it executes."""
    kept = json.loads(kept_file.read_text()) if kept_file.exists() else {}
    digests = {paths: digest_of(made_of, *((source / path).read_text() for path in paths.split())) for paths in set(cases.values())}
    result = {name: kept[name] for name, path in cases.items() if kept.get(name, {}).get("digest") == digests[path]}

    def measure(name):
        status, seconds, seen = tests([name], longest, trace=True)
        if status != 0:
            print(f"left out: without a mutant {name!r} ends with {status} after {seconds:.1f} s", flush=True)
        return {"file": cases[name], "digest": digests[cases[name]], "seconds": seconds, "seen": seen, "passes": status == 0}

    new = [name for name in cases if name not in result]
    result.update(zip(new, pool.map(measure, new)))
    kept_file.write_text(json.dumps(kept | result))
    return {name: dict(case, seen=set(case["seen"])) for name, case in result.items()}


def judge(mutant, tests, base, met, patience):
    """What test cases say of a mutant, and the digests of those it has met; those of `met` are not asked again."""
    its = [(name, case) for name, case in base.items() if mutant["id"] in case["seen"] and case["passes"]]
    own, stem = folder_of(mutant["file"]), pathlib.Path(mutant["file"]).stem
    its.sort(key=lambda it: it[1]["seconds"] * (
        0.1 if f"/{stem}_test" in it[1]["file"] else 1.0 if folder_of(it[1]["file"]) == own else 4.0))
    met, spent, most = dict(met), 0.0, 0.5
    if not its and not met:
        return "not executed", met
    while True:
        batch = []
        for name, case in its:
            if met.get(name) != case["digest"] and sum(c["seconds"] for _, c in batch) < most and (
                    spent + case["seconds"] <= patience):
                batch.append((name, case))
                spent += case["seconds"]
        if not batch:
            return "survived", met
        status, *_ = tests([name for name, _ in batch], 3 * sum(case["seconds"] for _, case in batch) + 2, mutant["id"])
        if status != 0:
            return {1: "failed", None: "too slow", -24: "too slow", -9: "too slow"}.get(status, "crashed"), met
        met |= {name: case["digest"] for name, case in batch}
        most *= 4


NOTICED = ("failed", "crashed", "too slow")


def table(mutants, reasons, seed, least, fewest, executed):
    """The results, and whether at least that share of them, in percent, is noticed: of those that test cases execute, or of all."""
    noticed = [m for m in mutants if m["result"] in NOTICED]
    survivors = [m for m in mutants if m not in noticed]
    without = sorted((m for m in survivors if f"`{m['name']}`" not in reasons), key=lambda m: m["name"])
    judged = len(noticed) + len(without)
    share = 100 * len(noticed) / max(judged, 1)
    lines = ["# Mutants", "", f"`make mutants`: {len(mutants)} mutants, seed {seed}: {len(noticed)} noticed, {len(survivors) - len(without)} "
             f"have a reason in survivors.md, {len(without)} neither: {share:.1f} % of those without a reason are noticed. By a failing check "
             f"{sum(m['result'] == 'failed' for m in mutants)}, by a crash {sum(m['result'] == 'crashed' for m in mutants)}, "
             f"by the time {sum(m['result'] == 'too slow' for m in mutants)}.", "",
             "| source | mutants | noticed |", "| --- | ---: | ---: |"]
    for file in sorted({m["file"] for m in mutants}):
        its = [m for m in mutants if m["file"] == file]
        lines.append(f"| `{file}` | {len(its)} | {sum(m in noticed for m in its)} |")
    lines += ["", "| change | mutants | noticed |", "| --- | ---: | ---: |"]
    kinds = {}
    for mutant in mutants:
        kinds.setdefault("a number" if re.match(r"[\d.]", mutant["what"]) else mutant["what"], []).append(mutant)
    for kind, its in sorted(kinds.items()):
        kind = kind.replace("|", "\\|")
        lines.append(f"| `{kind}` | {len(its)} | {sum(m in noticed for m in its)} |")
    lines += ["", "Neither noticed nor with a reason:", ""]
    lines += [f"* `{m['name']}` ({m['result']}, {m['id']})" for m in without]
    if executed:
        judged = len(noticed) + sum(m["result"] != "not executed" for m in without)
    return "\n".join(lines) + "\n", judged < fewest or 100 * len(noticed) >= least * judged


def main(words=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path, help="a finished release build with tests")
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=480)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rooms", nargs="+", default=[], metavar="ROOM", help="mutants of these; of all without it")
    parser.add_argument("--only", default="", metavar="FILE", help="mutants of sources whose path has this")
    parser.add_argument("--files", nargs="+", default=[], type=pathlib.Path, metavar="FILE", help="mutants of these sources")
    parser.add_argument("--patience", type=float, default=10.0, help="seconds of test cases a mutant meets in each stage")
    parser.add_argument("--longest", type=float, default=30.0, help="seconds of a test case; longer ones are left out")
    parser.add_argument("--stages", type=int, default=2, help="1: test cases of the mutated rooms only")
    parser.add_argument("--least", type=float, default=95.0, metavar="SHARE", help="percent that must be noticed")
    parser.add_argument("--fewest", type=int, default=0, metavar="N", help="of fewer than these no share is demanded")
    parser.add_argument("--executed", action="store_true", help="count those alone that some test case executes")
    parser.add_argument("--all", action="store_true", help="those with a reason too")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args(words)
    source, build, work = (path.resolve() for path in (options.source, options.build, options.work))
    there = sorted(folder.name for folder in (source / "lib/pate").iterdir() if folder.is_dir())
    if not set(options.rooms) <= set(there):
        parser.error(f"--rooms: {' '.join(options.rooms)}: the rooms are {' '.join(there)}")
    ROOMS.extend(options.rooms or there)
    work.mkdir(parents=True, exist_ok=True)
    made = run(["ninja", "-C", build, f"-j{options.jobs}", "libpate.a", "pate_tests"])
    if made.returncode != 0:
        sys.exit(made.stdout[-5000:])
    compiler = Compiler(source, build, work, {source / file for file in options.files})
    chosen = chosen_of(compiler, options.count, options.seed, options.only, options.jobs)
    made_of = link(compiler, options.jobs)
    tests = Tests(work)
    cases = listed(tests)
    print(f"{len(chosen)} mutants, {len(cases)} test cases", flush=True)
    reasons = " ".join((source / "tests/mutants/survivors.md").read_text().split())  # names may be broken into lines
    result_file = work / "results.json"
    kept = json.loads(result_file.read_text()) if result_file.exists() else {}
    texts = {m["file"]: digest_of((source / m["file"]).read_text()) for m in chosen}
    results = {}
    for m in chosen:
        its = kept.get(m["name"], {})
        results[m["name"]] = its if its.get("digest") == texts[m["file"]] else {
            "result": "not executed", "met": {}, "digest": texts[m["file"]]}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for stage in range(options.stages):
            left = [m for m in chosen if results[m["name"]]["result"] not in NOTICED
                    and (options.all or f"`{m['name']}`" not in reasons)]
            if not left:
                break
            base = baseline(tests, {name: path for name, path in cases.items() if stage_of(path) == stage}, options.longest, source,
                            made_of, work / "baseline.json", pool)
            print(f"stage {stage}: {len(left)} mutants, {len(base)} test cases, "
                  f"{sum(case['seconds'] for case in base.values()):.0f} s", flush=True)
            judged = {pool.submit(judge, m, tests, base, results[m["name"]]["met"], options.patience): m for m in left}
            for i, done in enumerate(concurrent.futures.as_completed(judged), 1):
                mutant, (found, met) = judged[done], done.result()
                its = results[mutant["name"]]
                its["met"] = met
                its["result"] = its["result"] if found == "not executed" else found
                result_file.write_text(json.dumps(kept | results, indent=1))
                print(f"{i}/{len(left)} {its['result']}: {mutant['id']}: {mutant['name']}", flush=True)
    text, good = table([dict(m, result=results[m["name"]]["result"]) for m in chosen], reasons, options.seed, options.least, options.fewest, options.executed)
    write(work / "results.md", text)
    print(text)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
