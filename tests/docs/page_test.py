#!/usr/bin/env python3
"""Looks at the pages of `pate report` in headless Chromium.

usage: page_test.py PATE SOURCE_DIR CACHE_DIR

A private and a public page are rendered as a phone, a desktop and in the dark, and printed. Nothing may be wider
than the window, the console stays empty, no address leads elsewhere, and the accessibility check axe-core, which is
downloaded once into CACHE_DIR, finds nothing. Exit status 77 where Chromium or axe-core cannot be had.
"""
import base64
import hashlib
import io
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import urllib.request

PATE, SOURCE, CACHE = (pathlib.Path(path).resolve() for path in sys.argv[1:4])
AXE = "https://registry.npmjs.org/axe-core/-/axe-core-4.10.3.tgz"
AXE_SHA256 = "0f2b4d7dcdf7d1219df8d1959ad68e565f51d14c3f0d88bb71cd59abeb956292"
VIEWS = {"phone": ["--window-size=500,900"], "desktop": ["--window-size=1300,900"],
         "dark": ["--window-size=1300,900", "--blink-settings=preferredColorScheme=0"]}
# What the check writes into the page, for --dump-dom to show.
CHECK = """<script>
axe.run({resultTypes: ["violations"]}).then(result => {
  const found = {width: document.documentElement.scrollWidth, window: window.innerWidth,
    dark: matchMedia("(prefers-color-scheme: dark)").matches,
    images: [...document.images].map(image => image.naturalWidth),
    violations: result.violations.map(v => v.id + ": " + v.nodes.map(n => n.html.slice(0, 200)).join(" | "))};
  document.body.innerHTML = "<pre id=found>" + btoa(unescape(encodeURIComponent(JSON.stringify(found)))) + "</pre>";
});
</script>"""


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def axe():
    kept = CACHE / "axe-core-4.10.3.min.js"
    if not kept.exists():
        try:
            with urllib.request.urlopen(AXE, timeout=60) as answer:
                archive = answer.read()
        except OSError as error:
            skip(f"axe-core cannot be downloaded: {error}")
        if hashlib.sha256(archive).hexdigest() != AXE_SHA256:
            sys.exit(f"{AXE}: another file than expected")
        with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
            text = tar.extractfile("package/axe.min.js").read()
        CACHE.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(text)
    return kept.read_text()


def run(command, cwd):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{command}: {done.stderr}")
    return done


def chromium(program, directory, *options):
    return run([program, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                f"--user-data-dir={directory}/profile", *options], directory)


def check(program, directory, page, script):
    failures = []
    text = (directory / page).read_text()
    for address in re.findall(r"(?:src|href)=\"([^\"]*)\"|url\(([^)]*)\)", text):
        if not "".join(address).startswith("data:"):
            failures.append(f"an address: {address}")
    if "<script" in text:
        failures.append("a script")
    (directory / "checked.html").write_text(text.replace("</body>", f"<script>{script}</script>{CHECK}</body>"))
    for view, options in VIEWS.items():
        done = chromium(program, directory, *options, "--virtual-time-budget=30000", "--enable-logging=stderr",
                        "--dump-dom", f"file://{directory}/checked.html")
        failures += [f"{view}: console: {line}" for line in done.stderr.splitlines() if ":CONSOLE" in line]
        found = re.search(r"<pre id=\"found\">([^<]*)</pre>", done.stdout)
        if not found:
            failures.append(f"{view}: the accessibility check did not end")
            continue
        result = json.loads(base64.b64decode(found.group(1)))
        if result["width"] > result["window"]:
            failures.append(f"{view}: {result['width']} wide, the window {result['window']}")
        if result["dark"] != (view == "dark"):
            failures.append(f"{view}: the wrong colours are looked at")
        if not all(result["images"]):
            failures.append(f"{view}: an image is not drawn")
        failures += [f"{view}: {violation}" for violation in result["violations"]]
    chromium(program, directory, f"--print-to-pdf={directory}/page.pdf", f"file://{directory}/{page}")
    if not (directory / "page.pdf").read_bytes().startswith(b"%PDF"):
        failures.append("it does not print")
    return [f"{page}: {failure}" for failure in failures]


def main():
    program = shutil.which("chromium")
    if program is None:
        skip("there is no chromium")
    script = axe()
    votes = f"{SOURCE}/sample_votes/digits_100_counts.npy"
    mechanism = "--threshold 60 --sigma1 15 --sigma2 15 --delta 1e-5".split()
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        run([PATE, "analyze", votes, "--queries", "200", *mechanism, "--exact", "--quiet", "-o", "run.json"], name)
        run([PATE, "inspect", votes, "--quiet", "-o", "votes.json"], name)
        run([PATE, "tune", votes, "--queries", "100", "--threshold", "40:80:10", "--sigma1", "10:30:5", "--sigma2",
             "15", "--delta", "1e-5", "--quiet", "-o", "grid.json"], name)
        run([PATE, "compose", "run.json", "--public-only", "--quiet", "-o", "public.json"], name)
        run([PATE, "report", "run.json", "votes.json", "grid.json", "-o", "private.html"], name)
        run([PATE, "report", "public.json", "--public-only", "-o", "public.html"], name)
        failures = check(program, directory, "private.html", script) + check(program, directory, "public.html", script)
    for failure in failures:
        print(failure)
    print(f"2 pages in {len(VIEWS)} views, {len(failures)} failures")
    sys.exit(1 if failures else 0)


main()
