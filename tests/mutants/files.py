"""Commands, files and digests."""
import hashlib
import subprocess


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)


def write(path, text):
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def digest_of(*texts):
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()
