#!/usr/bin/env python3
"""Looks at the pages of `pate report` in headless Chromium.

usage: page_test.py PATE SOURCE_DIR CACHE_DIR

A private and a public page are rendered on a phone, 390 pixels wide, and on a desktop, in the light and in the
dark, and as they are printed. Nothing may be wider than the window, the console stays empty, no address leads
elsewhere, and the accessibility check axe-core, which is downloaded once into CACHE_DIR, finds nothing. A page in
which it must find something shows that it looks. Exit status 77 where Chromium or axe-core cannot be had.
"""
import base64
import hashlib
import io
import itertools
import json
import os
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
# Width and height of the window, dark or not, and what for.
VIEWS = {"phone": (390, 844, "light", "screen"), "phone, dark": (390, 844, "dark", "screen"),
         "desktop": (1300, 900, "light", "screen"), "desktop, dark": (1300, 900, "dark", "screen"),
         "print": (794, 1123, "light", "print")}
CHECK = """axe.run({resultTypes: ["violations"]}).then(result => ({
  width: document.documentElement.scrollWidth, window: window.innerWidth,
  dark: matchMedia("(prefers-color-scheme: dark)").matches, print: matchMedia("print").matches,
  hidden: [...document.querySelectorAll("th")].filter(cell => cell.textContent == "may be published")
    .map(cell => cell.getBoundingClientRect().right).filter(right => right > window.innerWidth).length,
  unanswered: [...document.querySelectorAll(".box")].map(box => box.textContent)
    .filter(text => !["May it be printed", "What was done", "How much", "When", "By pate"].every(word => text.includes(word))),
  below: [...document.querySelectorAll(".box")].slice(0, 1).flatMap(box => [...box.querySelectorAll("dt")])
    .filter(dt => ["May it be printed", "How much", "Who is protected"].includes(dt.textContent))
    .filter(dt => dt.nextElementSibling.getBoundingClientRect().bottom + window.scrollY > 844).map(dt => dt.textContent),
  images: [...document.images].map(image => image.naturalWidth), passes: result.passes.length,
  violations: result.violations.map(v => v.id + ": " + v.nodes.map(n => n.html.slice(0, 200)).join(" | "))}))"""
BAD_PAGE = """<!doctype html><html><head><title></title></head><body style="width: 3000px">
<img src="missing.png"><p style="color: #ddd; background: #fff">pale</p><script>console.log("said")</script></body></html>"""


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


