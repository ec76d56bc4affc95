"""Members of any form that are of another kind, missing or doubled: ProofError, and nothing else."""

from __future__ import annotations

import copy
import json
import random
import unittest
from typing import Any, Callable, Dict, List, Tuple

from superroot import ProofError, TrustedKey, verify_batch
from superroot.forms.answer import check_answer
from superroot.forms.blob import check_blob
from superroot.forms.launch import check_launch
from superroot.forms.price import check_price
from superroot.forms.scan_answer import check_scan_answer
from superroot.forms.usage import check_usage
from vectors import ANSWERS, bodies, rows

Check = Callable[[Any], Any]
#: Values of every kind of JSON, at the bounds of numbers and texts.
VALUES: Tuple[Any, ...] = (
    None, True, False, 0, -1, 2**53, 2**64, 10**90, 1.5, -0.0, 1e300, "", "0x", "0x0", "x", "0x" + "ff" * 32, "\u0660",
    "\u212a", [], {}, [[]], {"a": 1}, [None], [{}], "9" * 50, "0x" + "00" * 20,
)


def ways(value: Any, path: Tuple[Any, ...] = ()) -> List[Tuple[Any, ...]]:
    """Ways to each value below, with members or without."""
    children: List[Tuple[Any, Any]] = []
    if isinstance(value, dict):
        children = list(value.items())
    elif isinstance(value, list):
        children = list(enumerate(value))
    return [way for name, inner in children for way in [(*path, name), *ways(inner, (*path, name))]]


def damaged(body: Any, choice: random.Random) -> Any:
    """A copy with one to three members that are others, missing, or there twice."""
    other = copy.deepcopy(body)
    for _ in range(choice.choice((1, 1, 2, 3))):
        found = ways(other)
        if not found:
            break
        way = choice.choice(found)
        parent: Any = other
        for name in way[:-1]:
            parent = parent[name]
        turn = choice.random()
        if turn < 0.15:
            del parent[way[-1]]
        elif turn < 0.3 and isinstance(parent, list):
            parent.append(copy.deepcopy(parent[way[-1]]))
        else:
            parent[way[-1]] = copy.deepcopy(choice.choice(VALUES))
    return other


class FormsDamage(unittest.TestCase):
    def damage(self, body: Any, check: Check, turns: int, seed: int) -> None:
        check(body)
        choice = random.Random(seed)
        refused = 0
        for _ in range(turns):
            try:
                check(damaged(body, choice))
            except ProofError:
                refused += 1
        self.assertGreater(refused, turns // 3)

    def test_answers_batches_and_scans(self) -> None:
        read = json.loads(ANSWERS.read_text(encoding="utf-8"))
        key = TrustedKey.of(read["key"])
        checks: Dict[str, Check] = {
            "batch": self.none_raised_inside(lambda body: verify_batch(body, key)), "scan": check_scan_answer,
        }
        for seed, one in enumerate(read["answers"]):
            if one["name"] != "absence of events":
                with self.subTest(name=one["name"]):
                    self.damage(json.loads(one["body"]), checks.get(one["name"], check_answer), 24, seed)

    @staticmethod
    def none_raised_inside(check: Check) -> Check:
        """A batch, refused where one of its items is."""

        def run(body: Any) -> Any:
            shown = check(body)
            for item in shown.items:
                if isinstance(item, ProofError):
                    raise item
            return shown

        return run

    def test_bills_prices_and_launches(self) -> None:
        files: Tuple[Tuple[str, Check], ...] = (
            ("usage/usage.json", check_usage), ("prices/prices.json", check_price), ("prices/launches.json", check_launch),
        )
        for seed, (path, check) in enumerate(files):
            with self.subTest(path=path):
                self.damage(bodies(path)[0]["body"], check, 120, seed)

    def test_blobs(self) -> None:
        row = next(row for row in rows("protocol/consistency.json") if row["name"].startswith("full"))
        self.damage({**row["body"]["toBlob"], "appendedTwigCount": 0, "appendedTwigs": []}, check_blob, 200, 9)


if __name__ == "__main__":
    unittest.main()
