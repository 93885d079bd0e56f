"""Judges search on labelled collections through the HTTP API and prints a table in Markdown: `make relevance`.

Each collection is imported once, under an index prefix of its own. The run files and judgements that ir_measures judges by are
left in the work folder, in TREC's format: another tool, or another search, can be compared with them.
"""

import argparse
import concurrent.futures
import datetime
import gzip
import json
import random
import subprocess
import urllib.parse
import uuid

import ir_measures
from ir_measures import Success, nDCG

from corpus import mistype, observations
from service import DATA, WORK, Store, build, call, search_url

# Collections, and what nDCG@10 is to reach.
GOALS = {"web3-dups": 0.38, "cve": 0.73, "cranfield": 0.38, "cacm": 0.52, "bugdup-hadoop": 0.61}
MEASURES = [nDCG(gains={0: 0, 1: 1, 2: 3, 3: 7, 4: 15}) @ 10, Success @ 10]  # an answer of a grade is worth 2^grade - 1
OTHERS = 500  # patterns, and as many knowledge units, of a mixed store
EVERY = 61  # of how many observations one of them is made


def read(path):
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def shorten(text, most):
    """Returns a text without needless space, cut behind a word where it is too long."""
    text = " ".join(text.split())
    return text if len(text) <= most else text[:most].rpartition(" ")[0] or text[:most]


def observation(document):
    """Makes a document a line of the import format: its title is the summary, and what doesn't fit in begins the content."""
    title, text = document["title"].strip(), document["text"].strip()
    if not title:
        title, text = text, ""
    summary = shorten(title, 500)
    rest = "" if len(title) <= 500 else title[len(summary):]
    return {"source": "relevance", "summary": summary or "(empty)", "content": f"{rest}\n{text}".strip()[:20_000],
            "category": "general", "ref": document["id"]}


def line(value):
    return json.dumps(value).encode() + b"\n"


