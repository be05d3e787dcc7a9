#!/usr/bin/env python3
"""The job arrays of cli/README.md run on a Slurm cluster of one node and find what one command does.

usage: slurm_test.py PATE SOURCE_DIR

munged, slurmctld and slurmd (Debian munge, slurm-wlm) are started in a directory of their own, with ports of their
own, and end with the test. Exit status 77 where they are missing or do not start: they need root.
"""
import contextlib
import ctypes
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

PATE, SOURCE = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
DAEMONS = ("munged", "slurmctld", "slurmd")
CONFIGURATION = """ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={place}/munge/socket
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
StateSaveLocation={place}/state
SlurmdSpoolDir={place}/spool
SlurmctldPidFile={place}/slurmctld.pid
SlurmdPidFile={place}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MailProg=/bin/true
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0,bf_interval=1
NodeName={host} NodeAddr=127.0.0.1 CPUs=16 RealMemory=64000 State=UNKNOWN
PartitionName=all Nodes={host} Default=YES State=UP
"""
# What the manual submits, and the same by one command.
WHOLE = {
    "analyze": ("run.json", "--threshold 60 --sigma1 15 --sigma2 15 --delta 1e-5",
                lambda report: (report["queries"], report["costs"])),
    "tune": ("tuned.json", "--threshold 40:80:10 --sigma1 10:40:10 --sigma2 10:40:5 --delta 1e-5 --goal private --max-epsilon 10",
             lambda report: (report["best"], report["points"])),
}


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def scripts(kind):
    """The script of a job array and the commands that submit it, as the manual has them."""
    blocks = re.findall(r"^```sh\n(.*?)^```", (SOURCE / "cli/README.md").read_text(), re.M | re.S)
    script, = (block for block in blocks if f"--job-name={kind} " in block)
    submit, = (block for block in blocks if f"{kind}.sbatch" in block)
    return script, submit


def free_ports(count):
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def end_with_the_test():
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


@contextlib.contextmanager
def cluster(place):
    """The environment of a cluster's users."""
    for name in ("munge", "state", "spool"):
        (place / name).mkdir(mode=0o755)
    key = place / "munge/key"
    key.write_bytes(os.urandom(128))
    key.chmod(0o600)
    host = socket.gethostname().split(".")[0]
    (place / "slurm.conf").write_text(CONFIGURATION.format(host=host, place=place, ports=free_ports(2)))
    environment = dict(os.environ, SLURM_CONF=str(place / "slurm.conf"), PATH=f"{PATE.parent}:{os.environ['PATH']}")
    munge = [f"--{name}-file={place}/munge/{name}" for name in ("key", "pid", "log", "seed")]
    daemons = []

    def start(*command):
        log = (place / f"{command[0]}.log").open("w")
        daemons.append(subprocess.Popen(command, env=environment, stdout=log, stderr=log, preexec_fn=end_with_the_test))

    def wait_until(ready):
        until = time.monotonic() + 30
        while not ready():
            if time.monotonic() > until or any(daemon.poll() is not None for daemon in daemons):
                logs = "\n".join(f"{name}: {(place / f'{name}.log').read_text()[-1500:]}" for name in DAEMONS
                                 if (place / f"{name}.log").exists())
                skip(f"no Slurm cluster starts here:\n{logs}")
            time.sleep(0.1)

    def node_is_idle():
        return subprocess.run(["sinfo", "-h", "-o", "%T"], env=environment, capture_output=True, text=True,
                              check=False).stdout.strip() == "idle"

    try:
        start("munged", "--foreground", f"--socket={place}/munge/socket", *munge)
        wait_until((place / "munge/socket").exists)
        start("slurmctld", "-D")
        start("slurmd", "-D")
        wait_until(node_is_idle)
        yield environment
        subprocess.run(["scancel", "--user=root"], env=environment, check=False, capture_output=True)
    finally:
        for daemon in reversed(daemons):
            daemon.terminate()
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()


def submit(kind, place, environment):
    directory = place / kind
    directory.mkdir()
    (directory / "votes.npy").symlink_to(SOURCE / "sample_votes/digits_100_counts.npy")
    script, commands = scripts(kind)
    (directory / f"{kind}.sbatch").write_text(script)
    return subprocess.Popen(["bash", "-ec", commands], cwd=directory, env=environment, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def failures(kind, place, job):
    directory = place / kind
    try:
        said = job.communicate(timeout=120)[0]
    except subprocess.TimeoutExpired:
        job.kill()
        return [f"{kind}: the jobs have not ended"]
    logs = "".join(f"{path.name}: {path.read_text()}" for path in sorted(directory.glob("*.log")))
    if job.returncode != 0:
        return [f"{kind}: status {job.returncode}: {said}{logs}"]
    name, options, look_at = WHOLE[kind]
    parts = int(re.search(r"--array=1-(\d+)", scripts(kind)[0]).group(1))
    if len(list(directory.glob("*[1-9].json"))) != parts:
        return [f"{kind}: there are not {parts} parts: {sorted(path.name for path in directory.iterdir())}"]
    subprocess.run([PATE, kind, "votes.npy", *options.split(), "--quiet", "-o", "whole.json"], cwd=directory, check=True)
    together, whole = (look_at(json.loads((directory / file).read_text())) for file in (name, "whole.json"))
    return [] if together == whole else [f"{kind}: {together} together, {whole} by one command"]


def main():
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    missing = [name for name in (*DAEMONS, "sbatch", "sinfo") if shutil.which(name) is None]
    if missing:
        skip(f"not installed: {', '.join(missing)}")
    if os.getuid() != 0:
        skip("a cluster is started by root only")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with tempfile.TemporaryDirectory(prefix="slurm") as name:
        place = pathlib.Path(name)
        place.chmod(0o755)
        with cluster(place) as environment:
            jobs = {kind: submit(kind, place, environment) for kind in WHOLE}
            found = [failure for kind, job in jobs.items() for failure in failures(kind, place, job)]
    for failure in found:
        print(failure)
    print(f"{len(WHOLE)} job arrays, {len(found)} failures")
    sys.exit(1 if found else 0)


main()
