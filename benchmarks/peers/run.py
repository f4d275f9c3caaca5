"""Which way finds better related pages, and what does each cost?

    python benchmarks/peers/run.py                      everything: peers, pagekin, the table
    python benchmarks/peers/run.py --sets scikit-learn --peers tf_idf bm25
    python benchmarks/peers/run.py --sets sample --peers --no-tune       pagekin alone, on the sample web

Each peer runs in a process of its own, by the Python of `.venv-peers` (`make bench` makes it), once with the whole
text of pages and once with what pagekin's rule for templates leaves of it. What was measured before, and lies in the
cache (`~/.cache/pagekin-bench`, or PAGEKIN_BENCH), is not measured again, unless `--again` says so: embeddings alone
take an hour of a core. All rankings are judged by pagekin's own evaluation, on the same sources.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(HERE))  # as `python -m peers.run` in that folder would have it

import pagekin  # noqa: E402
from measuring import CACHE, ONE_THREAD, RESULTS, ROOT, result, write_result  # noqa: E402
from pagekin.trials.evaluate import Trial, opened_trial  # noqa: E402
from peers import lucene, own  # noqa: E402
from peers.corpus import PageSet, page_set, write_corpus  # noqa: E402
from peers.judging import Floats, Judged, against, figures, fused, half_of, peer_scores  # noqa: E402

SETS = ("encyclopedia", "scipy", "scikit-learn")
PEERS = {
    "tf_idf": "scikit-learn: tf-idf and cosine",
    "bm25": "bm25s: BM25 of the best terms",
    "tantivy_mlt": "tantivy: more like this",
    "lucene": "Lucene: MoreLikeThis",
    "lsi": "gensim: LSI",
    "min_hash": "datasketch: weighted min-hash, LSH forest",
    "static_words": "wordllama: static word vectors",
    "embeddings": "MiniLM embeddings, exact",
    "embeddings_hnsw": "MiniLM embeddings, usearch HNSW",
}  # in the order of the table; the graph takes the vectors that the exact search made
TEXTS = ("whole", "own")
PYTHON = ROOT / ".venv-peers" / "bin" / "python"
FUSED = ("tf_idf", "bm25", "lsi", "static_words", "embeddings")  # whose share in a blend is tried


def say(text: str) -> None:
    """A line for who waits."""
    print(text, file=sys.stderr, flush=True)


# --- running ------------------------------------------------------------------------------------------------


def missing(peer: str) -> str:
    """Why a peer cannot be run here; empty if it can."""
    if not PYTHON.exists():
        return "there is no environment of peers (.venv-peers; `make bench` makes it)"
    return lucene.missing() if peer == "lucene" else ""


def measured(peer: str, name: str, text: str, options: argparse.Namespace) -> Path | None:
    """The folder of what a peer did with a set; None if it could not."""
    out = CACHE / "peers" / name / text / peer
    if options.again or not (out / "costs.json").exists():
        reason = "it was not measured before" if options.cached else missing(peer)
        if reason:
            say(f"{peer} is left out: {reason}")
            return None
        say(f"{name}: {peer}, {text} text")
        corpus = CACHE / "corpora" / name
        call = [PYTHON, "-m", f"peers.{peer}", corpus, out, text]
        subprocess.run(call, cwd=HERE, check=True, stdout=sys.stderr, env=os.environ | ONE_THREAD)
    return out


# --- rows ---------------------------------------------------------------------------------------------------


class Table:
    """The rows of one set."""

    def __init__(self, pages: PageSet, trial: Trial) -> None:
        self.pages, self.trial, self.judged = pages, trial, Judged(trial.judges[0])
        self.corpus = CACHE / "corpora" / pages.name
        self.made: dict[str, Any] = json.loads((self.corpus / "costs.json").read_text("utf-8"))
        self.rows: list[dict[str, Any]] = []
        self.scores: dict[str, Floats] = {}
        self.tallies: dict[str, Any] = {}

    def add(self, key: str, scores: Floats, row: dict[str, Any]) -> None:
        """Judge a table of scores."""
        tally = self.judged.tally(scores)
        self.scores[key], self.tallies[key] = scores, half_of(tally)
        self.rows.append({"key": key, **row, "measures": figures(half_of(tally)), "all_sources": figures(tally)})

    def add_peer(self, peer: str, text: str, folder: Path) -> None:
        """A peer by what it left; the cost of finding its text in the pages is added to its own."""
        costs = json.loads((folder / "costs.json").read_text("utf-8"))
        per_page = (costs["build_seconds"] + self.made["extract_seconds"]) * 1000 / costs["pages"]
        if peer == "embeddings_hnsw":
            exact = json.loads((folder.parent / "embeddings" / "costs.json").read_text("utf-8"))
            per_page += exact["build_seconds"] * 1000 / exact["pages"]
        costs |= {"build_ms_per_page": per_page, "bytes_per_page": costs["index_bytes"] / costs["pages"]}
        scores = peer_scores(folder, self.corpus, self.judged.judge)
        self.add(f"{peer}/{text}", scores, {"name": PEERS[peer], "text": text, "costs": costs})

    def add_own(self) -> None:
        """pagekin's rows that need no search."""
        for key, (name, contender) in own.contenders().items():
            say(f"{self.pages.name}: {name}")
            scores, milliseconds = own.table_of(self.trial, self.judged, contender)
            costs = self._own_costs(key, milliseconds) | {"settings": contender.name}
            self.add(key, scores, {"name": name, "text": "own", "costs": costs})

    def _own_costs(self, key: str, milliseconds: float) -> dict[str, Any]:
        """What building and asking cost, of the rows that are an index; else, what the scores of a source took."""
        asked = self.judged.judge.pages[self.judged.judge.sources]
        kinds = {"text": ("text_", "text.kin", {"text": 1.0}), "blend": ("", "index.kin", None)}
        if key not in kinds:
            return {"scores_ms": round(milliseconds, 3)}
        prefix, index, weights = kinds[key]
        return {
            "build_ms_per_page": self.made[f"{prefix}build_seconds"] * 1000 / self.made["pages"],
            "bytes_per_page": self.made[f"{prefix}index_bytes"] / self.made["pages"],
            **own.latency(self.corpus / index, asked, weights),
        }

    def add_answers(self) -> None:
        """What the index itself answers, which finds candidates and does not score every page."""
        say(f"{self.pages.name}: the answers of the index")
        scores = own.answered(pagekin.open(self.corpus / "index.kin"), self.judged)
        self.add("answers", scores, {"name": "the same, as the index answers", "text": "own", "costs": {}})

    def add_tuned(self) -> None:
        """A search on one half, judged by the other."""
        say(f"{self.pages.name}: tuning")
        found = own.tuned(self.trial, self.judged, lambda name: say(f"  {name}"))
        scores, _ = own.table_of(self.trial, self.judged, found)
        costs = {"settings": found.name}
        self.add("tuned", scores, {"name": "pagekin, tuned on the other half", "text": "own", "costs": costs})

    def compare(self) -> None:
        """How much the blend is better than each."""
        for row in self.rows:
            if row["key"] != "blend":
                row["blend_against"] = against(self.tallies["blend"], self.tallies[row["key"]])

    def fusions(self) -> dict[str, Any]:
        """What each peer would add as one more source."""
        keys = [f"{peer}/own" for peer in FUSED if f"{peer}/own" in self.scores]
        return {key: fused(self.judged, self.scores["blend"], self.scores[key]) for key in keys}

    def document(self) -> dict[str, Any]:
        """All that is told of the set."""
        facts = self.trial.truths
        judged_by = facts.directory or facts.related
        return {
            "set": self.pages.name,
            "title": self.pages.title,
            "pages": self.made["pages"],
            "judged_sources": int(self.judged.half(chooses=False).sum()),
            "sources": len(self.judged.judge.sources),
            "truth": judged_by,
            "extract_ms_per_page": self.made["extract_seconds"] * 1000 / self.made["pages"],
            "rows": self.rows,
        }


