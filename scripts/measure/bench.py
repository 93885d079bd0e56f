"""Compares agentlore with Elasticsearch alone on one machine and prints a table in Markdown: `make bench`.

Elasticsearch alone is sent what the service sends it for the same search, and the documents that the service stored. Both sides take
turns in one run, so that a machine that gets busier meanwhile does so for both.
"""

import argparse
import datetime
import itertools
import json
import os
import re
import statistics
import subprocess
import time
import urllib.parse

from corpus import Corpus
from load import Side, install, recorder, target
from service import ELASTICSEARCH, WORK, Store, build, call, search_url

SMALLER = 100_000  # submissions of the store that a larger one is compared with
AGENTS = 64  # that submit at the same time
IMPORT_TURN = 20_000  # lines that one side takes at most before it is the other's turn
BULK_BYTES = 5 << 20  # of a bare _bulk request: what Elasticsearch's guide calls reasonable
SEARCH_TURN = 4  # seconds
SEARCHES = re.compile(r"/(_msearch|_mget|[^/]*-(submissions|patterns|knowledge-units|assets)[^/]*/_search)")
CAPACITIES = (1_000_000, 3_000_000, 10_000_000)  # of one store that grows
MILLION = {"clean": (8, 40), "every word mistyped": (20, 1000)}  # p50 and p99 to reach with a million submissions, ms


def row(what, agentlore, alone="", ratio="", *goals):
    """Prints a row of the table; a goal is a text and whether it is reached."""
    verdicts = (f"{text}: met" if met else f"**{text}: missed**" for text, met in goals)
    print(f"| {what} | {agentlore} | {alone} | {ratio} | {', '.join(verdicts)} |", flush=True)


def documents(source, to, since):
    """Returns the submissions of one store since a time, as lines of a bulk request to another."""
    query = {"size": 2000, "query": {"range": {"created_at": {"gte": since}}}}
    found, page = [], call("POST", f"{ELASTICSEARCH}/{source}-submissions/_search?scroll=5m", query)
    while page["hits"]["hits"]:
        for hit in page["hits"]["hits"]:
            action = {"create": {"_index": f"{to}-submissions", "_id": hit["_id"]}}
            found.append(f"{json.dumps(action)}\n{json.dumps(hit['_source'], ensure_ascii=False)}\n".encode())
        page = call("POST", f"{ELASTICSEARCH}/_search/scroll", {"scroll": "5m", "scroll_id": page["_scroll_id"]})
    return found


def settle():
    """Waits, for a while, until Elasticsearch merges no more: one side must not pay for the other's writes."""
    call("POST", f"{ELASTICSEARCH}/bench*/_refresh")
    for _ in range(200):
        if not call("GET", f"{ELASTICSEARCH}/bench*/_stats/merge")["_all"]["total"]["merges"]["current"]:
            return
        time.sleep(0.1)


def write_bare(side, found, each, at_once):
    """Writes documents by bare _bulk requests of so many."""
    requests, batch, size = [], [], 0
    for document in found:
        batch.append(document)
        size += len(document)
        if len(batch) == each or size >= BULK_BYTES or document is found[-1]:
            requests.append([target("POST", f"{ELASTICSEARCH}/_bulk", b"".join(batch))])
            batch, size = [], 0
    side.attack(requests, at_once=at_once)
    settle()


def memory(process, field):
    """Returns the resident memory of a process in MiB: VmRSS, now, or VmHWM, at most."""
    with open(f"/proc/{process.pid}/status") as status:
        return int(re.search(rf"{field}:\s+(\d+)", status.read())[1]) / 1024


def compared(side, other):
    """Says how much longer one side takes than the other."""
    half, most = side.quantile(0.5), side.quantile(0.99)
    return f"{half / other.quantile(0.5):.2f} x, {half - other.quantile(0.5):+.1f} ms / {most / other.quantile(0.99):.2f} x"


