#!/usr/bin/env python3
"""Runs every case of test programs as a process of its own, of which those that take more processor time are ended.

usage: quick_cases.py LONGEST JOBS PROGRAM... [-- WORD...]

WORDs come before the program, as of an emulator. Tells how many cases passed and which were ended; fails where one fails.
"""
import concurrent.futures
import re
import resource
import signal
import subprocess
import sys


def run_cases(programs, longest, jobs, through=()):
    """Runs the cases for at most so many seconds of the processor: how many there are, and the names of those that were ended."""
    def limits():
        resource.setrlimit(resource.RLIMIT_CPU, (longest, longest + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    def run(program, case):
        # doctest splits patterns at commas.
        words = [*through, program, "--minimal", "--test-case=" + re.sub(r"[,\\]", "?", case)]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, preexec_fn=limits)
        said, _ = process.communicate()
        if process.returncode not in (0, -signal.SIGXCPU, -signal.SIGKILL):
            sys.exit(f"{case} fails:\n{said.decode(errors='replace')}")
        return process.returncode == 0

    cases = []
    for program in programs:
        said = subprocess.run([*through, program, "--list-test-cases"], stdout=subprocess.PIPE, text=True, check=True).stdout
        names = [line for line in said.splitlines() if line and not line.startswith(("[doctest]", "====="))]
        cases += [(program, name) for name in dict.fromkeys(names)]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        passed = list(pool.map(lambda case: run(*case), cases))
    return len(cases), [name for (_, name), whole in zip(cases, passed) if not whole]


def main():
    words = sys.argv[1:]
    through = words[words.index("--") + 1:] if "--" in words else []
    longest, jobs, *programs = words[:words.index("--")] if "--" in words else words
    cases, ended = run_cases(programs, int(longest), int(jobs), through)
    print(f"{cases - len(ended)} of {cases} cases pass, {len(ended)} took more than {longest} s of the processor:", *ended, sep="\n  ")


if __name__ == "__main__":
    sys.exit(main())
