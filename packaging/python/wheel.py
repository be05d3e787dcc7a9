#!/usr/bin/env python3
"""Packs the Python package and the program as a wheel, with the standard library alone.

usage: wheel.py STAGE DIRECTORY [--platform TAG]

STAGE is what `make tarball` packs: bin/pate, and in share/doc/pate what is to be said of the libraries in it. The wheel
is DIRECTORY/pate_accountant-VERSION-py3-none-TAG.whl; TAG is manylinux_2_17 of this machine, of which a program must be
linked statically: another is refused, and wants a TAG of its own, as linux_x86_64. The same STAGE gives the same bytes.
"""
import argparse
import base64
import hashlib
import pathlib
import platform
import re
import struct
import sys
import zipfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = SOURCE / "cli/python/pate"
NAME = "pate_accountant"
DATE = (1980, 1, 1, 0, 0, 0)  # the first that an archive can have: none of ours is told
# pate-analyze and pate-tune are pate by another name; a wheel has no links.
OTHER_NAME = '#!/bin/sh\nexec "$(dirname "$(readlink -f "$0")")/pate" {} "$@"\n'

METADATA = """Metadata-Version: 2.1
Name: pate-accountant
Version: {version}
Summary: {summary}
License: Apache-2.0
Keywords: privacy,differential privacy,PATE
Classifier: Environment :: Console
Classifier: Intended Audience :: Science/Research
Classifier: License :: OSI Approved :: Apache Software License
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Python :: 3
Classifier: Topic :: Scientific/Engineering
Classifier: Typing :: Typed
Requires-Python: >=3.9
Description-Content-Type: text/markdown

{description}"""
WHEEL = "Wheel-Version: 1.0\nGenerator: packaging/python/wheel.py\nRoot-Is-Purelib: false\nTag: py3-none-{platform}\n"


def project():
    """Version and summary, as the build has them."""
    text = (SOURCE / "CMakeLists.txt").read_text(encoding="utf-8")
    version = re.search(r"^  VERSION (\S+)$", text, re.M)[1]
    of_package = re.search(r'^__version__ = "(\S+)"$', (PACKAGE / "running.py").read_text(encoding="utf-8"), re.M)[1]
    if version != of_package:
        sys.exit(f"cli/python/pate/running.py has version {of_package}, CMakeLists.txt {version}")
    return version, re.search(r'^  DESCRIPTION "(.*)"$', text, re.M)[1]


def loads_libraries(program):
    """Whether a program in ELF (64 bits, little endian) wants a loader: it has a segment PT_INTERP."""
    if program[:6] != b"\x7fELF\x02\x01":
        sys.exit("the program is no ELF of 64 bits")
    offset, = struct.unpack_from("<Q", program, 32)
    size, count = struct.unpack_from("<HH", program, 54)
    return any(struct.unpack_from("<I", program, offset + i * size)[0] == 3 for i in range(count))


def contents(stage, version, summary, tag):
    """Every file by its name in the archive: content, and whether it is to be run."""
    program = (stage / "bin/pate").read_bytes()
    if tag.startswith("manylinux") and loads_libraries(program):
        sys.exit(f"{stage}/bin/pate loads libraries, which {tag} must not: link it statically (make wheel), or say --platform linux_{platform.machine()}")
    files = {f"pate/{path.name}": (path.read_bytes(), False)
             for path in sorted(PACKAGE.iterdir()) if path.suffix in (".py", ".pyi", ".typed") or path.name == "py.typed"}
    scripts, info = f"{NAME}-{version}.data/scripts", f"{NAME}-{version}.dist-info"
    files[f"{scripts}/pate"] = (program, True)
    for command in ("analyze", "tune"):
        files[f"{scripts}/pate-{command}"] = (OTHER_NAME.format(command).encode(), True)
    for path in [SOURCE / "LICENSE", *sorted((stage / "share/doc/pate").glob("copyright-*")), *(stage / "share/doc/pate").glob("*.spdx.json")]:
        files[f"{info}/licenses/{path.name}"] = (path.read_bytes(), False)
    description = (SOURCE / "cli/python/README.md").read_text(encoding="utf-8")
    files[f"{info}/METADATA"] = (METADATA.format(version=version, summary=summary, description=description).encode(), False)
    files[f"{info}/WHEEL"] = (WHEEL.format(platform=tag).encode(), False)
    return files, f"{info}/RECORD"


def digest(content):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1])
    parser.add_argument("stage", type=pathlib.Path)
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--platform", default=f"manylinux_2_17_{platform.machine()}")
    arguments = parser.parse_args()
    version, summary = project()
    files, record = contents(arguments.stage, version, summary, arguments.platform)
    lines = [f"{name},{digest(content)},{len(content)}" for name, (content, _) in files.items()]
    files[record] = ("\n".join([*lines, f"{record},,"]) + "\n", False)

    arguments.directory.mkdir(parents=True, exist_ok=True)
    wheel = arguments.directory / f"{NAME}-{version}-py3-none-{arguments.platform}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, (content, is_program) in files.items():
            entry = zipfile.ZipInfo(name, DATE)
            entry.external_attr = (0o100755 if is_program else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    print(wheel)


if __name__ == "__main__":
    main()
