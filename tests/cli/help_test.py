#!/usr/bin/env python3
"""The help of the program and of every command it lists: 80 columns, status 0, the same by both names.

usage: help_test.py PATE
"""
import re
import subprocess
import sys

PATE = sys.argv[1]


def help_of(*words):
    """The text of a help, and what is wrong with it."""
    long, short = ([PATE, *words, option] for option in ("--help", "-h"))
    done, same = (subprocess.run(line, capture_output=True, text=True, check=False)
                  for line in (long, short))
    name = " ".join(("pate", *words))
    wrong = [f"{name} -h: {len(line)} columns: {line}" for line in done.stdout.splitlines()
             if len(line) > 80]
    if done.returncode != 0 or done.stderr:
        wrong.append(f"{name} --help: status {done.returncode}, on standard error: {done.stderr!r}")
    if done.stdout != same.stdout or same.returncode != 0:
        wrong.append(f"{name} -h is not {name} --help")
    for what in (f"Usage: {name} ", "\nExit status:\n  0  "):
        if what not in done.stdout:
            wrong.append(f"{name} --help shows no '{what.strip()}'")
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
