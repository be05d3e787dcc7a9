#!/usr/bin/env python3
"""Prints single fields of a JSON document: `PATH = VALUE`, a line each.

usage: fields PATH...          reads standard input

A PATH is made of keys and list indices with dots between: `headline.epsilon`, `costs.0.bound`;
`notices.*.code` is the list of the codes. Numbers are shown to 7 significant digits, lists
and objects as JSON. Reports are compared field by field so that a new field does not change
every golden case.
"""
import json
import sys


def field(value, keys):
    if not keys:
        return value
    if keys[0] == "*":
        return [field(one, keys[1:]) for one in value]
    return field(value[int(keys[0])] if isinstance(value, list) else value[keys[0]], keys[1:])


def rounded(value):
    if isinstance(value, float):
        return float(f"{value:.7g}")
    if isinstance(value, list):
        return [rounded(one) for one in value]
    if isinstance(value, dict):
        return {key: rounded(one) for key, one in value.items()}
    return value


def main():
    text = sys.stdin.read()
    if not text:
        sys.exit(1)  # nothing was printed, and why is on standard error
    document = json.loads(text)
    for path in sys.argv[1:]:
        print(f"{path} = {json.dumps(rounded(field(document, path.split('.'))))}")


main()
