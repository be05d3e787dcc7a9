"""Test cases, of doctest and golden ones: what each executes without a mutant, and what those that execute a mutant say of it."""
import html
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

from files import digest_of, run
from rooms import near

NOTICED = ("failed", "crashed", "too slow")
GOLDEN = ".golden"


class Tests:
    """Test cases, by name those of doctest, by path those that are golden: command lines and what the program prints."""

    def __init__(self, work, source):
        self.source, self.program, self.pate = source, work / "pate_tests", work / "pate"
        self.scratch = work / "scratch"
        shutil.rmtree(self.scratch, ignore_errors=True)
        self.scratch.mkdir()

    def listed(self):
        """The file of every test case, or the files of several of one name: they run together."""
        xml = run([self.program, "--list-test-cases", "--reporters=xml"]).stdout
        cases = {}
        for name, path in re.findall(r'<TestCase name="([^"]*)"[^\n]*? filename="[^"]*?(tests/[^"]*)"', xml):
            cases.setdefault(html.unescape(name), set()).add(path)
        cases = {name: " ".join(sorted(paths)) for name, paths in cases.items()}
        golden = [str(path.relative_to(self.source)) for path in sorted((self.source / "tests/cli").rglob("*" + GOLDEN))]
        return cases | {path: path for path in golden}

    def commands(self, cases):
        """What runs them, and fails if one does."""
        golden = [case for case in cases if case.endswith(GOLDEN)]
        others = ",".join(re.sub(r"[,\\]", "?", case) for case in cases if case not in golden)
        if others:
            yield [self.program, f"--test-case={others}", "--abort-after=1", "--minimal=true"]
        if golden:
            yield [sys.executable, "-B", self.source / "tests/cli/golden.py", self.pate, self.source,
                   *(self.source / case for case in golden)]

    def __call__(self, cases, cpu, mutant=None, trace=None):
        """Status (None: it took too long), seconds of the processor of test cases, and with `trace` which mutants they execute."""
        scratch = pathlib.Path(tempfile.mkdtemp(dir=self.scratch))
        environment = dict(os.environ, TMPDIR=str(scratch))
        environment.pop("PATE_MUTANT", None)
        if self.pate.exists():
            environment["PATE_TEST_PROGRAM"] = str(self.pate)  # that its tests start
        if mutant is not None:
            environment["PATE_MUTANT"] = str(mutant)
        if trace is not None:
            environment["PATE_MUTANT_TRACE"] = str(scratch / "trace")
        status, seconds = 0, 0.0
        for command in self.commands(cases):
            status, used = ended(command, cpu, scratch, environment)
            seconds += used
            if status != 0:
                break
        seen = {int(line) for file in scratch.glob("trace.*") for line in file.read_text().split()}
        shutil.rmtree(scratch, ignore_errors=True)
        return status, seconds, sorted(seen)


def ended(command, cpu, folder, environment):
    """Status of a command (None: it was stopped) and its seconds of the processor, which are limited."""
    def limits():
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (int(cpu) + 1, int(cpu) + 2))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    process = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, preexec_fn=limits)
    end, status = time.monotonic() + 20 * cpu + 120, None
    while time.monotonic() < end:
        pid, code, used = os.wait4(process.pid, os.WNOHANG)
        if pid:
            status = os.waitstatus_to_exitcode(code)
            break
        time.sleep(0.005)
    else:
        os.killpg(process.pid, 9)
        _, _, used = os.wait4(process.pid, 0)
    process.returncode = 0
    return status, used.ru_utime + used.ru_stime


def baseline(tests, cases, longest, made_of, kept_file, pool):
    """Of every test case, without a mutant: its seconds and which mutants it executes."""
    kept = json.loads(kept_file.read_text()) if kept_file.exists() else {}
    digests = {paths: digest_of(made_of, *((tests.source / path).read_text() for path in paths.split())) for paths in set(cases.values())}
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
    its.sort(key=lambda it: it[1]["seconds"] * near(mutant["file"], it[1]["file"]))
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
