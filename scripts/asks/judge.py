#!/usr/bin/env python3
"""Asks a running service what agents really send when something fails, and judges the answers.

    scripts/asks/judge.py [--url http://127.0.0.1:8080] [--show] FILE

FILE holds a JSON object a line: id, class, ask, about and fix (regular expressions that must all match in a right result, case ignored).
Class unknown exists nowhere: right is any verdict but "known".
"""
import argparse
import collections
import json
import re
import time
import urllib.request


def ask(url, text):
    body = json.dumps({"text": text}).encode()
    request = urllib.request.Request(url + "/ask", body, {"Content-Type": "application/json"})
    began = time.monotonic()
    with urllib.request.urlopen(request, timeout=30) as answer:
        raw = answer.read()
    return json.loads(raw), len(raw), (time.monotonic() - began) * 1000


def matches(patterns, text):
    return all(re.search(pattern, text, re.I | re.S) for pattern in patterns)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", default="http://127.0.0.1:8080")
    parser.add_argument("--show", action="store_true", help="a line for each ask that isn't right at the first place")
    parser.add_argument("file")
    given = parser.parse_args()
    counts = collections.defaultdict(collections.Counter)
    sizes, times = [], []
    for line in open(given.file, encoding="utf-8"):
        row = json.loads(line)
        answer, size, took = ask(given.url, row["ask"])
        sizes.append(size)
        times.append(took)
        problems = [answer["problem"]] if answer.get("problem") else []
        problems += answer.get("also") or []
        texts = [json.dumps(problem, ensure_ascii=False) for problem in problems]
        known = answer["verdict"] == "known"
        for name in (row["class"], "all") if row["class"] != "unknown" else ("unknown",):
            count = counts[name]
            count["asks"] += 1
            count[answer["verdict"]] += 1
            if row["class"] == "unknown":
                continue
            about = [matches(row["about"], text) for text in texts]
            fixed = [hit and matches(row["fix"], text) for hit, text in zip(about, texts)]
            count["first"] += about[:1] == [True]
            count["first with fix"] += fixed[:1] == [True]
            count["in three"] += any(about[:3])
            count["known and right"] += known and about[:1] == [True]
            if given.show and name != "all" and not fixed[:1] == [True]:
                first = problems[0]["title"] if problems else "-"
                print(f'{row["id"]:9} {answer["verdict"]:8} about={about} fix={fixed[:1]} | {row["ask"][:90]!r} -> {first}')
        if given.show and row["class"] == "unknown" and known:
            print(f'{row["id"]:9} known!   | {row["ask"][:90]!r} -> {problems[0]["title"]}')
    columns = ("first", "first with fix", "in three", "known", "similar", "unknown", "known and right")
    print(f'{"class":12} {"asks":>5}', *(f"{name:>15}" for name in columns))
    for name, count in sorted(counts.items()):
        print(f'{name:12} {count["asks"]:5}', *(f'{count[column] / count["asks"]:15.0%}' for column in columns))
    sizes.sort()
    times.sort()
    tokens = [size / 4 for size in sizes]
    print(f'answer: median {tokens[len(tokens) // 2]:.0f} tokens, most {tokens[-1]:.0f} (4 bytes a token); median {times[len(times) // 2]:.0f} ms, p99 {times[int(len(times) * 0.99)]:.0f} ms')


if __name__ == "__main__":
    main()
