#!/usr/bin/env python3
"""Draws the pictures of the manual: of every kind, from runs on the sample votes and on simulated ones.

usage: gallery.py PATE SOURCE_DIR [--update]

Pictures are in cli/commands/pictures. Without --update they are compared with what is drawn now, which
another version of gnuplot may draw differently: then the data alone are drawn anew, and it says so.
Without gnuplot it is skipped, with status 77.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PATE, SOURCE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
PICTURES = SOURCE / "cli/commands/pictures"
VOTES = f"{SOURCE}/sample_votes/digits_100_counts.npy"
MECHANISM = "--threshold 60 --sigma1 15 --sigma2 15 --delta 1e-5"
LABELS = f"{SOURCE}/sample_votes/digits_100_labels.npy"
# Ensembles of several sizes whose teachers are worse the more there are, as each has less data.
ENSEMBLES = {10: 0.85, 50: 0.75, 250: 0.65}
SIMULATED = {f"{count}.npy": f"simulate --teachers {count} --classes 10 --queries 200 --accuracy {accuracy} --correlation 0.05 "
                             f"--seed 17 --labels-output {count}_labels.npy" for count, accuracy in ENSEMBLES.items()}
# What makes the reports, and of which the pictures are.
REPORTS = {
    "run.json": f"analyze {SOURCE}/sample_votes/digits_100_predictions.npy --layout predictions --classes 10 --queries 200 "
                f"{MECHANISM} --exact",
    "bounds.json": f"analyze {VOTES} --queries 200 {MECHANISM}",
    "laplace.json": f"analyze {VOTES} --queries 200 --laplace-scale 15 --delta 1e-5",
    "votes.json": f"inspect {VOTES} --threshold 60 --sigma1 15",
    "grid.json": f"tune {VOTES} --queries 200 --threshold 40:80:5 --sigma1 10:30:2 --sigma2 15 --delta 1e-5",
    "gaussian.json": f"tune {VOTES} --queries 200 --labels {LABELS} --sigma2 log:2:100:25 --delta 1e-5",
    "laplace_scales.json": f"tune {VOTES} --queries 200 --labels {LABELS} --laplace-scale log:2:100:25 --delta 1e-5",
    **{f"{count}_teachers.json": f"tune {count}.npy --labels {count}_labels.npy --laplace-scale log:1:200:24 --delta 1e-5"
       for count in ENSEMBLES},
    "published.json": f"release {VOTES} --teachers 100 --queries 200 {MECHANISM} --as-published --sensitivity-curve --dry-run "
                      "--order 6",
    **{f"lead{teachers}.json": f"inspect votes{teachers}.npy" for teachers in (10, 25, 50, 100, 250)},
    **{f"noise{teachers}.json": f"tune votes{teachers}.npy --labels labels{teachers}.npy --laplace-scale 2,3,4,6,8,12,20,40 "
                                "--delta 1e-5" for teachers in (10, 100, 250)},
    "darrm.json": "darrm --setting independent-fresh --teachers 11 --queries 1 --epsilon 0.1 --m 3",
}
LEADS = "--classes 10 --queries 300 --accuracy 0.8 --correlation 0.05 --seed 3"
# What a kind is given beside its reports.
OPTIONS = {"cumulative": ["--label", "Confident GNMax,LNMax"],
           "accuracy": ["--label", "10 teachers,100 teachers,250 teachers"]}
# By picture: its kind, which is its name where none is said, and its reports.
PICTURES_OF = {
    "cumulative": ["bounds.json", "laplace.json"], "partition": ["run.json"], "votes": ["votes.json"],
    "gaps": ["votes.json"], "orders": ["run.json"], "pareto": ["grid.json"], "heatmap": ["grid.json"],
    "teachers": ["run.json"], "sensitivity": ["published.json"], "profile": ["run.json"], "gamma": ["darrm.json"],
    "parameter": ["gaussian.json"],
    "parameter of ensembles": [f"{count}_teachers.json" for count in ENSEMBLES],
    "pareto of reports": ["gaussian.json", "laplace_scales.json"],
    "ensembles": [f"lead{teachers}.json" for teachers in (10, 25, 50, 100, 250)],
    "accuracy": [f"noise{teachers}.json" for teachers in (10, 100, 250)],
}


def pate(arguments, directory):
    done = subprocess.run([PATE, *arguments], cwd=directory, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"pate {' '.join(arguments)}: {done.stderr}")


def producer(picture):
    return re.search(r"Produced by (GNUPLOT [^<\n]*)", picture).group(1)


def main():
    update = "--update" in sys.argv[3:]
    if shutil.which("gnuplot") is None:
        print("skipped: gnuplot is not installed")
        sys.exit(77)
    failures = 0
    offered = re.findall(r"^ +([a-z]+)  ", subprocess.run([PATE, "plot", "--help"], capture_output=True, text=True,
                                                           check=True).stdout, re.M)
    kinds = {picture.split()[0] for picture in PICTURES_OF}
    missing = kinds - set(offered)
    if missing:
        sys.exit(f"kinds that pate plot --help does not have: {sorted(missing)}")
    with tempfile.TemporaryDirectory() as directory:
        for teachers in (10, 25, 50, 100, 250):
            pate([*f"simulate --teachers {teachers} {LEADS} --quiet -o votes{teachers}.npy --labels-output "
                   f"labels{teachers}.npy".split()], directory)
        for name, command in {**SIMULATED, **REPORTS}.items():
            pate([*command.split(), "--quiet", "-o", name], directory)
        for picture, reports in PICTURES_OF.items():
            pate(["plot", *reports, "--kind", picture.split()[0], *OPTIONS.get(picture, []), "-o", "drawn.svg", "--quiet"], directory)
            drawn = (pathlib.Path(directory) / "drawn.svg").read_text()
            kept = PICTURES / f"{picture.replace(' ', '_')}.svg"
            if update:
                kept.write_text(drawn)
                continue
            committed = kept.read_text()
            if producer(committed) != producer(drawn):
                print(f"skipped: {kept.name} is by {producer(committed)}, here is {producer(drawn)}")
            elif committed != drawn:
                failures += 1
                print(f"{kept}: what is drawn now differs; look at it, then --update")
    print(f"{len(PICTURES_OF)} pictures drawn, {failures} differ")
    sys.exit(1 if failures else 0)


main()
