"""The tables of docs/evaluation/peers.md, made of the results of `benchmarks/peers/run.py`."""

from __future__ import annotations

from typing import Any

SETS = ("encyclopedia", "scipy", "scikit-learn")
TITLES = {
    "sibling_gamma": "sibling Γ",
    "sibling_somers_d": "sibling D",
    "precision_at_10": "P@10",
    "recall_at_10": "recall@10",
    "mrr": "MRR",
    "ndcg_at_10": "nDCG@10",
}
OWN = ("text", "concepts", "words", "blend", "answers", "tuned")  # pagekin's rows, by their keys
LIKELY = 0.05  # below this p a difference can be told
ORDERING = 0.75  # a ranking whose D is a smaller part of its Γ leaves many pairs unordered
TEXTS = {"whole": "whole", "own": "own"}


class PeerTables:
    """What the template asks for."""

    def __init__(self, found: dict[str, Any]) -> None:
        self.found = {name: found[f"peers-{name}"] for name in SETS if f"peers-{name}" in found}

    @property
    def sets(self) -> list[str]:
        """The sets that were measured."""
        return list(self.found)

    def title(self, name: str) -> str:
        """A set in words."""
        return str(self.found[name]["figures"]["title"])

    def about(self, name: str) -> str:
        """When and on what, and how many pages and sources."""
        it, figures = self.found[name], self.found[name]["figures"]
        used = dict(it["versions"])
        for row in figures["rows"]:
            used |= row["costs"].get("versions", {})
        versions = ", ".join(f"{package} {version}" for package, version in used.items())
        truth = figures["truth"]
        what = f"{truth['classes']} classes at depth {truth['depth']}" if "classes" in truth else "“See also” boxes"
        return (
            f"{figures['pages']:,} pages, judged by {what}: {figures['judged_sources']:,} of "
            f"{figures['sources']:,} sources. *Measured by `{it['command']}`, {it['date']}, on {it['machine']}; "
            f"{versions}.*"
        )

    def summary(self) -> str:
        """The blend by default beside the best of all peers, by each measure of each set."""
        lines = ["| | | blend by default | the best peer | | difference | p |", "|---|---|---|---|---|---|---|"]
        for name in self.sets:
            rows = {row["key"]: row for row in self.found[name]["figures"]["rows"]}
            for measure, one in rows["blend"]["measures"].items():
                some = [row for row in self._others(name) if _counts(row, measure)]
                if some:
                    best = max(some, key=lambda row, key=measure: float(row["measures"][key]["value"]))
                    head = f"{self.title(name)} | {TITLES[measure]} | {one['value']:.3f}"
                    lines.append(f"| {head} | {_beside(best, measure)} |")
        return "\n".join(lines)

    # --- the table of a set

    def table(self, name: str) -> str:
        """Quality and cost of every row."""
        figures = self.found[name]["figures"]
        rows, measures = figures["rows"], list(figures["rows"][0]["measures"])
        heads = ["", "text", *(TITLES[key] for key in measures), "ms to build a page", "ms to ask", "bytes a page"]
        lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
        best = {key: max(row["measures"][key]["value"] for row in rows if _counts(row, key)) for key in measures}
        return "\n".join([*lines, *(_row(row, measures, best) for row in rows)])

    # --- who is ahead

    def ahead(self, name: str) -> str:
        """The peers that are ahead of the blend, by which measure, and whether that can be told from chance."""
        lines = []
        for measure in TITLES:
            leaders = [row for row in self._others(name) if _is_ahead(row, measure)]
            if leaders:
                lines.append(f"- **{TITLES[measure]}**: " + "; ".join(_lead(row, measure) for row in leaders) + ".")
        return "\n".join(lines) or "No peer is ahead of the blend by any measure."

    def _others(self, name: str) -> list[dict[str, Any]]:
        return [row for row in self.found[name]["figures"]["rows"] if row["key"] not in OWN]

    def count(self, name: str) -> str:
        """How many comparisons the blend wins, loses, and cannot tell."""
        pairs = [
            row["blend_against"][measure]
            for row in self._others(name)
            for measure in TITLES
            if measure in row["blend_against"]
        ]
        told = [pair for pair in pairs if pair["p"] < LIKELY]
        won = sum(pair["value"] > 0 for pair in told)
        return (
            f"Of {len(pairs)} comparisons with peers the blend by default wins {won}, loses {len(told) - won}, and in "
            f"{len(pairs) - len(told)} no difference can be told (p ≥ {LIKELY:g})."
        )

    # --- what a peer would add

    def fusions(self) -> str:
        """What each peer would add to the blend as one more source."""
        lines = [
            "| | " + " | ".join(self.title(name) for name in self.sets) + " |",
            "|---" * (len(self.sets) + 1) + "|",
        ]
        keys = dict.fromkeys(key for name in self.sets for key in self.found[name]["figures"]["fusions"])
        for key in keys:
            cells = [_fusion(self.found[name]["figures"]["fusions"].get(key)) for name in self.sets]
            lines.append(f"| {self._named(key)} | " + " | ".join(cells) + " |")
        return "\n".join(lines)

    def _named(self, key: str) -> str:
        rows = [row for name in self.sets for row in self.found[name]["figures"]["rows"] if row["key"] == key]
        return str(rows[0]["name"])

    def settings(self) -> str:
        """How each peer was set, in its own words."""
        told: dict[str, str] = {}
        for name in self.sets:
            for row in self.found[name]["figures"]["rows"]:
                if row["key"] not in OWN and "settings" in row["costs"]:
                    told.setdefault(row["name"], row["costs"]["settings"])
        return "\n".join(f"- {name}: {settings}." for name, settings in told.items())

    def tuned(self) -> str:
        """What tuning found on each set."""
        lines = []
        for name in self.sets:
            for row in self.found[name]["figures"]["rows"]:
                if row["key"] == "tuned":
                    lines.append(f"- {self.title(name)}: `{row['costs']['settings']}`")
        return "\n".join(lines) or "*Not measured yet.*"

    def missing(self) -> str:
        """The sets and peers of which there is no row."""
        gaps = [f"{name}: not measured yet" for name in SETS if name not in self.found]
        every = {row["key"] for name in self.sets for row in self._others(name)}
        for name in self.sets:
            absent = sorted(every - {row["key"] for row in self._others(name)})
            gaps += [f"{self.title(name)}: {self._named(key)}, {key.partition('/')[2]} text" for key in absent]
        return "Not measured: " + "; ".join(gaps) + "." if gaps else ""


