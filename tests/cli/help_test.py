#!/usr/bin/env python3
"""The help of the program and of every command it lists: 80 columns, status 0; -h is a part of it, of 20 lines, of the
program 22.

usage: help_test.py PATE
"""
import re
import subprocess
import sys

PATE = sys.argv[1]


def help_of(*words):
    """The text of a help, and what is wrong with it."""
    long, short = ([PATE, *words, option] for option in ("--help", "-h"))
    done, brief = (subprocess.run(line, capture_output=True, text=True, check=False)
                   for line in (long, short))
    name = " ".join(("pate", *words))
    wrong = [f"{name}: the help has {len(line)} columns: {line}"
             for line in (done.stdout + brief.stdout).splitlines() if len(line) > 80]
    if done.returncode != 0 or done.stderr:
        wrong.append(f"{name} --help: status {done.returncode}, on standard error: {done.stderr!r}")
    if brief.returncode != 0 or brief.stderr:
        wrong.append(f"{name} -h: status {brief.returncode}, on standard error: {brief.stderr!r}")
    if not 5 < len(brief.stdout.splitlines()) <= (20 if words else 22):
        wrong.append(f"{name} -h has {len(brief.stdout.splitlines())} lines")
    if not brief.stdout.startswith(f"Usage: {name} ") or f"{name.split()[0]} " not in brief.stdout.splitlines()[-1]:
        wrong.append(f"{name} -h has no usage, or does not say what has more")
    options = [set(re.findall(r"^  (\S+)", text, re.M)) - {"pate"} for text in (brief.stdout, done.stdout)]
    if not options[0] <= options[1]:
        wrong.append(f"{name} -h has what --help has not: {options[0] - options[1]}")
    # What must be given is what a short help is for.
    entries = re.findall(r"^  (?:-\w,)?(--[\w-]+)((?:.*\n)(?: {20}.*\n)*)", done.stdout, re.M)
    wrong += [f"{name} -h does not show {option}" for option, text in entries
              if re.search(r"\(required[;)]", text) and f"{option} " not in brief.stdout]
    for what in (f"Usage: {name} ", "\nExit status:\n  0  "):
        if what not in done.stdout:
            wrong.append(f"{name} --help shows no '{what.strip()}'")
    # A limit on the command line has a status of its own.
    limits = [option for option, _ in entries if re.match("--(max-epsilon|min-|require-)", option)]
    if limits and words and "\n  1  " not in done.stdout:
        wrong.append(f"{name} --help has {limits[0]} and no status 1")
    if words and f"\nExample:\n  {name} " not in done.stdout:
        wrong.append(f"{name} --help shows no example")
    wrong += [f"{name} --help says nothing of {option}"
              for option in re.findall(r"^  (-\S+(?: \S+)?)\n(?! {20})", done.stdout, re.M)]
    if "\n\n\n" in done.stdout:
        wrong.append(f"{name} --help has two blank lines together")
    asked = subprocess.run([PATE, "help", *words], capture_output=True, text=True, check=False)
    if asked.stdout != done.stdout or asked.returncode != 0:
        wrong.append(f"pate help {' '.join(words)} is not {name} --help")
    return done.stdout, wrong


def main():
    text, wrong = help_of()
    commands = re.findall(r"^  (\S+)", text.split("Commands:")[1].split("\n\n")[0], re.M)
    if not {"analyze", "inspect", "simulate"} <= set(commands):
        wrong.append(f"pate --help lists only {commands}")
    for command in commands:
        wrong += help_of(command)[1]
    print("\n".join(wrong) or f"the help of {len(commands)} commands fits 80 columns")
    sys.exit(1 if wrong else 0)


main()
