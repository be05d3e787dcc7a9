#!/usr/bin/env python3
"""Mutants of the parts of the library that decide a privacy cost: which of them do the tests notice?

usage: mutants.py SOURCE_DIR WORK_DIR [--count N] [--seed S] [--only FOLDER] [--again FILE]

A mutant is one change: < and <=, > and >= exchanged (of floating-point numbers < and >=, > and <=), == and !=, + and -,
* and /, && and ||, min and max exchanged, a `!` left out, another number, another returned value. All of them are
compiled once, into a copy of the sources in WORK_DIR: every changed place asks which mutant is chosen, by the
environment variable PATE_MUTANT. Those that do not compile (constant expressions, types that have no such operator) are
found by the compiler's errors and left out; texts of errors are not mutated. N of the rest are chosen by a hash with
seed S.

Every test case runs first without a mutant, which tells what it executes and how long it takes; those of more than 30 s
are left out. A mutant meets the test cases that execute it: quick ones of the mutated folders first, then all of them,
then those of the rest of the library, and of the program. It is noticed when one fails, crashes, or takes three times
the time and 2 s more (of the processor). What no test case executes is not noticed. The table goes into
WORK_DIR/results.md; survivors.md beside this file gives the reason of each that is not noticed. Results are kept in
WORK_DIR/results.json: another run goes on from there; --again forgets those of a file, --stages N ends early.
"""
import argparse
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
import time

FOLDERS = ("mechanisms", "bounds", "rdp", "exact", "sensitivity", "release", "labeling", "composition")
LONGEST = 30  # seconds of a test case; longer ones are left out
PER_FILE = 512  # numbers of mutants: those of other files stay what they are when one changes
HEADER = """#pragma once
#pragma GCC system_header
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <unistd.h>
namespace pate_mutants {
inline unsigned char seen[1 << 16];
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
    for (int i = 0; i < (1 << 16); ++i) {
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
"""

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

    def add(i, what, start, end, *pieces):
        """`pieces` replace the tokens they name; ID stands for the mutant."""
        if any(a <= i < b for a, b in quiet):
            return
        # Where two cover the same text, what is returned is the outer one, and a number the inner one.
        rank = 2 if what == "returned value" else 1 if i > start else 0
        line = tokens.between(max(start - 2, 0) if end - start < 3 else start, end)
        name = f"{path}: {line[:100]}: {what}"
        names[name] = names.get(name, 0) + 1
        if names[name] > 1:
            name += f" ({names[name]})"
        found.append({"name": name, "file": path, "what": what, "start": start, "end": end, "rank": rank,
                      "pieces": pieces})

    for i, its in enumerate(tokens.text):
        kind = tokens.kind[i]
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
        elif kind == "other" and its in ASSIGN:
            start, end = tokens.left(i, 0), tokens.right(i, 0)
            function, other = ASSIGN[its]
            add(i, f"{its} -> {other}", start, end, (i, "),("), f"pate_mutants::{function}(ID,(", "))")
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


def mutated(name):
    return name.endswith(".cpp") and name.startswith(tuple(f"lib/pate/{folder}/" for folder in FOLDERS))


def copied(source, work):
    tree = work / "tree"
    tracked = run(["git", "ls-files"], cwd=source)
    names = tracked.stdout.split("\n") if tracked.returncode == 0 else [
        str(p.relative_to(source)) for top in ("lib", "cli", "cmake", "tests", "sample_votes") for p in (source / top).rglob("*")]
    for name in filter(None, [*names, "CMakeLists.txt"]):
        if not (source / name).is_file() or mutated(name):
            continue
        data, target = (source / name).read_bytes(), tree / name
        if not target.exists() or target.read_bytes() != data:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
    return tree


