"""Consistency and evidence of forks: vectors, damage, and a rerun of each run's pieces."""

from __future__ import annotations

import copy
import json
import random
import unittest
from typing import Any, Dict, Iterator, List, Optional, Tuple

from superroot import ConsistencyError, EvidenceError, verify_consistency, verify_evidence
from superroot.consistency_full import _Run
from vectors import rows

Body = Dict[str, Any]


def consistency_step(body: Body, row: Body) -> Optional[str]:
    trusted, claimed = bytes.fromhex(row["trusted_from"][2:]), bytes.fromhex(row["claimed_to"][2:])
    try:
        verify_consistency(json.dumps(body).encode(), trusted, claimed)
    except ConsistencyError as error:
        return error.step
    return None


def evidence_fault(body: Body) -> Optional[str]:
    try:
        verify_evidence(json.dumps(body).encode())
    except EvidenceError as error:
        return error.fault
    return None


def places(value: Any, path: Tuple[Any, ...] = ()) -> Iterator[Tuple[Any, ...]]:
    """Path of every value below."""
    children: List[Tuple[Any, Any]] = []
    if isinstance(value, dict):
        children = list(value.items())
    elif isinstance(value, list):
        children = list(enumerate(value))
    for name, child in children:
        yield (*path, name)
        yield from places(child, (*path, name))


def changed(body: Body, path: Tuple[Any, ...], value: Any) -> Body:
    """The body with another value at the path."""
    other = copy.deepcopy(body)
    parent: Any = other
    for name in path[:-1]:
        parent = parent[name]
    parent[path[-1]] = value
    return other


def value_at(body: Body, path: Tuple[Any, ...]) -> Any:
    value: Any = body
    for name in path:
        value = value[name]
    return value


class Consistency(unittest.TestCase):
    def test_every_answer_has_its_step(self) -> None:
        read = rows("protocol/consistency.json") + rows("hostile/consistency.json")
        self.assertGreaterEqual(len(read), 50)
        for row in read:
            with self.subTest(name=row["name"]):
                self.assertEqual(consistency_step(row["body"], row), row["refused_at"])

    def test_the_verdict_names_the_strength(self) -> None:
        for row in rows("protocol/consistency.json"):
            trusted, claimed = bytes.fromhex(row["trusted_from"][2:]), bytes.fromhex(row["claimed_to"][2:])
            facts = verify_consistency(row["body"], trusted, claimed)
            self.assertEqual((facts.strength, facts.unproven), (row["body"]["strength"], []))
            self.assertEqual((facts.earlier.hash, facts.later.hash), (trusted, claimed))

    def test_every_member_that_is_changed_is_refused_or_named_as_not_proven(self) -> None:
        row = next(row for row in rows("protocol/consistency.json") if row["name"] == "full, 1 to 3")
        wrong: List[Any] = [None, 1 << 53, -1, "0x00", [], {}, True, "\ud800"]
        for turn, path in enumerate(places(row["body"])):
            old = value_at(row["body"], path)
            for value in (wrong[turn % 8], wrong[(turn + 3) % 8]):
                if value == old and type(value) is type(old):
                    continue
                with self.subTest(path=path, value=value):
                    self.assertIsNotNone(consistency_step(changed(row["body"], path, value), row))
            if isinstance(old, str) and len(old) > 40:
                flipped = old[:-1] + ("0" if old[-1] != "0" else "1")
                self.assertIsNotNone(consistency_step(changed(row["body"], path, flipped), row))

    def test_what_is_no_answer_is_refused(self) -> None:
        for data in (b"", b"[]", b"{}", b"\xff", b"[" * 100_000, b'{"a":' * 50_000, b'{"strength":NaN}', b'{"a":1,"a":1}'):
            with self.assertRaises(ConsistencyError) as caught:
                verify_consistency(data, bytes(32), bytes(32))
            self.assertEqual(caught.exception.step, "body")

    def test_deep_and_long_members_are_refused(self) -> None:
        for depth in (100, 400, 900, 5_000):
            deep = b"[" * depth + b"]" * depth
            for data in (b'{"strength":' + deep + b"}", b'{"strength":"upgrade","from":{"logId":' + deep + b"}}"):
                with self.subTest(depth=depth), self.assertRaises(ConsistencyError):
                    verify_consistency(data, bytes(32), bytes(32))
            with self.assertRaises(EvidenceError):
                verify_evidence(b'{"notes":[],"evidence":' + deep + b"}")
        with self.assertRaises(ConsistencyError):
            verify_consistency(b'{"strength":1' + b"0" * 3_000_000 + b"}", bytes(32), bytes(32))

    def test_runs_are_whole_when_each_twig_came_once(self) -> None:
        chance = random.Random(5)
        for _ in range(300):
            start, length, first = chance.randrange(5), chance.randrange(12), chance.randrange(4)
            old = (start + first, start + first + chance.randrange(4))
            whole = (start, max(start + length, old[1]))
            due = [index for index in range(*whole) if not old[0] <= index < old[1]]
            chance.shuffle(due)
            run = _Run(whole, old)
            for place, index in enumerate(due):
                self.assertFalse(run.is_complete())
                self.assertTrue(run.take(index))
                again = due[chance.randrange(place + 1)]
                self.assertFalse(run.take(again))
            self.assertTrue(run.is_complete())
            self.assertFalse(run.take(whole[1]) or run.take(whole[0] - 1))


class Evidence(unittest.TestCase):
    def test_every_file_has_its_content_or_fault(self) -> None:
        read = rows("notes/evidence.json")
        self.assertGreaterEqual(len(read), 22)
        for row in read:
            with self.subTest(name=row["name"]):
                self.assertEqual(evidence_fault(row["body"]), row["refused_at"])
                if row["refused_at"] is None:
                    shown = verify_evidence(row["body"])
                    self.assertEqual(str(shown.size), str(row["size"]))
                    self.assertEqual(["0x" + root.hex() for root in shown.roots], row["roots"])

    def test_every_member_that_is_changed_is_refused(self) -> None:
        for row in rows("notes/evidence.json"):
            if row["refused_at"] is not None:
                continue
            wrong: List[Any] = [None, 1 << 53, "0x00", [], {}, True]
            for path in places(row["body"]):
                for value in wrong:
                    with self.subTest(path=path, value=value):
                        self.assertIsNotNone(evidence_fault(changed(row["body"], path, value)))


if __name__ == "__main__":
    unittest.main()
