"""Writes train.txt, valid.txt and test.txt into the folder data, in place of wikitext-2, which has to be
downloaded: lines of words, of which few are frequent and many rare, each after one of two predecessors.
"""

import itertools
import os
import random

random.seed(1)
WORDS = [f"w{i}" for i in range(10000)]
UP_TO = list(itertools.accumulate(1 / (i + 2) for i in range(len(WORDS))))


def pick(count):
    return random.choices(range(len(WORDS)), cum_weights=UP_TO, k=count)


FOLLOWERS = [pick(2) for _ in WORDS]


def text(tokens):
    word, line = 0, []
    while tokens > 0:
        if random.random() < 0.5:
            word = random.choice(FOLLOWERS[word])
        else:
            word = pick(1)[0]
        line.append(WORDS[word])
        if len(line) == 25 or tokens == 1:
            yield " ".join(line)
            line = []
        tokens -= 1


os.makedirs("data", exist_ok=True)
for name, tokens in ("train", 400000), ("valid", 20000), ("test", 20000):
    with open(f"data/{name}.txt", "w", encoding="utf8") as file:
        file.writelines(line + "\n" for line in text(tokens))