def write(path, text):
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def compile_all(source, work, only):
    """The mutants that compile, in a built tree."""
    tree, build = copied(source, work), work / "tree/build/q"
    paths = sorted(p for folder in FOLDERS for p in (source / "lib/pate" / folder).rglob("*.cpp"))
    for path in paths:
        stub = tree / path.relative_to(source)
        stub.parent.mkdir(parents=True, exist_ok=True)
        write(stub, f'#include "{path.name}.mutants"\n')
    kept_file = work / "compiled.json"
    kept = json.loads(kept_file.read_text()) if kept_file.exists() else {}
    write(work / "pate_mutants.hpp", HEADER)
    shared = source.parent / "shared"
    if shared.exists() and not (work / "shared").exists():  # tests of real votes look beside the tree
        (work / "shared").symlink_to(shared)
    configured = run(["cmake", "-S", tree, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DPATE_TESTS=ON",
                      "-DCMAKE_CXX_FLAGS_RELEASE=-O1", "-DCMAKE_UNITY_BUILD=OFF",
                      *(["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else [])])
    if configured.returncode != 0:
        sys.exit(configured.stdout)
    done = run(["ninja", "-C", build, "CMakeFiles/pate_library.dir/cmake_pch.hxx.gch"])
    if done.returncode != 0:
        sys.exit(done.stdout)
    commands = {entry["file"]: entry["command"] for entry in json.loads((build / "compile_commands.json").read_text())
                if "pate_library.dir" in entry["command"]}
    mutants = []
    for index, path in enumerate(paths):
        name = str(path.relative_to(source))
        if only and only not in name:
            write(tree / (name + ".mutants"), path.read_text())
            continue
        tokens, its = mutants_of(name, path.read_text())
        for number, mutant in enumerate(its):
            mutant["id"] = PER_FILE * index + number
        before = len(its)
        if before > PER_FILE:
            sys.exit(f"{name}: too many mutants")
        digest = hashlib.sha256((HEADER + path.read_text()).encode()).hexdigest()
        if digest == kept.get(name, {}).get("digest"):  # what compiles is known, unless headers changed
            its = [mutant for mutant in its if mutant["name"] in kept[name]["names"]]
        target = tree / (name + ".mutants")
        command = commands[str(tree / name)].split(" -o ")[0].replace("ccache ", "") + f" -fmax-errors=0 -fsyntax-only {tree / name}"
        for _ in range(40):
            text, lines = emitted(tokens, its)
            text = f'#include "{work}/pate_mutants.hpp"\n#pragma GCC system_header\n' + text
            if target.exists() and target.read_text() == text and digest == kept.get(name, {}).get("digest"):
                break
            target.write_text(text)
            done = run(["sh", "-c", command], cwd=build)
            if done.returncode == 0:
                break
            wrong = set()
            for block in re.split(r"(?m)^(?=\S*: (?:In |At )|\S*:\d+:\d+: error)", done.stdout):
                places = [int(n) - 2 for n in re.findall(rf"{re.escape(path.name)}\.mutants:(\d+):", block)]
                for place in places:
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
        print(f"{name}: {len(its)} of {before} compile", flush=True)
        kept[name] = {"digest": digest, "names": [mutant["name"] for mutant in its]}
        kept_file.write_text(json.dumps(kept))
        mutants += its
    for target in ("pate", "pate_tests"):
        built = run(["ninja", "-C", build, "-j1", target])
        if built.returncode != 0:
            sys.exit(built.stdout[-5000:])
    return [{key: mutant[key] for key in ("id", "name", "file", "what")} for mutant in mutants]


class Tests:
    def __init__(self, work):
        self.work, self.program = work, work / "tree/build/q/tests/pate_tests"
        self.scratch = work / "scratch"
        shutil.rmtree(self.scratch, ignore_errors=True)
        self.scratch.mkdir()

    def __call__(self, cases, cpu, mutant=None, trace=None):
        """Status (None: it took too long) and seconds of the processor of test cases."""
        pattern = ",".join(re.sub(r"[,\\]", "?", case) for case in cases)
        environment = dict(os.environ, TMPDIR=str(self.scratch))
        environment.pop("PATE_MUTANT", None)
        if mutant is not None:
            environment["PATE_MUTANT"] = str(mutant)
        if trace is not None:
            environment["PATE_MUTANT_TRACE"] = str(trace)

        def limits():
            os.setsid()
            resource.setrlimit(resource.RLIMIT_CPU, (int(cpu) + 1, int(cpu) + 2))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        process = subprocess.Popen([self.program, f"--test-case={pattern}", "--abort-after=1", "--minimal=true"], cwd=self.scratch,
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
        return status, used.ru_utime + used.ru_stime


def folder_of(path):
    found = re.search(r"lib/(?:pate/)?(\w+)/", path)
    return found.group(1) if found else ""


# Which test cases a stage has: those of the mutated folders (0), of the rest of the library (1), of the program (2); of
# those that execute a mutant, tests of its own source and quick ones first, from how many seconds of them altogether, to how many.
STAGES = ((0, 0.0, 1.5), (0, 1.5, 6.0), (0, 6.0, math.inf), (1, 0.0, 10.0), (1, 10.0, math.inf), (2, 0.0, math.inf))


def place_of(path):
    return 0 if folder_of(path) in FOLDERS else 1 if folder_of(path) else 2


def listed(tests):
    """The file of every test case."""
    xml = run([tests.program, "--list-test-cases", "--reporters=xml"]).stdout
    return {html.unescape(name): path for name, path in re.findall(r'<TestCase name="([^"]*)"[^\n]*? filename="([^"]*)"', xml)}


def baseline(tests, cases, kept):
    """Of every test case, without a mutant: its seconds and which mutants it executes."""
    result = json.loads(kept.read_text()) if kept.exists() else {}
    for name, path in cases.items():
        if name in result:
            continue
        for old in tests.work.glob("trace.*"):
            old.unlink()
        status, seconds = tests([name], LONGEST, trace=tests.work / "trace")
        seen = sorted({int(line) for file in tests.work.glob("trace.*") for line in file.read_text().split()})
        if status != 0:
            print(f"left out: without a mutant {name!r} ends with {status} after {seconds:.1f} s", flush=True)
        result[name] = {"file": path, "seconds": seconds, "seen": seen, "passes": status == 0}
        kept.write_text(json.dumps(result))
    return {name: dict(result[name], seen=set(result[name]["seen"])) for name in cases}


def judge(mutant, tests, base, least, most):
    """What test cases say of a mutant: failed, crashed, too slow, survived; not executed."""
    its = [(name, case) for name, case in base.items() if mutant["id"] in case["seen"] and case["passes"]]
    if not its:
        return "not executed"
    own, stem = folder_of(mutant["file"]), pathlib.Path(mutant["file"]).stem
    its.sort(key=lambda it: it[1]["seconds"] * (
        0.1 if f"/{stem}_" in it[1]["file"] else 1.0 if folder_of(it[1]["file"]) == own else 4.0))
    batch, before, seconds = [], 0.0, 0.0
    for name, case in its:
        if least <= before < most:
            batch.append(name)
            seconds += case["seconds"]
        before += case["seconds"]
    if not batch:
        return "survived"
    status, _ = tests(batch, 3 * seconds + 2, mutant["id"])
    return {0: "survived", 1: "failed", None: "too slow", -24: "too slow", -9: "too slow"}.get(status, "crashed")


def table(mutants, source, seed):
    """The results, and how many survivors have no reason."""
    reasons = (source / "tests/mutants/survivors.md").read_text() if (source / "tests/mutants/survivors.md").exists() else ""
    noticed = [m for m in mutants if m["result"] in ("failed", "crashed", "too slow")]
    lines = ["# Mutants", "", f"`make mutants`: {len(mutants)} mutants, {len(noticed)} noticed "
             f"({100 * len(noticed) / len(mutants):.1f} %); seed {seed}. By a failing check "
             f"{sum(m['result'] == 'failed' for m in mutants)}, by a crash {sum(m['result'] == 'crashed' for m in mutants)}, "
             f"by the time {sum(m['result'] == 'too slow' for m in mutants)}. What survives, and why: survivors.md.", "",
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
    survivors = [m for m in mutants if m not in noticed]
    without = [m for m in survivors if m["name"] not in reasons]
    for mutant in without:
        print(f"no reason in survivors.md: {mutant['id']}: {mutant['name']} ({mutant['result']})")
    return "\n".join(lines) + "\n", len(without), len(noticed)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=480)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--again", default="")
    parser.add_argument("--stages", type=int, default=len(STAGES))
    parser.add_argument("--compiled", action="store_true", help="the tree is built: do not look again")
    options = parser.parse_args()
    source, work = options.source.resolve(), options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    list_file, base_file, result_file = work / "mutants.json", work / "baseline.json", work / "results.json"
    if not options.compiled or not list_file.exists():
        list_file.write_text(json.dumps(compile_all(source, work, options.only)))
        base_file.unlink(missing_ok=True)
    mutants = json.loads(list_file.read_text())
    tests = Tests(work)
    cases = listed(tests)
    print(f"{len(mutants)} mutants, {len(cases)} test cases", flush=True)
    chosen = sorted(mutants, key=lambda m: hashlib.sha256(f"{options.seed} {m['name']}".encode()).hexdigest())[:options.count]
    results = json.loads(result_file.read_text()) if result_file.exists() else {}
    results = {name: result for name, result in results.items() if not options.again or options.again not in name}
    for stage, (place, least, most) in enumerate(STAGES[:options.stages]):
        left = [m for m in chosen if results.get(m["name"], ("survived", -1))[0] in ("survived", "not executed")
                and results.get(m["name"], ("", -1))[1] < stage]
        if not left:
            continue
        base = baseline(tests, {name: path for name, path in cases.items() if place_of(path) == place}, base_file)
        print(f"stage {stage}: {len(left)} mutants, {len(base)} test cases, "
              f"{sum(case['seconds'] for case in base.values()):.0f} s", flush=True)
        for i, mutant in enumerate(left):
            before, found = results.get(mutant["name"], ("not executed", -1))[0], judge(mutant, tests, base, least, most)
            results[mutant["name"]] = (before if found == "not executed" else found, stage)
            result_file.write_text(json.dumps(results, indent=1))
            print(f"{i + 1}/{len(left)} {results[mutant['name']][0]}: {mutant['id']}: {mutant['name']}", flush=True)
    chosen = [dict(m, result=results[m["name"]][0]) for m in chosen if m["name"] in results]
    text, without, noticed = table(chosen, source, options.seed)
    write(work / "results.md", text)
    print(text)
    sys.exit(1 if without or noticed < 0.95 * len(chosen) else 0)


if __name__ == "__main__":
    main()