class Bench:
    """A run, section by section."""

    def __init__(self, options):
        self.options, self.corpus, self.binary = options, Corpus(), options.binary or build()

    def store(self, prefix, *elasticsearch):
        # A slow machine shows in the times of submits, not in refusals.
        return Store(self.binary, f"bench_{prefix}", *elasticsearch, AGENTLORE_QUEUE_WAIT="30s")

    def imports(self):
        """Imports, against bare _bulk requests of the documents that they have stored."""
        for name in ("import", "copy"):
            self.store(name).wipe()
        size = min(IMPORT_TURN, self.options.docs // 5)
        for turn in range(7):
            if turn in (0, 2):  # the first two turns warm up
                count, seconds, bare = 0, 0.0, Side()
            lines = self.corpus.lines(turn * size, size)
            began = time.monotonic()
            self.store("import").load([lines])
            seconds += time.monotonic() - began
            settle()
            found = documents("bench_import", "bench_copy", self.corpus.observation(turn * size)["created_at"])
            write_bare(bare, found, len(found), 2)
            count += len(found)
        share = bare.seconds / seconds
        rates = (f"{count / took:,.0f}/s" for took in (seconds, bare.seconds))
        row(f"import of {count:,}", *rates, f"{share:.0%}", ("70 %", share >= 0.7))

    def submits(self):
        """Submits of many agents at once and of one alone, against one client's bare _bulk requests of the documents stored."""
        for name in ("submit", "copy"):
            self.store(name).wipe()
        with self.store("submit").serve() as (url, _):
            token = call("POST", f"{url}/intake/register", {"name": "bench", "type": "script", "owner": "bench"})["api_token"]
            sent = 0
            for agents in (AGENTS, 1):
                turn, size = 0, 16 * agents + 48
                while turn < 5 or through.seconds < self.options.duration:
                    if turn in (0, 4):  # the first turns warm up
                        through, bare, count = Side(), Side(), 0
                    began = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
                    through.attack([self.submit(url, token, number) for number in range(sent, sent + size)], at_once=agents)
                    settle()
                    found = documents("bench_submit", "bench_copy", began)
                    write_bare(bare, found, agents, 1)
                    turn, sent, count = turn + 1, sent + size, count + len(found)
                share = bare.seconds / through.seconds
                goals = [("60 %", share >= 0.6), ("p99 150 ms", through.quantile(0.99) <= 150)]
                if agents == 1:
                    goals = [("p50 8 ms", through.quantile(0.5) <= 8)]
                rates = (f"{count / side.seconds:,.0f}/s, {side}" for side in (through, bare))
                row(f"submits of {agents} at once, {count:,}", *rates, f"{share:.0%}", *goals)

    def submit(self, url, token, number):
        """Returns the requests that submit an observation."""
        body = {"category": "general"} | self.corpus.observation(number)
        for name in ("source", "created_at", "ref"):  # of an import alone
            body.pop(name)
        return [target("POST", f"{url}/intake/submit", json.dumps(body).encode(), Authorization=f"Bearer {token}")]

    def filled(self, size):
        """Makes sure of a store of so many submissions, which an earlier run may have left."""
        store = self.store(size)
        store.make()
        if store.count() < 0.98 * size:  # a few are alike
            store.wipe()
            self.fill(store, 0, size)
        return store

    def fill(self, store, first, size):
        """Imports a store's submissions from a number on, without refreshes, and waits for the merges that are due then."""
        index = f"{ELASTICSEARCH}/{store.prefix}-submissions"
        call("PUT", f"{index}/_settings", {"refresh_interval": "-1", "translog.durability": "async"})
        store.load(self.corpus.lines(at, min(1000, size - at)) for at in range(first, size, 1000))
        call("PUT", f"{index}/_settings", {"refresh_interval": "1s", "translog.durability": "request"})
        call("POST", f"{index}/_forcemerge")  # as Elasticsearch's policy asks for, no more

    def record(self, store, sets):
        """Returns the requests that the service sends for each question of each set. It asks all twice, and takes the second
        time, when the service knows the words; that warms Elasticsearch up as well."""
        with recorder(SEARCHES) as (address, taken), self.store(store.prefix.removeprefix("bench_"), address).serve() as (url, _):
            recordings = {}
            for name, questions in sets.items():
                for question in questions:
                    call("GET", search_url(url, question))
                recordings[name] = []
                for question in questions:
                    taken.clear()
                    call("GET", search_url(url, question))
                    recordings[name].append([target(method, ELASTICSEARCH + path, body) for method, path, body in taken])
            return recordings

    def searches(self):
        """Searches, against the requests that the service sends for them."""
        sets = self.corpus.question_sets(self.options.rate * self.options.duration)
        smaller = {}  # medians
        for size in sorted({min(SMALLER, self.options.docs), self.options.docs}):
            store = self.filled(size)
            recordings = self.record(store, sets)
            with store.serve() as (url, process):
                before = memory(process, "VmRSS")
                for question in itertools.chain(*sets.values()):
                    call("GET", search_url(url, question))
                for name, questions in sets.items():
                    what = f"search, {name}, {size:,}"
                    through = [[target("GET", search_url(url, question))] for question in questions]
                    searched, direct = self.take_turns(through, recordings[name])
                    half, ratios = searched.quantile(0.5), compared(searched, direct)
                    goals = [("p50 1.10 x or + 0.4 ms", half <= max(1.1 * direct.quantile(0.5), direct.quantile(0.5) + 0.4)),
                             ("p99 1.25 x", searched.quantile(0.99) <= 1.25 * direct.quantile(0.99))]
                    if size >= 1_000_000 and name in MILLION:
                        most = MILLION[name]
                        goals.append((f"{most[0]} / {most[1]} ms", half <= most[0] and searched.quantile(0.99) <= most[1]))
                    if name in smaller:
                        goals.append((f"3 x the smaller store ({half / smaller[name]:.2f} x)", half <= 3 * smaller[name]))
                    smaller[name] = half
                    row(what, searched, direct, ratios, *goals)
                most = memory(process, "VmHWM")
                row(f"memory under search, {size:,}", f"{most:.1f} MiB, {before:.1f} at start", "", "", ("100 MiB", most <= 100))

    def capacity(self):
        """What a store costs while it grows to so many submissions: import, bytes, heap, searches, asks."""
        store = self.store("capacity")
        store.make()
        for size in CAPACITIES:
            if size > self.options.docs:
                break
            first, began = store.count(), time.monotonic()
            if first < 0.98 * size:
                self.fill(store, first // 1000 * 1000, size)
                seconds = time.monotonic() - began
                row(f"import up to {size:,}", f"{(size - first) / seconds:,.0f}/s, {seconds / 60:.1f} min")
            settle()
            row(f"merges after it, {size:,}", f"{(time.monotonic() - began) / 60:.1f} min with the import")
            stats = call("GET", f"{ELASTICSEARCH}/bench_capacity-*/_stats/store,segments")["_all"]["primaries"]
            row(f"on disk, {size:,}", f"{stats['store']['size_in_bytes'] / 1e9:.2f} GB, {stats['segments']['count']} segments")
            questions = self.corpus.question_sets(self.options.rate * self.options.duration)["clean"]
            with store.serve() as (url, process):
                for what, path in (("search", "search/all"), ("ask", "ask")):
                    operations = [[target("GET", f"{url}/{path}?q={urllib.parse.quote(text)}")] for text in questions]
                    Side().attack(operations[:100], 10)
                    side = Side()
                    side.attack(operations, self.options.duration)
                    row(f"{what}, {size:,}, {self.options.rate} a second", side)
                row(f"memory of the service, {size:,}", f"{memory(process, 'VmHWM'):.0f} MiB at most")
            heap = [call("GET", f"{ELASTICSEARCH}/_nodes/stats/jvm")["nodes"] for _ in range(3)]
            used = min(node["jvm"]["mem"]["heap_used_in_bytes"] for nodes in heap for node in nodes.values())
            row(f"heap in use, {size:,}", f"{used / 1e6:.0f} MB")

    def take_turns(self, *operations):
        """Sends each side's operations in turns. Which side is first changes: the next one finds warmer caches."""
        sides, length = [Side() for _ in operations], self.options.rate * SEARCH_TURN
        for turn in range(len(operations[0]) // length):
            for i in range(len(sides)):
                at = (turn + i) % len(sides)
                sides[at].attack(operations[at][turn * length:(turn + 1) * length], SEARCH_TURN)
        return sides

    def starts(self):
        """The service's start on a filled store, and `make run` with an empty one, to the first search that is answered."""
        store, took = self.filled(min(SMALLER, self.options.docs)), []
        for _ in range(5):
            began = time.monotonic()
            with store.serve() as (url, _):
                call("GET", search_url(url, "oracle price is stale"))
                took.append(time.monotonic() - began)
        row("start to the first answer, of five", f"{1000 * statistics.median(took):.0f} ms, {1000 * max(took):.0f} at most")
        # Without addresses it starts an engine of its own.
        run = Store("scripts/run", "run", "", REDIS_URL="", AGENTLORE_HOME=os.path.abspath(f"{WORK}/home"))
        began = time.monotonic()
        try:
            with run.serve("--listen=127.0.0.1:0") as (url, _):
                call("GET", search_url(url, "allowance"))
                took = time.monotonic() - began
        finally:
            subprocess.run(["scripts/engine", "stop", "--name", "run", "--wipe"], env=run.environment, check=True)
        row("cold `make run` on a warm cache, to the first answer", f"{took:.1f} s", "", "", ("30 s", took <= 30))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--docs", type=int, default=SMALLER, help="submissions to search in; above %d both sizes" % SMALLER)
    parser.add_argument("--rate", type=int, default=20, help="searches a second")
    parser.add_argument("--duration", type=int, default=20, help="seconds of load on each side of a comparison")
    parser.add_argument("--only", default="imports,searches,submits,starts", help="sections to run")
    parser.add_argument("--binary", help="measure this binary, not the tree's")
    bench = Bench(parser.parse_args())
    install()
    print("| what | agentlore | Elasticsearch alone | agentlore to it | goals |\n|---|---|---|---|---|")
    for section in bench.options.only.split(","):
        getattr(bench, section)()
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], stdout=subprocess.PIPE, text=True).stdout.strip()
    print(f"\n{time.strftime('%Y-%m-%d')}, commit {commit}, {os.cpu_count()} processors; {bench.options.duration} s a side, "
          f"{bench.options.rate} searches a second; times are p50 / p99.")


if __name__ == "__main__":
    main()