def judged_set(pages: PageSet, options: argparse.Namespace) -> dict[str, Any]:
    """Run everything on one set."""
    corpus = CACHE / "corpora" / pages.name
    if options.again or options.rebuild or not corpus.exists():
        say(f"{pages.name}: building its index and its texts")
        write_corpus(pages, corpus)
    with opened_trial(corpus / "index.kin", replace(pages.truth, sources=options.sources)) as trial:
        table = Table(pages, trial)
        for text in TEXTS:
            for peer in options.peers:
                folder = measured(peer, pages.name, text, options)
                if folder is not None:
                    table.add_peer(peer, text, folder)
        table.add_own()
        table.add_answers()
        if options.tune:
            table.add_tuned()
        table.compare()
        return table.document() | {"fusions": table.fusions()}


def main() -> None:
    """Read the options, run, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=[*SETS, "sample"])
    parser.add_argument("--peers", nargs="*", default=list(PEERS), choices=list(PEERS))
    parser.add_argument("--sources", type=int, default=0, help="judge by so many sources, drawn by chance; 0: by all")
    parser.add_argument("--again", action="store_true", help="measure also what is in the cache")
    parser.add_argument("--rebuild", action="store_true", help="build pagekin's own indexes again; peers stay")
    parser.add_argument("--cached", action="store_true", help="leave out what is not in the cache")
    parser.add_argument("--no-tune", dest="tune", action="store_false", help="leave out the search for settings")
    parser.add_argument("--out", type=Path, default=RESULTS, help="the folder for peers-SET.json")
    options = parser.parse_args()
    for name in options.sets:
        pages = page_set(name)
        if pages is None:
            say(f"{name} is left out: its pages are not here (no ../shared/data next to the repository)")
            continue
        found = judged_set(pages, options)
        write_result(options.out / f"peers-{name}.json", result(found, ("wordllama",), _command(options)))


def _command(options: argparse.Namespace) -> str:
    """How to get the same."""
    some = f" --sources {options.sources}" if options.sources else ""
    return f"python benchmarks/peers/run.py{some}" + ("" if options.tune else " --no-tune")


if __name__ == "__main__":
    main()
