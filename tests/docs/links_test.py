#!/usr/bin/env python3
"""Links between pages lead to files and headings that are there, so do paths that pages name as
code, every command has a page, and lib/PROOFS.md speaks of every bound and every conversion.

usage: links_test.py PATE SOURCE_DIR
"""
import pathlib
import re
import subprocess
import sys

PATE, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()


def pages():
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=SOURCE, capture_output=True, text=True, check=False)
    return [SOURCE / name for name in listed.stdout.split()] or [
        page for page in SOURCE.rglob("*.md") if "build" not in page.relative_to(SOURCE).parts]


def anchors(page):
    """The headings of a page as links call them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    titles = re.findall(r"^#+ (.*)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


def wrong_links(page):
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    text = re.sub(r"`[^`\n]*`", "code", text)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"\w+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists() or (anchor and file.suffix == ".md" and anchor not in anchors(file)):
            yield f"{page.relative_to(SOURCE)}: {target} leads nowhere"


# Folders that a path named as code may begin in, beside that of its page.
ROOTS = ("", "lib/pate", "lib", "tests", "cli", "cli/commands")
# What is no path of this tree: of other projects, made while tests run, or with a word to put in.
ELSEWHERE = re.compile(r"[A-Z]{4,}|^build/|^\.\./shared|^/|^learning/|^pate/\w+/v\d|^pate/pate_main|\.npy$|^exact/profile$")


def wrong_paths(page):
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    for path in re.findall(r"`([A-Za-z_.][\w./-]*/[\w./-]*)`", text):
        if ELSEWHERE.search(path):
            continue
        places = [page.parent / path] + [SOURCE / root / path for root in ROOTS]
        if not any(place.exists() or list(place.parent.glob(place.name + ".*")) for place in places):
            yield f"{page.relative_to(SOURCE)}: no {path} is in this tree"


def unproved():
    """Names of bounds and conversions that the page of proofs does not have."""
    text = (SOURCE / "lib/pate/accounting/names.hpp").read_text()
    page = (SOURCE / "lib/PROOFS.md").read_text()
    for value in re.findall(r"\{(?:Bound|EpsilonMethod|GuaranteeKind)::\w+, \"(\w+)\"\}", text):
        if value not in ("joint", "worst_case") and f"`{value}`" not in page:
            yield f"lib/PROOFS.md says nothing of {value}"


def main():
    found = [wrong for page in pages() for wrong in [*wrong_links(page), *wrong_paths(page)]] + list(unproved())
    text = subprocess.run([PATE, "help"], capture_output=True, text=True, check=True).stdout
    for command in re.findall(r"^  (\S+)", text.split("Commands:")[1].split("\n\n")[0], re.M):
        if not (SOURCE / f"cli/commands/{command}.md").exists():
            found.append(f"cli/commands/{command}.md is missing")
    print("\n".join(found) or f"the links of {len(pages())} pages lead somewhere")
    sys.exit(1 if found else 0)


main()