class Collection:
    """A labelled collection and the store that it is searched in."""

    def __init__(self, name, options, binary):
        self.name, self.folder, self.options = name, f"{DATA}/search/{name}", options
        with open(f"{self.folder}/qrels.tsv") as rows:
            self.grades = [row.rstrip("\n").split("\t") for row in rows]
        judged = {question for question, _, _ in self.grades}
        every = {one["id"]: shorten(one["text"], 512) for one in read(f"{self.folder}/queries.jsonl.gz")}
        self.asked = set(every.values())
        questions = sorted(one for one in every if one in judged)
        random.Random(5).shuffle(questions)
        self.questions = {one: every[one] for one in questions[:options.queries or None]}
        prefix = f"relevance_{name}_{options.shards}{'_mixed' if options.mixed else ''}".replace("-", "_")
        self.store = Store(binary, prefix, AGENTLORE_SHARDS=str(options.shards), AGENTLORE_RATE_READ="off")
        self.others = dict(self.choose_others()) if options.mixed else {}

    def choose_others(self):
        """Yields observations that patterns and units are made of, by id, spread over all. None whose title is a question: it
        is the document that the question was taken from, which the collection leaves out."""
        usable = (one for one in observations() if shorten(one["summary"], 512) not in self.asked)
        for number, one in enumerate(list(usable)[EVERY - 1:2 * OTHERS * EVERY:EVERY]):
            yield str(uuid.uuid5(uuid.NAMESPACE_URL, one["ref"])), one | {"age": number}

    def fill(self):
        """Imports what isn't there yet."""
        self.store.make()
        corpus = list(read(f"{self.folder}/corpus.jsonl.gz"))
        if self.store.count() != len(corpus):
            self.store.load(line(observation(one)) for one in corpus)
        if self.others and self.store.count("knowledge-units") != OTHERS:
            self.store.load([gzip.open(f"{DATA}/assets.jsonl.gz").read()], "assets")
            for collection, every in (("patterns", 0), ("knowledge-units", 1)):
                chosen = list(self.others.items())[every::2]
                self.store.load((line(self.other(id, one, collection)) for id, one in chosen), collection, "export")
        if self.store.count() != len(corpus):
            raise SystemExit(f"{self.name}: {self.store.count()} of {len(corpus)} documents are stored")

    @staticmethod
    def other(id, one, collection):
        """Makes a pattern or a knowledge unit of an observation."""
        seen = (datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=one["age"] * EVERY % 700)).isoformat()
        made = {
            "id": id, "summary": one["summary"], "resolution": one.get("resolution", ""), "category": "general", "ecosystem": [],
            "tags": one.get("tags", []), "entities": [], "created_at": seen, "first_seen_at": seen, "last_seen_at": seen,
        }
        if collection == "patterns":
            counts = {"report_count": 3, "source_count": 2, "owner_count": 2}
            return made | counts | {"tier": 2, "example_ids": [], "status": "emerging"}
        return made | {
            "content": one.get("content", ""), "tier": 3, "confidence": 0.7, "status": "active", "promoted_at": seen,
            "evidence": {"submission_ids": [], "submissions": 0, "sources": 0, "owners": 0},
            "outcomes": {"worked": 0, "failed": 0, "unsafe": 0},
        }

    def found(self, address, question):
        """Returns the documents of the first ten results. A pattern or unit stands for the one that it was made of."""
        results = call("GET", search_url(address, question))["results"]
        documents = (self.others[hit["id"]]["ref"] if hit["id"] in self.others else hit.get("ref", hit["id"]) for hit in results)
        return list(dict.fromkeys(documents))

    def judge(self, address, mistyped):
        """Asks all questions, mistyped or not, and returns the measures. The files name documents as URLs do: TREC's have no spaces."""
        chance = random.Random(11)
        texts = [shorten(mistype(text, chance) if mistyped else text, 512) for text in self.questions.values()]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(lambda text: self.found(address, text), texts))
        path = f"{WORK}/{self.store.prefix}"
        with open(f"{path}.qrels", "w") as qrels, open(f"{path}_{'typo' if mistyped else 'plain'}.run", "w") as run:
            for question, document, grade in self.grades:
                if question in self.questions:
                    print(question, 0, urllib.parse.quote(document), grade, file=qrels)
            for question, documents in zip(self.questions, answers):
                for rank, document in enumerate(documents, 1):
                    print(question, "Q0", urllib.parse.quote(document), rank, 100 - rank, "agentlore", file=run)
        return ir_measures.calc_aggregate(MEASURES, ir_measures.read_trec_qrels(qrels.name), ir_measures.read_trec_run(run.name))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--collections", default=",".join(GOALS), help="some of these")
    parser.add_argument("--queries", type=int, default=0, help="at most so many of each, drawn by a fixed seed; 0 for all")
    parser.add_argument("--shards", type=int, default=1, help="shards of the submissions")
    parser.add_argument("--mixed", action="store_true", help="let all four types answer: assets, and made patterns and knowledge")
    parser.add_argument("--binary", help="judge this binary, not the tree's")
    options = parser.parse_args()
    binary = options.binary or build()
    print("| collection | questions | nDCG@10 | hit@10 | a typo in every long word | | goal |")
    print("|---" * 7 + "|")
    for name in options.collections.split(","):
        collection = Collection(name, options, binary)
        collection.fill()
        with collection.store.serve() as (address, _):
            judged = [collection.judge(address, mistyped) for mistyped in (False, True)]
        cells = [f"{one[MEASURES[0]]:.4f} | {one[MEASURES[1]]:.1%}" for one in judged]
        verdict = "met" if judged[0][MEASURES[0]] >= GOALS[name] else "**missed**"
        print(f"| {name} | {len(collection.questions)} | {' | '.join(cells)} | {GOALS[name]}: {verdict} |", flush=True)
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], stdout=subprocess.PIPE, text=True).stdout.strip()
    types = "all four types" if options.mixed else "submissions only"
    print(f"\n{datetime.date.today()}, commit {commit}, {options.shards} shard(s), {types}.")


if __name__ == "__main__":
    main()
