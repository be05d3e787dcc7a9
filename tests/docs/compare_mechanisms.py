#!/usr/bin/env python3
"""What the mechanisms answer at one total (epsilon, delta): keeps the table of lib/pate/studies/immutable_argmax/README.md.

usage: compare_mechanisms.py PATE SOURCE_DIR [--update]

For every number of queries each mechanism gets the noise with which `pate plan` says that they cost
EPSILON at DELTA whatever the votes are; `pate analyze` then says what it answers of the first so many
queries of sample_votes, and how rightly. Of NZC the row is what its authors claim, by `pate nzc`.
Without --update the table must be what it comes to.
"""
import json
import pathlib
import subprocess
import sys

PATE, SOURCE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
PAGE = SOURCE / "lib/pate/studies/immutable_argmax/README.md"
BEGIN, END = "<!-- compared: by tests/docs/compare_mechanisms.py -->\n", "<!-- end -->\n"
VOTES, LABELS = (f"sample_votes/digits_100_{what}.npy" for what in ("counts", "labels"))
EPSILON, DELTA = 8, 1e-5
QUERIES = (10, 25, 100, 400)


def report(*arguments):
    """The JSON report of a command."""
    done = subprocess.run([PATE, *map(str, arguments), "--delta", str(DELTA), "--json", "--quiet"], cwd=SOURCE,
                          stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def solved(parameter, queries, *given):
    """The least noise that keeps the target."""
    return report("plan", *given, "--queries", queries, "--epsilon", EPSILON, "--solve", parameter)["solved"]["value"]


def mechanisms(queries):
    """Names and options. Of the Confident aggregator the check gets half of the budget, of PTR the queries
    half of delta."""
    yield "LNMax", ("--laplace-scale", solved("laplace-scale", queries))
    sigma2 = solved("sigma2", queries)
    yield "GNMax", ("--sigma2", sigma2)
    yield "Confident, T = 50 %", ("--threshold", "50%", "--sigma1", sigma2,
                                  "--sigma2", solved("sigma2", queries, "--sigma1", sigma2))
    query_delta = ("--ptr-delta", DELTA / 2 / queries)
    yield "PTR", ("--ptr-sigma", solved("ptr-sigma", queries, *query_delta), *query_delta)
    yield "PTR, sparse, 2 refusals", ("--ptr-sparse", EPSILON / 2, "--max-refusals", 2, "--ptr-delta", DELTA / 4)


def rows():
    """The lines of the table."""
    yield "| queries | mechanism | noise, in votes | answered | accuracy | right labels | epsilon of these votes |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for queries in QUERIES:
        chosen = (VOTES, "--queries", f"0:{queries}", "--labels", LABELS)
        for name, options in mechanisms(queries):
            its = report("analyze", *chosen, *options)
            answered, accuracy = its["answered"]["expected"], its["utility"]["expected_accuracy"]
            noise = its["mechanism"]
            noises = ", ".join(f"{noise[key]:.2f}" for key in ("sigma1", "test_scale", "laplace_scale", "sigma2") if key in noise)
            yield (f"| {queries} | {name} | {noises} | {answered:.1f} | {100 * accuracy:.1f} % | "
                   f"{answered * accuracy:.1f} | {its['headline']['epsilon']:.2f} |")
        nzc = report("nzc", *chosen, "--scale", 1e10, "--constant", 1e100)
        accuracy = nzc["votes"]["utility"]["accuracy_at_least"]
        claim = nzc["claimed_by_authors"]
        assert not claim["holds"]
        yield (f"| {queries} | NZC, claimed: **not true** | 1e10 | {queries}.0 | {100 * accuracy:.1f} % | "
               f"{queries * accuracy:.1f} | claimed {claim['epsilon']:.1e}; one answer may lose "
               f"{nzc['boundary']['loss']:.0e} |")


def main():
    table = BEGIN + "\n".join(rows()) + "\n" + END
    page = PAGE.read_text(encoding="utf-8")
    begin, end = page.index(BEGIN), page.index(END) + len(END)
    if "--update" in sys.argv[3:]:
        PAGE.write_text(page[:begin] + table + page[end:], encoding="utf-8")
    elif page[begin:end] != table:
        sys.exit(f"{PAGE}: expected\n{table}")
    print(table)


main()
