"""Scans: vectors/hostile/scans.json, and damaged ones."""

from __future__ import annotations

import unittest
from typing import Any, List, Optional, Tuple

from superroot import ProofError, TrustedSuperRoot, verify_scan
from superroot._hash import keccak256
from superroot.ledgers._mpt import trie_value
from superroot.ledgers._rlp import index_key
from superroot.ledgers._trie_root import ordered_root
from vectors import rows

Verdict = Tuple[Optional[str], Optional[List[List[int]]]]


def verdict(data: bytes, trusted: bytes) -> Verdict:
    try:
        facts = verify_scan(data, TrustedSuperRoot(trusted))
    except ProofError as error:
        return error.step, None
    return None, [[event.block_number, event.tx_index, event.log_index] for event in facts.events]


def row_verdict(row: Any) -> Verdict:
    return verdict(bytes.fromhex(row["scan"]), bytes.fromhex(row["trusted"][2:]))


class Scans(unittest.TestCase):
    def test_every_scan_has_its_events_or_step(self) -> None:
        read = rows("hostile/scans.json")
        self.assertGreaterEqual(len(read), 42)
        for row in read:
            with self.subTest(name=row["name"]):
                expected = row["refused_at"]
                self.assertEqual(row_verdict(row), (expected, row.get("events") if expected is None else None))

    def test_damaged_scans_are_refused_with_proof_error(self) -> None:
        good = [row for row in rows("hostile/scans.json") if row["refused_at"] is None]
        row = min(good, key=lambda row: len(row["scan"]))
        data, trusted = bytes.fromhex(row["scan"]), bytes.fromhex(row["trusted"][2:])
        for place in range(len(data)):
            damaged = bytearray(data)
            damaged[place] ^= 1 << place % 8
            with self.subTest(place=place):
                self.assertIsNotNone(verdict(bytes(damaged), trusted)[0])
        for length in range(0, len(data), 9):
            self.assertEqual(verdict(data[:length], trusted)[0], "encoding")
        self.assertEqual(verdict(data + b"\x00", trusted)[0], "encoding")

    def test_the_root_over_no_leaf_and_over_one(self) -> None:
        empty = "56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"
        self.assertEqual(ordered_root([]).hex(), empty)
        leaf = bytes(300)
        root = ordered_root([leaf])
        self.assertEqual(len(root), 32)
        # one leaf: a list of the path `20 80` in hex-prefix form and the value
        node = b"\xf9\x01\x32" + b"\x82\x20\x80" + b"\xb9\x01\x2c" + leaf
        self.assertEqual(root, keccak256(node))
        self.assertEqual(trie_value(root, index_key(0), [node]), leaf)


if __name__ == "__main__":
    unittest.main()
