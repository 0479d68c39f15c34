"""Measure tool search on BFCL: share of the right tools among the first five, and its speed.

    pip download --no-deps bfcl-eval -d /tmp/bfcl
    python scripts/measure/search.py /tmp/bfcl/bfcl_eval-*.whl

FastMCP's ranking is measured beside ours: BM25 over name, description and parameter names, split
at what is no letter or digit, as its `_BM25Index` does.
"""

import json
import math
import random
import re
import sys
import time
import zipfile
from collections import Counter, defaultdict
from pathlib import Path

from actum.catalog.search import SearchIndex
from actum.records.tools import Parameter, ToolSpec

CATEGORIES = (
    "simple_python",
    "multiple",
    "parallel",
    "parallel_multiple",
    "live_simple",
    "live_multiple",
)
QUERIES = 300
SEED = 1
LARGE = 13_056
TEN_THOUSAND = 10_000


def rows(wheel: zipfile.ZipFile, path: str) -> list[dict]:
    """The lines of one file of the data set."""
    text = wheel.read(f"bfcl_eval/data/{path}").decode()
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def spec_of(function: dict) -> ToolSpec:
    """A function of the data set as a tool."""
    properties = function["parameters"].get("properties", {})
    parameters = tuple(
        Parameter(name=name, description=str(schema.get("description", "")))
        for name, schema in properties.items()
    )
    return ToolSpec(
        name=function["name"],
        effect="read",
        description=function["description"],
        parameters=parameters,
    )


def load(path: Path) -> tuple[list[ToolSpec], list[tuple[str, set[str]]]]:
    """The tools by name, and the questions with the names that answer them."""
    specs: dict[str, ToolSpec] = {}
    queries: list[tuple[str, set[str]]] = []
    with zipfile.ZipFile(path) as wheel:
        for category in CATEGORIES:
            answers = rows(wheel, f"possible_answer/BFCL_v4_{category}.json")
            wanted = {row["id"]: row["ground_truth"] for row in answers}
            for row in rows(wheel, f"BFCL_v4_{category}.json"):
                for function in row["function"]:
                    specs.setdefault(function["name"], spec_of(function))
                said = [
                    m["content"] for turn in row["question"] for m in turn if m["role"] == "user"
                ]
                names = {name for call in wanted[row["id"]] for name in call}
                queries.append((" ".join(said), names))
    known = [(text, names & specs.keys()) for text, names in queries]
    return list(specs.values()), [query for query in known if query[1]]


def recall(hits: list[set[str]], queries: list[tuple[str, set[str]]]) -> float:
    """The mean share of the right tools among those found."""
    shares = [
        len(found & names) / len(names) for found, (_, names) in zip(hits, queries, strict=True)
    ]
    return sum(shares) / len(shares)


class FastMcpRanking:
    """BM25 as FastMCP has it."""

    def __init__(self, specs: list[ToolSpec]) -> None:
        self.names = [spec.name for spec in specs]
        texts = [
            " ".join([s.name, s.description, *(f"{p.name} {p.description}" for p in s.parameters)])
            for s in specs
        ]
        self.documents = [Counter(self.words(text)) for text in texts]
        self.lengths = [sum(document.values()) for document in self.documents]
        self.average = sum(self.lengths) / len(self.lengths)
        self.frequency: dict[str, int] = defaultdict(int)
        for document in self.documents:
            for word in document:
                self.frequency[word] += 1

    def words(self, text: str) -> list[str]:
        return [word for word in re.split(r"[^a-z0-9]+", text.lower()) if len(word) > 1]

    def search(self, text: str, limit: int) -> list[str]:
        count = len(self.documents)
        scores = [0.0] * count
        for word in self.words(text):
            have = self.frequency.get(word, 0)
            if not have:
                continue
            rarity = math.log((count - have + 0.5) / (have + 0.5) + 1)
            for number, document in enumerate(self.documents):
                times = document.get(word, 0)
                if times:
                    norm = 1.5 * (0.25 + 0.75 * self.lengths[number] / self.average)
                    scores[number] += rarity * times * 2.5 / (times + norm)
        best = sorted(range(count), key=lambda number: -scores[number])
        return [self.names[number] for number in best[:limit] if scores[number] > 0]


def grown(specs: list[ToolSpec], size: int) -> list[ToolSpec]:
    """As many tools as wanted: the same texts under other names."""
    found: list[ToolSpec] = []
    for copy in range(size // len(specs) + 1):
        for spec in specs:
            fields = {f: getattr(spec, f) for f in ("effect", "description", "parameters")}
            found.append(ToolSpec(name=f"service{copy}.{spec.name}", **fields))
    return found[:size]


def timed(index: SearchIndex, queries: list[tuple[str, set[str]]]) -> list[float]:
    """Milliseconds of each query, sorted."""
    times: list[float] = []
    for text, _ in queries:
        begun = time.perf_counter()
        index.search(text, 10)
        times.append((time.perf_counter() - begun) * 1000)
    return sorted(times)


def main(path: Path) -> None:
    """Measure, and print one line a figure."""
    specs, everything = load(path)
    queries = random.Random(SEED).sample(everything, QUERIES)  # noqa: S311 -- a sample, no secret
    index = SearchIndex()
    index.update(specs)
    for limit in (5, 10):
        ours = recall([{n for n, _ in index.search(text, limit)} for text, _ in queries], queries)
        print(f"bfcl: {len(specs)} tools, {len(queries)} queries, recall@{limit} {ours:.3f}")
    other = FastMcpRanking(specs)
    print(
        f"FastMCP's ranking: recall@5 {recall([set(other.search(t, 5)) for t, _ in queries], queries):.3f}"
    )
    for size in (TEN_THOUSAND, LARGE):
        many = grown(specs, size)
        large = SearchIndex()
        begun = time.perf_counter()
        large.update(many)
        seconds = time.perf_counter() - begun
        times = timed(large, queries)
        p50, p99 = times[len(times) // 2], times[int(len(times) * 0.99)]
        print(f"{size} tools: index {seconds:.2f} s, query p50 {p50:.2f} ms, p99 {p99:.2f} ms")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
