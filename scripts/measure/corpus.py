"""Any number of submissions, and questions to them, made of real observations."""

import collections
import datetime
import gzip
import json
import os
import random
import re
import string

from service import DATA

SENTENCE = re.compile(r"[^\n]*?[.!?] |[^\n]*\n|[^\n]+$")  # joined, they are the text
LONG_WORD = re.compile(r"[A-Za-z]{5,}")


def observations():
    """Yields the real observations, or those of the demo where there are none."""
    path = f"{DATA}/observations.jsonl.gz"
    if not os.path.exists(path):
        path = "scripts/demo/observations.jsonl"
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def halves(summary):
    """Cuts a summary at the space behind its middle, which goes with the end."""
    cut = summary.find(" ", len(summary) // 2)
    return (summary[:cut], summary[cut:]) if cut > 0 else (summary, "")


class Corpus:
    """Recombines real observations: each new one takes a real one and replaces both halves of its summary and each sentence of
    its texts by another one of the same field and about the same length. So vocabulary, term frequencies and lengths stay those
    of real text, while hardly two are alike."""

    def __init__(self):
        self.real = list(observations())
        self.parts = collections.defaultdict(list)  # by field and the binary logarithm of the length
        for one in self.real:
            start, end = halves(one["summary"])
            fields = {"start": [start], "end": [end]}
            fields |= {name: SENTENCE.findall(one.get(name, "")) for name in ("content", "resolution")}
            for field, parts in fields.items():
                for part in parts:
                    self.parts[field, len(part).bit_length()].append(part)

    def observation(self, number):
        """Returns an observation that depends on its number alone: a longer corpus begins with a shorter one."""
        chance = random.Random(number)
        made = dict(chance.choice(self.real))

        def like(field, part):
            return chance.choice(self.parts[field, len(part).bit_length()])

        start, end = halves(made["summary"])
        made["summary"] = (like("start", start) + like("end", end))[:500]
        for field in ("content", "resolution"):
            # What ended its text has no space behind it: without one, two words would become a new one.
            made[field] = "".join(like(field, part).rstrip(" ") + " " for part in SENTENCE.findall(made.get(field, "")))[:20_000]
        made["source"] = f"bench {chance.randrange(2500)}"
        made["created_at"] = (datetime.datetime(2023, 1, 1) + datetime.timedelta(minutes=number)).isoformat() + "Z"
        made["ref"] = f"bench/{number:08}"
        return made

    def lines(self, first, count):
        """Returns observations as an import reads them."""
        return "".join(json.dumps(self.observation(n)) + "\n" for n in range(first, first + count)).encode()

    def question_sets(self, count):
        """Returns so many different questions of each kind. No cache answers what agents would not have asked before."""
        chance = random.Random(1)

        def phrase(one):
            """2 to 8 words that stand together, of the summary mostly."""
            words = (one.get(chance.choice(("summary", "summary", "summary", "content"))) or one["summary"]).split()
            length = min(chance.randint(2, 8), len(words))
            start = chance.randint(0, len(words) - length)
            return " ".join(words[start:start + length])

        phrases = dict.fromkeys(map(phrase, chance.choices(self.real, k=20 * count)))
        clean = [text for text in phrases if len(text) <= 200 and LONG_WORD.search(text)][:count]
        return {"clean": clean, "every word mistyped": [mistype(text, chance) for text in clean]}


def mistype(text, chance):
    """Makes one slip in every word of five letters or more, behind its first letter."""
    def slip(found):
        word, other = found[0], chance.choice(string.ascii_lowercase)
        at = chance.randrange(1, len(word) - 1)
        slips = (
            word[:at] + word[at + 1:],
            word[:at] + word[at + 1] + word[at] + word[at + 2:],
            word[:at] + other + word[at:],
            word[:at] + other + word[at + 1:],
        )
        return chance.choice([wrong for wrong in slips if wrong != word])
    return LONG_WORD.sub(slip, text)
