"""A release build's programs, with mutants compiled into them."""
import concurrent.futures
import hashlib
import json
import pathlib
import re
import sys
import threading

from changes import emitted, mutants_of
from files import digest_of, run, write
from header import HEADER, MOST
from tokens import Text

PER_FILE = 2048  # numbers of mutants: those of other files stay what they are when one changes
COMMANDS = "commands"  # pate_commands is the target of all of the program but main


class Objects:
    """The objects of the release build that hold a mutated source, and how each source is compiled."""

    def __init__(self, rooms, build, files):
        self.kept, self.commands, self.alone, self.units = [], {}, {}, {}
        for entry in json.loads((build / "compile_commands.json").read_text()):
            output = re.search(r" -o (CMakeFiles/pate_(\w+)\.dir/\S*\.o) ", entry["command"])
            if not output or output.group(2) not in (*rooms.there, COMMANDS):
                continue
            file = pathlib.Path(entry["file"])
            its = [file] if build not in file.parents else [
                pathlib.Path(name) for name in re.findall(r'(?m)^#include "([^"]*\.cpp)"', file.read_text())]
            if not any(rooms.mutates(path) and (not files or path in files) for path in its):
                if not output.group(1).endswith(".gch"):
                    self.kept.append(build / output.group(1))
                continue
            if files and its != [file]:
                its = [path for path in its if path in files]
                self.units[build / output.group(1)] = (file, its)
            for path in its:
                self.commands[path] = entry["command"].split(" -o ")[0]
                if path == file:
                    self.alone[path] = build / output.group(1)
        if not self.commands:
            sys.exit(f"{build}: its compile_commands.json has no source of {', '.join(rooms.named)}")


class Compiler:
    """Compiles every source with the mutants asked for, but for those that do not compile."""

    def __init__(self, rooms, build, work, files=()):
        self.rooms, self.source, self.build, self.work = rooms, rooms.source, build, work
        self.objects = Objects(rooms, build, files)
        self.header = work / "pate_mutants.hpp"
        write(self.header, HEADER)
        self.kept_file = work / "compiled.json"
        self.kept = json.loads(self.kept_file.read_text()) if self.kept_file.exists() else {}
        headers = [p for folder in ("lib", "cli") for p in sorted((self.source / folder).rglob("*.hpp"))]
        self.common = digest_of(HEADER, *(p.read_text() for p in headers))
        self.lock = threading.Lock()
        self.mutated = set()

    def object_of(self, path):
        """Without a mutant it is that of the release build."""
        if path in self.objects.alone and path not in self.mutated:
            return self.objects.alone[path]
        return self.work / "objects" / (str(path.relative_to(self.source)).replace("/", "_") + ".o")

    def __call__(self, path, tokens, its):
        """The mutants left."""
        if not its and (path in self.objects.alone or self.objects.units):
            return []
        self.mutated.add(path)
        name, target = str(path.relative_to(self.source)), self.object_of(path)
        digest = digest_of(self.common, self.objects.commands[path], path.read_text(), *(f"{m['id']} {m['name']}" for m in its))
        if self.kept.get(name, {}).get("digest") == digest and target.exists():
            return [m for m in its if m["name"] in set(self.kept[name]["names"])]
        text_file = self.work / "sources" / name
        command = (f"{self.objects.commands[path]} -w -include {self.header} -I{path.parent} -fmax-errors=0 "
                   f"-o {target} -c {text_file}")
        target.parent.mkdir(parents=True, exist_ok=True)
        for _ in range(40):
            text, lines = emitted(tokens, its)
            write(text_file, text)
            done = run(["sh", "-c", command], cwd=self.build)
            if done.returncode == 0:
                break
            wrong = set()
            for block in re.split(r"(?m)^(?=\S*: (?:In |At )|\S*:\d+:\d+: error)", done.stdout):
                for place in (int(n) for n in re.findall(rf"{re.escape(path.name)}:(\d+):", block)):
                    around = [(last - first, mutant) for mutant, (first, last) in lines.items() if first <= place <= last]
                    if around:
                        wrong.add(min(around)[1])
                        if "error" in block:
                            break
            if not wrong:
                sys.exit(f"{name}: cannot tell which mutant is wrong\n{done.stdout[:3000]}")
            its = [mutant for mutant in its if mutant["id"] not in wrong]
        else:
            sys.exit(f"{name}: does not compile\n{done.stdout[:3000]}")
        with self.lock:
            self.kept[name] = {"digest": digest, "names": [mutant["name"] for mutant in its]}
            self.kept_file.write_text(json.dumps(self.kept))
        return its

    def unit(self, kept):
        """The object that several sources share, with those that are mutated: compiled again, or that of the build."""
        file, its = self.objects.units[kept]
        its = [path for path in its if path in self.mutated]
        if not its:
            return kept
        text = file.read_text()
        for path in its:
            text = text.replace(f'#include "{path}"', f'#include "{self.work / "sources" / path.relative_to(self.source)}"')
        name = str(kept.relative_to(self.build)).replace("/", "_")
        unit, target = self.work / "units" / f"{name}.cxx", self.work / "objects" / name
        write(unit, text)
        done = run(["sh", "-c", f"{self.objects.commands[its[0]]} -w -include {self.header} "
                    f"{' '.join(f'-I{path.parent}' for path in its)} -o {target} -c {unit}"], cwd=self.build)
        if done.returncode != 0:
            sys.exit(f"{file}: does not compile\n{done.stdout[:3000]}")
        return target


