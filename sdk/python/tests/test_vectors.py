"""Every proof file among the vectors has its verdict and its step."""

from __future__ import annotations

import pickle
import unittest
from collections import Counter

from superroot import NotAnchored, NoteError, ProofError, TrustedSuperRoot, UnknownChain, verify
from vectors import FAMILIES, STEPS, proofs, rows, step_of


class Vectors(unittest.TestCase):
    def test_every_proof_has_its_verdict_and_step(self) -> None:
        counts: Counter[str] = Counter()
        for file, row in proofs():
            expected = row.get("refused_at")
            with self.subTest(file=file, name=row.get("name")):
                got = step_of(bytes.fromhex(row["proof"]), bytes.fromhex(row["trusted"][2:]))
                self.assertEqual(got, None if expected is None else STEPS.get(expected, expected))
            counts[file] += 1
        self.assertGreaterEqual(sum(counts.values()), 544)
        self.assertGreaterEqual(counts["valid/ledgers.json"], 92)
        self.assertEqual(sum(file.startswith("hostile/") for file in counts), 9)

    def test_valid_proofs_show_hash_and_count(self) -> None:
        families = set()
        for row in rows("valid/ledgers.json"):
            facts = verify(bytes.fromhex(row["proof"]), TrustedSuperRoot.of(row["trusted"]))
            families.add(facts.statement.family_name)
            with self.subTest(name=row["name"]):
                got = None if facts.transaction is None else "0x" + facts.transaction.hash.hex()
                self.assertEqual(got, row["transaction_hash"])
                self.assertEqual(facts.tx_count, row["tx_count"])
                self.assertEqual(facts.level, 5)
        self.assertEqual(families, set(FAMILIES))

    def test_unbound_positions_are_not_shown(self) -> None:
        for row in rows("protocol/shown.json"):
            facts = verify(bytes.fromhex(row["proof"]), TrustedSuperRoot.of(row["trusted"]))
            with self.subTest(name=row["name"]):
                self.assertEqual(facts.block_bound, row["block_bound"])
                self.assertEqual(facts.statement.tx_index, row["tx_index"])
                self.assertEqual(facts.statement.log_index, row["log_index"])

    def test_a_log_is_typed(self) -> None:
        row = next(row for row in rows("protocol/shown.json") if row["name"] == "a log of Ethereum")
        facts = verify(bytes.fromhex(row["proof"]), TrustedSuperRoot.of(row["trusted"]))
        if facts.log is None or facts.event is None:
            self.fail("no log")
        self.assertEqual((facts.log.address, facts.log.topics), (facts.event["address"], facts.event["topics"]))

    def test_errors_pass_between_processes(self) -> None:
        for error in (ProofError("twig", "why"), NotAnchored("why"), UnknownChain("why")):
            again = pickle.loads(pickle.dumps(error))
            self.assertEqual((type(again), again.step, again.reason), (type(error), error.step, "why"))
        fault = pickle.loads(pickle.dumps(NoteError("key", "why")))
        self.assertEqual((fault.fault, fault.reason), ("key", "why"))

    def test_another_superroot_is_refused_at_the_anchor(self) -> None:
        row = rows("valid/ledgers.json")[0]
        self.assertEqual(step_of(bytes.fromhex(row["proof"]), bytes(32)), "anchor")


if __name__ == "__main__":
    unittest.main()
