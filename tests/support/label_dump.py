#!/usr/bin/env python3
"""Writes made-up ballots: teachers that give each query several labels.

usage: label_dump.py OUTPUT.npy [TEACHERS [QUERIES [LABELS]]]

An array of uint8, teachers x queries x labels, of 0 and 1; 100 x 500 x 20 unless something else is
said. Every query has a true set of labels: one of a few common patterns, sometimes with one label
more or less. Labels of a query are easy or hard, and a teacher is wrong on each by itself, more often on
hard ones. Deterministic, with the standard library alone.
"""
import random
import sys


def patterns(rng, labels):
    """Sets of labels that occur together: one to four of them."""
    return [rng.sample(range(labels), min(labels, rng.randint(1, 4))) for _ in range(8)]


def query_truth(rng, common, labels):
    """The true set of one query, as zeros and ones."""
    truth = [0] * labels
    for label in rng.choice(common):
        truth[label] = 1
    if rng.random() < 0.3:
        truth[rng.randrange(labels)] ^= 1
    return truth


def main():
    output = sys.argv[1]
    teachers, queries, labels = [int(word) for word in sys.argv[2:5]] + [100, 500, 20][len(sys.argv) - 2:]
    rng = random.Random(45)
    common = patterns(rng, labels)
    truths = [query_truth(rng, common, labels) for _ in range(queries)]
    wrong = [[rng.choice((0.005, 0.005, 0.005, 0.005, 0.03, 0.03, 0.1, 0.35)) for _ in range(labels)] for _ in range(queries)]
    marks = bytes(mark ^ (rng.random() < chance) for _ in range(teachers) for truth, chances in zip(truths, wrong)
                  for mark, chance in zip(truth, chances))
    header = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({teachers}, {queries}, {labels}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(output, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + marks)


main()