def chosen_of(compiler, count, seed, only, jobs):
    """`count` mutants that compile, the first by a hash, compiled into their objects."""
    sources, order = {}, []
    for index, path in enumerate(compiler.rooms.sources()):
        name = str(path.relative_to(compiler.source))
        if path not in compiler.objects.commands or not compiler.rooms.mutates(path):
            continue  # of a room that is not mutated, or for another processor
        tokens, its = mutants_of(name, path.read_text())
        if len(its) > PER_FILE or PER_FILE * (index + 1) > MOST:
            sys.exit(f"{name}: too many mutants, or sources before it")
        for number, mutant in enumerate(its):
            mutant["id"] = PER_FILE * index + number
        sources[path] = tokens
        order += [m for m in its if only in name]
    if not order:
        sys.exit(f"no source of {', '.join(compiler.rooms.named)} has {only or 'anything'} to change")
    order.sort(key=lambda m: hashlib.sha256(f"{seed} {m['name']}".encode()).hexdigest())
    possible, asked, good = len(order), count * 9 // 8, []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        while True:
            first = order[:asked]
            its = {path: [m for m in first if compiler.source / m["file"] == path] for path in compiler.objects.commands}
            for path in its.keys() - sources.keys():  # shares an object with mutated ones
                sources[path] = Text(path.read_text())
            good = [m["id"] for left in pool.map(lambda path: compiler(path, sources[path], its[path]), its) for m in left]
            good = set(good)
            if len(good) >= count or asked >= possible:
                return [m for m in first if m["id"] in good][:count]
            asked += count // 8 + 1


def link(compiler, jobs, programs):
    """These programs of the release build with the mutated objects; what they are made of, as a digest."""
    archive = compiler.work / "libpate.a"  # of the library, and of the program
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        objects = list(pool.map(compiler.unit, compiler.objects.units))
    shared = {path for _, its in compiler.objects.units.values() for path in its}
    objects += [compiler.object_of(path) for path in compiler.objects.commands if path not in shared]
    archive.unlink(missing_ok=True)
    done = run(["ar", "qcs", archive, *compiler.objects.kept, *objects])
    for program in programs:
        if done.returncode != 0:
            sys.exit(done.stdout)
        commands = run(["ninja", "-C", compiler.build, "-t", "commands", program]).stdout
        command = next(c for c in commands.split(" && ") if re.search(rf" -o (tests/)?{program} ", c))
        command = re.sub(rf" -o (tests/)?{program} ", f" -o {compiler.work / program} ", command)
        command = re.sub(r" libpate(_commands)?\.a(?= |$)", f" {archive}", command)
        done = run(["sh", "-c", command], cwd=compiler.build)
    if done.returncode != 0:
        sys.exit(done.stdout)
    return digest_of(compiler.common, *(compiler.kept[str(path.relative_to(compiler.source))]["digest"] if path in compiler.mutated
                                        else path.read_text() for path in sorted(compiler.objects.commands)))