class Chromium:
    """A headless Chromium, spoken to through pipes by its DevTools protocol."""

    def __init__(self, program, directory):
        self.counter, self.session, self.buffer, self.events = itertools.count(1), None, b"", []
        (commands, self.to), (self.answers, answers) = os.pipe(), os.pipe()
        self.log = open(directory / "chromium.log", "wb")
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$0" "$@" 3<&{commands} 4>&{answers}', program, "--headless", "--no-sandbox",
             "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={directory}/profile", "--remote-debugging-pipe"],
            pass_fds=(commands, answers), stdout=self.log, stderr=self.log)
        os.close(commands)
        os.close(answers)

    def message(self):
        while b"\0" not in self.buffer:
            read = os.read(self.answers, 1 << 16)
            if not read:
                sys.exit("chromium ended")
            self.buffer += read
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def __call__(self, method, **parameters):
        number = next(self.counter)
        command = {"id": number, "method": method, "params": parameters}
        if self.session:
            command["sessionId"] = self.session
        os.write(self.to, json.dumps(command).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") == number:
                if "error" in answer:
                    sys.exit(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, address):
        """A page, when it is loaded; what its console says is in `events`."""
        self.events.clear()
        self("Page.navigate", url=address)
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.message())

    def start(self):
        target = self("Target.createTarget", url="about:blank")["targetId"]
        self.session = self("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self(f"{domain}.enable")

    def console(self):
        said = [event for event in self.events
                if event.get("method") in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")]
        return [json.dumps(event["params"])[:300] for event in said]

    def end(self):
        self.session = None
        os.write(self.to, b'{"id": 0, "method": "Browser.close"}\0')
        self.process.wait(60)
        self.log.close()


def check(chromium, directory, page, script):
    failures = []
    text = (directory / page).read_text()
    for address in re.findall(r"(?:src|href)=\"([^\"]*)\"|url\(([^)]*)\)", text):
        if not "".join(address).startswith("data:"):
            failures.append(f"an address: {address}")
    if "<script" in text:
        failures.append("a script")
    for view, (width, height, colours, media) in VIEWS.items():
        chromium("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                 mobile="phone" in view)
        chromium("Emulation.setEmulatedMedia", media=media,
                 features=[{"name": "prefers-color-scheme", "value": colours}])
        chromium.open(f"file://{directory}/{page}")
        chromium("Runtime.evaluate", expression=script)
        answer = chromium("Runtime.evaluate", expression=CHECK, awaitPromise=True, returnByValue=True)
        failures += [f"{view}: console: {said}" for said in chromium.console()]
        result = answer["result"].get("value")
        if not result or not result["passes"]:
            failures.append(f"{view}: the accessibility check did not run: {answer}")
            continue
        if result["width"] > width:
            failures.append(f"{view}: {result['width']} wide, the window {width}")
        if result["dark"] != (colours == "dark") or result["print"] != (media == "print"):
            failures.append(f"{view}: another view is looked at")
        if result["hidden"]:
            failures.append(f"{view}: what may be published is right of the window")
        if "phone" in view:
            failures += [f"{view}: not on the first screen: {what}" for what in result["below"]]
        failures += [f"{view}: a first screen without an answer: {text[:100]}" for text in result["unanswered"]]
        if not all(result["images"]):
            failures.append(f"{view}: an image is not drawn")
        failures += [f"{view}: {violation}" for violation in result["violations"]]
    printed = base64.b64decode(chromium("Page.printToPDF", printBackground=True)["data"])
    if not printed.startswith(b"%PDF"):
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
        run([PATE, "label", votes, "--teachers", "100", "--queries", "50", *mechanism, "--write-labels", "labels.npy", "--ledger", "t.ledger",
             "--quiet", "-o", "labels.json"], name)
        run([PATE, "ledger", "t.ledger", "--quiet", "-o", "ledger.json"], name)
        run([PATE, "plan", "--queries", "200", *mechanism, "--quiet", "-o", "plan.json"], name)
        run([PATE, "release", votes, "--teachers", "100", "--queries", "100", "--sigma2", "20", "--delta", "1e-5", "--public-only", "--quiet",
             "-o", "released.json"], name)
        run([PATE, "compose", "run.json", "--public-only", "--quiet", "-o", "public.json"], name)
        run([PATE, "report", "run.json", "votes.json", "grid.json", "labels.json", "plan.json", "ledger.json", "--for", "A hospital",
             "--purpose", "a test", "--model", "student", "--date", "today", "-o", "private.html"], name)
        run([PATE, "report", "public.json", "released.json", "--public-only", "-o", "public.html"], name)
        (directory / "bad.html").write_text(BAD_PAGE)
        chromium = Chromium(program, directory)
        chromium.start()
        bad = " ".join(check(chromium, directory, "bad.html", script))
        failures = [f"not found in a page that has it: {what}"
                    for what in ("an address", "a script", "console: ", "wide, the window 390", "not drawn", "image-alt",
                                 "color-contrast", "html-has-lang", "document-title") if what not in bad]
        for page in ("private.html", "public.html"):
            failures += check(chromium, directory, page, script)
        chromium.end()
    for failure in failures:
        print(failure)
    print(f"2 pages in {len(VIEWS)} views, {len(failures)} failures")
    sys.exit(1 if failures else 0)


main()