def _row(row: dict[str, Any], measures: list[str], best: dict[str, float]) -> str:
    cells = [_measure(row, key, best[key]) for key in measures]
    costs = row["costs"]
    text = "" if row["key"] in OWN or "/" not in row["key"] else TEXTS[row["text"]]
    name = f"**{row['name']}**" if row["key"] == "blend" else row["name"]
    return "| " + " | ".join([name, text, *cells, *_costs(costs)]) + " |"


def _beside(row: dict[str, Any], measure: str) -> str:
    """A peer by one measure, and how much the blend is ahead of it."""
    against = row["blend_against"][measure]
    text = f", {row['text']} text" if "/" in row["key"] else ""
    value = f"{row['measures'][measure]['value']:.3f}"
    return f"{value} | {row['name']}{text} | {against['value']:+.3f} | {against['p']:.4f}"


def _costs(costs: dict[str, Any]) -> list[str]:
    built, asked, size = (costs.get(key) for key in ("build_ms_per_page", "median_ms", "bytes_per_page"))
    if asked is None and costs.get("scores_ms"):
        return ["–", f"({_short(costs['scores_ms'])})", "–"]
    return [_short(built), _short(asked), "–" if size is None else f"{size:,.0f}"]


def _short(value: float | None) -> str:
    """A number with as many places as say something."""
    if value is None:
        return "–"
    return f"{value:.2f}" if value < 10 else f"{value:.0f}"


def _measure(row: dict[str, Any], key: str, best: float) -> str:
    """A measure with half the width of its interval; bold if none is higher, marked against the blend."""
    one = row["measures"].get(key)
    if one is None:
        return "–"
    half = (one["high"] - one["low"]) / 2
    if not _counts(row, key):
        return f"({one['value']:.3f} ± {half:.3f}){_mark(row, key)}"
    value = f"**{one['value']:.3f}**" if one["value"] >= best else f"{one['value']:.3f}"
    return f"{value} ± {half:.3f}{_mark(row, key)}"


def _counts(row: dict[str, Any], key: str) -> bool:
    """Whether a measure says something: not Γ, if most pairs are left unordered, which D shows."""
    values = row["measures"]
    if key not in values:
        return False
    return key != "sibling_gamma" or values["sibling_somers_d"]["value"] > ORDERING * values[key]["value"]


def _mark(row: dict[str, Any], key: str) -> str:
    """▲ for what is ahead of the blend, ≈ where no difference can be told."""
    against = row.get("blend_against", {}).get(key)
    if against is None:
        return ""
    if against["p"] >= LIKELY:
        return " ≈"
    return " ▲" if against["value"] < 0 else ""


def _is_ahead(row: dict[str, Any], measure: str) -> bool:
    return measure in row["measures"] and row["blend_against"][measure]["value"] < 0


def _lead(row: dict[str, Any], measure: str) -> str:
    against = row["blend_against"][measure]
    text = f" ({row['text']} text)" if "/" in row["key"] else ""
    sure = f"p = {against['p']:.3f}" if against["p"] >= LIKELY else f"no chance, p = {against['p']:.4f}"
    return f"{row['name']}{text} by {-against['value']:.3f} ({sure})"


def _fusion(found: dict[str, Any] | None) -> str:
    if found is None:
        return "–"
    if not found["share"]:
        return "nothing: no share helps"
    gains = [
        f"{TITLES[key]} {one['value']:+.3f}{'' if one['p'] < LIKELY else ' ≈'}"
        for key, one in found["against_blend"].items()
    ]
    return f"share {found['share']:g}: " + ", ".join(gains)
