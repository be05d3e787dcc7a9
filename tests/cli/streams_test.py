#!/usr/bin/env python3
"""Standard streams that are closed, full, or read only: for every command that writes and every stream.

usage: streams_test.py PATE

A file that is opened while standard output is closed would be standard output: what was meant for the stream would
go into it. So every output must be what it is with open streams, and status 0 only if nothing was lost.
"""
import itertools
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

from writers import WRITERS, prepare

PATE = os.path.abspath(sys.argv.pop(1))
SUBSETS = [set(some) for n in range(4) for some in itertools.combinations((0, 1, 2), n)]
SHELLS = ("bash", "zsh", "fish")
COMMANDS = sorted({writer.words[0] for writer in WRITERS})


def closing(streams):
    """What a shell calls it."""
    return " ".join({0: "<&-", 1: ">&-", 2: "2>&-"}[number] for number in sorted(streams))


def without_time_and_chance(name, content):
    """What two runs that draw have in common."""
    if name.endswith(".ledger"):
        return [(json.loads(line)["schema"], json.loads(line)["kind"]) for line in content.decode().splitlines()]
    if name.endswith(".json"):
        return sorted(json.loads(content))
    return [content[:6], content.count(b"\n") if b"\0" not in content else len(content)]


class StreamsTest(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.directory.name)
        prepare(PATE, self.root)
        self.inputs = set(os.listdir(self.root))

    def tearDown(self):
        self.directory.cleanup()

    def run_with(self, words, redirection):
        line = f"exec {shlex.join([PATE, *words])} {redirection}"
        return subprocess.run(["bash", "-c", line], cwd=self.root, capture_output=True, check=False, stdin=subprocess.DEVNULL)

    def clear(self):
        for name in set(os.listdir(self.root)) - self.inputs:
            (self.root / name).unlink()

    def written(self):
        return {name: (self.root / name).read_bytes() for name in set(os.listdir(self.root)) - self.inputs}

    def test_no_file_gets_what_is_meant_for_a_stream(self):
        for writer in WRITERS:
            self.clear()
            open_ones = self.run_with([*writer.line(), *writer.quiet()], "")
            self.assertEqual(open_ones.returncode, 0, (writer, open_ones.stderr))
            expected = {name: without_time_and_chance(name, content) for name, content in self.written().items()}
            self.assertEqual(set(expected), set(writer.files().values()), writer)
            for closed in SUBSETS:
                self.clear()
                done = self.run_with([*writer.line(), *writer.quiet()], closing(closed))
                self.assertEqual(done.returncode, 0, (writer, closed, done.stderr))
                found = {name: without_time_and_chance(name, content) for name, content in self.written().items()}
                self.assertEqual(found, expected, (writer, closed))

    def test_a_report_that_cannot_be_put_out_is_no_success_and_costs_nothing(self):
        for writer in WRITERS:
            for closed in SUBSETS:
                if 1 not in closed or "-o" not in writer.files():
                    continue
                self.clear()
                required = writer.words[0] in ("report", "plot", "simulate")
                words = [*writer.line(report=False), *(["-o", "-"] if required else [])]
                done = self.run_with(words, closing(closed))
                self.assertEqual(done.returncode, 5, (writer, closed, done.stderr))
                if 2 not in closed:
                    self.assertIn(b"standard output: cannot write", done.stderr, writer)
                if writer.spends():
                    self.assertEqual(self.written(), {}, (writer, closed))

    def test_a_full_standard_output_is_no_success(self):
        lines = [["--version"], ["--version", "--verbose"], ["--help"], ["help"], ["help", "--manual", "pate"],
                 *(["completion", shell] for shell in SHELLS)]
        for command in COMMANDS:
            lines += [["help", command], [command, "--help"], [command, "--version"], ["help", "--manual", command]]
        for writer in WRITERS:
            words = writer.line(report=False)
            lines.append([*words, *writer.quiet(), "-o", "-"])
            if writer.words[0] in ("analyze", "release", "label", "darrm", "compose", "plan"):
                lines.append([*words, "--statement"])
            if writer.words[0] not in ("report", "plot", "simulate", "table"):
                lines.append([*words, "--summary"])
        for words in lines:
            self.clear()
            whole = self.run_with(words, "")
            if whole.returncode == 2:
                self.fail((words, whole.stderr))
            self.clear()
            for redirection in (">/dev/full", ">&-", "1</dev/null"):
                done = self.run_with(words, redirection)
                self.assertEqual(done.returncode, 5, (words, redirection, done.stderr))
                self.assertRegex(done.stderr.decode(), r"^(pate: note.*\n|.*\n)*pate: standard output: cannot write", words)
                self.clear()

    def test_a_closed_standard_input_is_an_input_error_where_it_is_read(self):
        for words in (["analyze", "-", "--sigma2", "40", "--delta", "1e-5"], ["inspect", "-"],
                      ["label", "-", "--teachers", "250", "--sigma2", "40", "--delta", "1e-5", "--write-labels", "out.npy"]):
            for redirection in ("<&-", "0>/dev/null"):
                self.clear()
                done = self.run_with([*words, "-o", "out.json"], redirection)
                self.assertEqual(done.returncode, 3, (words, done.stderr))
                self.assertRegex(done.stderr.decode(), r"<stdin>: cannot be read: ")
                self.assertEqual(self.written(), {})

    def test_help_names_every_status_that_running_out_of_memory_or_room_has(self):
        for command in COMMANDS:
            text = self.run_with([command, "--help"], "").stdout.decode()
            for status in (0, 2, 3, 5):
                self.assertTrue(re.search(rf"^ +{status} ", text, re.M), (command, status, text[-600:]))


unittest.main(verbosity=2)
