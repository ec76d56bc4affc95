"""Scans in JSON: pages, searches with completeness in both orders, and altered members."""

from __future__ import annotations

import json
import random
import unittest
from typing import Any, Dict, List, Optional, Tuple

from superroot import ProofError, ScanAnswerFacts, TrustedKey, TrustedSuperRoot, verify_scan_answer
from superroot.trust import Trust
from vectors import ANSWERS, leaves, mutated

Json = Dict[str, Any]
_END = ("sequence", "superRootHash", "scanFormat", "scanBlob", "fromBlock", "toBlock", "outsideReceipts")


def judged(body: Any, trust: Trust) -> Tuple[Optional[str], Optional[ScanAnswerFacts]]:
    """Step at which a scan is refused, or what it shows. Any other exception comes through."""
    try:
        return None, verify_scan_answer(json.dumps(body).encode(), trust)
    except ProofError as error:
        return error.step, None


class ScanAnswers(unittest.TestCase):
    def setUp(self) -> None:
        read = json.loads(ANSWERS.read_text(encoding="utf-8"))
        self.key = TrustedKey.of(read["key"])
        bodies = {one["name"]: one["body"] for one in read["answers"]}
        self.page: Json = json.loads(bodies["scan"])
        self.empty: Json = json.loads(bodies["absence of events"])

    def search(self, events: List[Json], searched: Tuple[int, int], goes_on: bool) -> Json:
        """A search as the service answers it with complete=1, over the page's own scan."""
        completeness = {**{name: self.page[name] for name in _END}, "eventCount": len(self.page["events"])}
        return {
            "chainId": self.page["chainId"], "logs": [{**event, "finality": "anchored"} for event in events], "gaps": [],
            "searched": {"from": searched[0], "to": searched[1]}, "completeness": completeness,
            "nextCursor": "x" if goes_on else None,
        }

    def step(self, body: Any) -> Optional[str]:
        return judged(body, self.key)[0]

    def test_pages_hold(self) -> None:
        for page, count in ((self.page, 7), (self.empty, 0)):
            step, shown = judged(page, self.key)
            if shown is None:
                self.fail(str(step))
            self.assertEqual((len(shown.scan.events), shown.listed), (count, None))
            self.assertEqual(shown.unproven, ["nextFromBlock", "notProven", "v5Anchor"])
            self.assertEqual(judged(page, TrustedSuperRoot(bytes(32)))[0], "anchor")

    def test_pages_that_say_something_else_are_refused(self) -> None:
        page = self.page
        self.assertEqual(self.step({**page, "events": page["events"][1:]}), "body")
        self.assertEqual(self.step({**page, "events": page["events"] + page["events"][:1]}), "body")
        self.assertEqual(self.step({**page, "answer": "absent"}), "body")
        self.assertEqual(self.step({**page, "eventCount": 7}), "body")
        self.assertEqual(self.step({**page, "filter": {**page["filter"], "address": []}}), "body")
        event = {**page["events"][0], "transactionHash": "0x" + "11" * 32}
        self.assertEqual(self.step({**page, "events": [event, *page["events"][1:]]}), "body")
        self.assertEqual(self.step({**page, "scanBlob": page["scanBlob"][:-2]}), "encoding")
        self.assertEqual(self.step({"scanBlob": None}), "encoding")

    def test_altered_pages_are_refused_or_say_the_same(self) -> None:
        choice = random.Random(5)
        for page in (self.page, self.empty):
            good = judged(page, self.key)[1]
            refused = 0
            for way in choice.choices(leaves(page), k=60):
                step, shown = judged(mutated(page, way, choice), self.key)
                refused += step is not None
                if shown is not None and good is not None:
                    with self.subTest(way=way):
                        self.assertEqual(shown.scan.events, good.scan.events)
                        self.assertEqual((shown.scan.first, shown.scan.last), (good.scan.first, good.scan.last))
            self.assertGreater(refused, 20)

    def test_a_whole_search_holds_in_both_orders(self) -> None:
        events, whole = self.page["events"], (self.page["fromBlock"], self.page["toBlock"])
        for listed in (events, events[::-1]):
            step, shown = judged(self.search(listed, whole, False), self.key)
            if shown is None:
                self.fail(str(step))
            self.assertEqual((shown.listed, len(shown.scan.events)), (None, 7))
            self.assertIn("logs[].finality", shown.unproven)
        self.assertEqual(self.step(self.search(events[:-1], whole, False)), "body")
        self.assertEqual(self.step(self.search(events[1:] + events[:1], whole, False)), "body")
        self.assertEqual(self.step(self.search(events, (whole[0] + 1, whole[1]), False)), "body")
        self.assertEqual(self.step({**self.search(events, whole, False), "gaps": [{"from": 1, "to": 2}]}), "body")

    def test_a_page_of_a_search_lists_every_event_of_its_blocks_but_the_last(self) -> None:
        events, first, last = self.page["events"], self.page["fromBlock"], self.page["toBlock"]
        oldest, newest = events[0]["blockNumber"], events[-1]["blockNumber"]
        good = self.search(events[:1], (first, oldest), True)
        shown = judged(good, self.key)[1]
        self.assertEqual(None if shown is None else shown.listed, 1)
        self.assertIsNone(self.step(self.search(events[::-1][:1], (newest, last), True)))
        self.assertEqual(self.step(self.search(events[:1], (first, last), True)), "body")
        self.assertEqual(self.step(self.search(events[:4], (first, oldest), True)), "body")
        self.assertEqual(self.step(self.search(events[:1], (oldest, oldest), True)), "body")
        wrong: Tuple[Any, ...] = ({"from": True, "to": oldest}, {"from": first}, None, [], {"from": 1.5, "to": 2})
        for searched in wrong:
            self.assertEqual(self.step({**good, "searched": searched}), "body")

    def test_altered_searches_are_refused_or_say_the_same(self) -> None:
        choice = random.Random(6)
        body = self.search(self.page["events"][:1], (self.page["fromBlock"], self.page["events"][0]["blockNumber"]), True)
        good = judged(body, self.key)[1]
        refused = 0
        for way in choice.choices(leaves(body), k=80):
            step, shown = judged(mutated(body, way, choice), self.key)
            refused += step is not None
            if shown is not None and good is not None:
                with self.subTest(way=way):
                    self.assertEqual(shown.scan.events, good.scan.events)
        self.assertGreater(refused, 40)


if __name__ == "__main__":
    unittest.main()
