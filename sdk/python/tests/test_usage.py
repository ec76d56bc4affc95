"""Usage bills: vectors/usage/usage.json, and altered members."""

from __future__ import annotations

import json
import pickle
import random
import unittest
from dataclasses import replace
from typing import Any, Optional, Tuple

from superroot import ProofError, TrustedSuperRoot, UnknownChain, UsageFacts, verify_usage
from superroot.forms.usage import check_usage
from vectors import bodies, leaves, mutated


def judged(body: Any, trusted: str) -> Tuple[Optional[str], Optional[UsageFacts]]:
    """Step at which a bill is refused, or what it shows. Any other exception comes through."""
    try:
        return None, verify_usage(json.dumps(body).encode(), TrustedSuperRoot.of(trusted))
    except ProofError as error:
        return error.step, None


class Usage(unittest.TestCase):
    def test_every_bill_is_judged_at_its_step(self) -> None:
        read = bodies("usage/usage.json")
        self.assertGreaterEqual(len(read), 60)
        for row in read:
            with self.subTest(name=row["name"]):
                self.assertEqual(judged(row["body"], row["trusted"])[0], row["refused_at"])

    def test_a_bill_shows_the_accounts_day(self) -> None:
        row = bodies("usage/usage.json")[0]
        shown = judged(row["body"], row["trusted"])[1]
        if shown is None:
            self.fail("refused")
        self.assertEqual((shown.requests, shown.billing_tokens, shown.row_count, shown.accounts), (60, 10, 5, 21))
        self.assertEqual((shown.day, shown.environment, shown.sequence), ("2023-11-13", "test", 3))
        self.assertEqual("0x" + shown.contract.hex(), row["body"]["usage_checkpoint"]["contract"])
        anchor = shown.event.anchor
        self.assertEqual(None if anchor is None else anchor.by, "superroot")

    def test_altered_bills_are_refused_or_say_the_same(self) -> None:
        choice = random.Random(23)
        for row in bodies("usage/usage.json"):
            if row["refused_at"] is not None:
                continue
            good = judged(row["body"], row["trusted"])[1]
            ways = leaves(row["body"])
            refused = 0
            for path in choice.choices(ways, k=120):
                step, shown = judged(mutated(row["body"], path, choice), row["trusted"])
                refused += step is not None
                with self.subTest(name=row["name"], path=path):
                    if shown is not None and good is not None:
                        same = replace(shown, user_id=shown.user_id.lower(), event=good.event, row_count=good.row_count)
                        self.assertEqual(same, good)
            self.assertGreater(refused, 40)

    def test_a_chain_without_a_row_is_not_judged(self) -> None:
        with self.assertRaises(UnknownChain) as caught:
            check_usage(bodies("usage/usage.json")[0]["body"], {})
        self.assertEqual(caught.exception.step, "proof")
        again = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((type(again), again.step), (UnknownChain, "proof"))

    def test_a_bill_is_anchored_only_by_what_is_trusted(self) -> None:
        row = bodies("usage/usage.json")[0]
        self.assertEqual(judged(row["body"], "0x" + "00" * 32)[0], "anchor")
        nothing: Tuple[Any, ...] = ({}, {"usage_checkpoint": None}, {"usage_checkpoint": []}, {"usage_checkpoint": {}})
        for body in nothing:
            self.assertEqual(judged(body, row["trusted"])[0], "no_usage")


if __name__ == "__main__":
    unittest.main()
