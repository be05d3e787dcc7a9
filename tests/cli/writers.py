"""Every command that writes, with the files it writes: what the tests of streams and of permissions go through."""
import dataclasses
import pathlib
import subprocess

MECHANISM = "--threshold 60% --sigma1 150 --sigma2 40 --delta 1e-5".split()
FIXED = "--order 6 --s 4 --beta 0.04".split()


@dataclasses.dataclass
class Writer:
    """A run: its words without an output, and the files it writes, by the option that names each."""
    words: list
    private: dict
    public: dict = dataclasses.field(default_factory=dict)
    ledger: str = ""  # one of the private files

    def files(self):
        """All files by option."""
        return {**self.private, **self.public}

    def line(self, report=True):
        """The whole command line; without its report, that goes to standard output."""
        outputs = [word for option, name in self.files().items() if report or option != "-o" for word in (option, name)]
        return [*self.words, *outputs]

    def quiet(self):
        """No notes and summaries."""
        return [] if self.words[0] == "report" else ["--quiet"]

    def spends(self):
        """Whether a ledger grows: the run cannot be made again for nothing."""
        return bool(self.ledger)


WRITERS = [
    Writer(["analyze", "votes.npy", *MECHANISM], {"-o": "report.json"}),
    Writer(["analyze", "votes.npy", *MECHANISM, "--shard", "1/2"], {"-o": "shard.json"}),
    Writer(["tune", "votes.npy", "--goal", "private", "--sigma2", "20,40", "--delta", "1e-5"], {"-o": "tune.json", "--csv": "points.csv"}),
    Writer(["release", "votes.npy", "--teachers", "250", *MECHANISM, *FIXED], {"-o": "release.json", "--ledger": "release.ledger"},
           ledger="release.ledger"),
    Writer(["release", "votes.npy", "--teachers", "250", *MECHANISM, *FIXED, "--public-only"], {"--ledger": "public.ledger"}, {"-o": "public.json"},
           ledger="public.ledger"),
    Writer(["release", "votes.npy", "--teachers", "250", *MECHANISM, *FIXED, "--dry-run"], {"-o": "dry.json"}),
    Writer(["label", "votes.npy", "--teachers", "250", *MECHANISM],
           {"-o": "label.json", "--write-labels": "labels.npy", "--ledger": "label.ledger"}, ledger="label.ledger"),
    Writer(["label", "votes.npy", "--teachers", "250", *MECHANISM, "--public-only"], {"--ledger": "public_label.ledger"},
           {"-o": "public_label.json", "--write-labels": "public_labels.csv"}, ledger="public_label.ledger"),
    Writer(["darrm", "two.npy", "--setting", "non-private", "--noise-function", "one-vote", "--epsilon", "0.1"],
           {"-o": "darrm.json", "--write-labels": "majority.npy", "--ledger": "darrm.ledger"}, ledger="darrm.ledger"),
    Writer(["darrm", "--teachers", "11", "--setting", "independent-fresh", "--epsilon", "0.1", "--m", "3", "--noise-function", "constant"],
           {}, {"-o": "plan_of_darrm.json"}),
    Writer(["nzc", "votes.npy", "--scale", "20", "--tau", "1e-6", "--delta", "1e-5"], {"-o": "nzc.json"}),
    Writer(["multilabel", "given.csv", "--layout", "counts", "--teachers", "5", "--multilabel", "binary", "--sigma2", "3", "--delta", "1e-5"],
           {"-o": "multilabel.json"}),
    Writer(["ledger", "kept.ledger"], {"-o": "account.json"}),
    Writer(["explain", "votes.npy", "--sigma2", "40", "--delta", "1e-5", "--top", "2"], {"-o": "explain.json"}),
    Writer(["inspect", "votes.npy"], {"-o": "inspect.json"}),
    Writer(["compose", "kept.json"], {"-o": "sum.json"}),
    Writer(["compose", "kept.json", "--public-only"], {}, {"-o": "public_sum.json"}),
    Writer(["plan", "--sigma2", "40", "--queries", "9", "--delta", "1e-5"], {}, {"-o": "plan.json"}),
    Writer(["report", "kept.json", "--no-pictures"], {"-o": "page.html"}),
    Writer(["report", "kept_public.json", "--no-pictures", "--public-only"], {}, {"-o": "public_page.html"}),
    Writer(["table", "kept.json"], {"-o": "table.md"}),
    Writer(["plot", "kept.json", "--kind", "partition", "--script"], {"-o": "partition.gp"}),
    Writer(["plot", "kept_public.json", "--kind", "partition", "--script"], {}, {"-o": "public_partition.gp"}),
    Writer(["simulate", "--queries", "20"], {}, {"-o": "made.npy", "--labels-output": "truth.csv"}),
]


def prepare(pate, root: pathlib.Path):
    """What the runs read."""
    def run(*words):
        subprocess.run([pate, *words, "--quiet"], cwd=root, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    run("simulate", "--queries", "20", "-o", "votes.npy")
    run("simulate", "--queries", "3", "--classes", "2", "--teachers", "11", "-o", "two.npy")
    (root / "given.csv").write_text("3,0\n1,5\n", encoding="utf-8")
    run("analyze", "votes.npy", *MECHANISM, "-o", "kept.json")
    run("compose", "kept.json", "--public-only", "-o", "kept_public.json")
    run("label", "votes.npy", "--teachers", "250", *MECHANISM, "--write-labels", "kept.npy", "--ledger", "kept.ledger", "-o", "kept_label.json")
