"""Anchors: a hash, a key, witnesses, and the command line's trust store."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

import worlds
from superroot import (
    Facts,
    NotAnchored,
    NoteError,
    ProofError,
    Trust,
    TrustedKey,
    TrustedStore,
    TrustedSuperRoot,
    TrustStoreError,
    read_proof,
    verify,
)
from superroot.finality import CHECKED_KINDS
from vectors import rows


def by(data: bytes, trust: Trust) -> Facts:
    return verify(data, trust)


class Anchors(unittest.TestCase):
    def setUp(self) -> None:
        self.data, self.origin, self.hash = worlds.proof()
        self.log = worlds.Signer(self.origin)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def refusal(self, data: bytes, trust: Trust) -> ProofError:
        with self.assertRaises(ProofError) as caught:
            verify(data, trust)
        return caught.exception

    def load(self, rest: str) -> TrustedStore:
        return TrustedStore.load(worlds.store(self.folder / "trust.toml", rest))

    def sequence(self) -> int:
        facts = by(self.data, TrustedSuperRoot(self.hash))
        return -1 if facts.super_root is None else facts.super_root.sequence

    def test_a_key_anchors_its_notes_alone(self) -> None:
        trust = TrustedKey.of(self.log.vkey)
        anchor = by(worlds.noted([self.log]), trust).anchor
        self.assertEqual((anchor and anchor.by, anchor and anchor.size), ("key", self.sequence() + 1))
        self.assertIsInstance(self.refusal(self.data, trust), NotAnchored)
        stranger = worlds.Signer("other.example", seed=9)
        self.assertIsInstance(self.refusal(worlds.noted([stranger]), trust), NotAnchored)
        thief = worlds.Signer(self.origin, seed=9)
        self.assertIsInstance(self.refusal(worlds.noted([thief]), trust), NotAnchored)

    def test_a_bad_signature_under_the_key_is_false(self) -> None:
        data = worlds.noted([self.log])
        line = self.log.line("another text\n").encode()
        at = data.index("\u2014 ".encode())
        damaged = data[:at] + line + data[at + len(line) :]
        error = self.refusal(damaged, TrustedKey.of(self.log.vkey))
        self.assertNotIsInstance(error, NotAnchored)
        self.assertEqual(error.step, "anchor")

    def test_a_note_of_another_log_fails_at_level_5(self) -> None:
        data = worlds.noted([self.log], origin="other.example")
        self.assertEqual(self.refusal(data, TrustedSuperRoot(self.hash)).step, "super_root")

    def test_witnesses_are_asked_for(self) -> None:
        north, south = worlds.Signer("n.example", 4, 2), worlds.Signer("s.example", 4, 3)
        policy = f"witness n {north.vkey}\nwitness s {south.vkey}\ngroup both all n s\nquorum both\n"
        trust = TrustedKey.of(self.log.vkey, policy)
        anchor = by(worlds.noted([self.log, north, south]), trust).anchor
        self.assertTrue(anchor and anchor.witnessed)
        self.assertIsInstance(self.refusal(worlds.noted([self.log, north]), trust), NotAnchored)
        with self.assertRaises(NoteError):
            TrustedKey.of(north.vkey)

    def test_a_store_anchors_by_pin_and_by_key(self) -> None:
        sequence = self.sequence()
        pinned = self.load(worlds.log_rows(self.origin, pins={sequence: self.hash}))
        anchor = by(self.data, pinned).anchor
        self.assertEqual(anchor and anchor.by, "pin")
        keyed = self.load(worlds.log_rows(self.origin, self.log.vkey))
        anchor = by(worlds.noted([self.log]), keyed).anchor
        self.assertEqual((anchor and anchor.by, anchor and anchor.joined), ("store", False))
        self.assertIsInstance(self.refusal(self.data, keyed), NotAnchored)
        first = self.load(worlds.log_rows(self.origin, self.log.vkey, more="first_use = true"))
        anchor = by(worlds.noted([self.log]), first).anchor
        self.assertTrue(anchor and anchor.first_use)
        other = self.load(worlds.log_rows("other.example", pins={sequence: self.hash}))
        self.assertIsInstance(self.refusal(self.data, other), NotAnchored)

    def test_a_pin_contradicts(self) -> None:
        forked = self.load(worlds.log_rows(self.origin, self.log.vkey, pins={self.sequence(): bytes(32)}))
        error = self.refusal(worlds.noted([self.log]), forked)
        self.assertNotIsInstance(error, NotAnchored)
        self.assertEqual(error.step, "anchor")

    def test_a_withdrawal_in_the_pinned_registry_wins(self) -> None:
        number = read_proof(self.data).statement.number
        profile = "080000000000000000010865697031" + "35353a31" + "02" + "0000000000000000" + "0001"
        profile += number.to_bytes(8, "big").hex() + "0000"
        rows_ = worlds.log_rows(self.origin, pins={self.sequence(): self.hash}, more=f'registry = ["0x{profile}"]')
        error = self.refusal(self.data, self.load(rows_))
        self.assertNotIsInstance(error, NotAnchored)
        self.assertIn("withdrawn", error.reason)

    def test_an_older_note_is_not_anchored(self) -> None:
        rows_ = worlds.log_rows(self.origin, self.log.vkey, pins={self.sequence() + 5: bytes(32)})
        self.assertIsInstance(self.refusal(worlds.noted([self.log]), self.load(rows_)), NotAnchored)

    def test_two_notes_of_one_size_contradict(self) -> None:
        sequence = self.sequence()
        text = worlds.checkpoint_text(self.origin, sequence + 1, bytes(32))
        note = text + "\n" + self.log.line(text)
        rows_ = worlds.log_rows(self.origin, self.log.vkey, pins={sequence: self.hash}) + f'note = """\n{note}"""\n'
        error = self.refusal(worlds.noted([self.log]), self.load(rows_))
        self.assertNotIsInstance(error, NotAnchored)
        self.assertIn("two histories", error.reason)

    def test_a_store_that_was_altered_is_refused(self) -> None:
        good = worlds.log_rows(self.origin, self.log.vkey, pins={3: bytes(32)})
        path = Path(worlds.store(self.folder / "good.toml", good))
        whole = path.read_bytes()
        for place in range(0, len(whole), 7):
            damaged = bytearray(whole)
            damaged[place] ^= 1
            path.write_bytes(bytes(damaged))
            with self.subTest(place=place), self.assertRaises(TrustStoreError):
                TrustedStore.load(str(path))
        with self.assertRaises(TrustStoreError):
            TrustedStore.load(str(self.folder / "missing.toml"))

    def test_a_store_that_the_command_line_would_not_write_is_refused(self) -> None:
        witness = worlds.Signer(self.origin, 4)
        other = worlds.Signer("other.example")
        for rest in (
            "[[log]]\n",
            worlds.log_rows(self.origin) * 2,
            worlds.log_rows("Log.example"),
            worlds.log_rows(self.origin, witness.vkey),
            worlds.log_rows(self.origin, other.vkey),
            worlds.log_rows(self.origin, more="unknown = 1"),
            worlds.log_rows(self.origin, pins={4: bytes(32), 3: bytes(32)}),
            worlds.log_rows(self.origin, pins={1 << 53: bytes(32)}),
            worlds.log_rows(self.origin, pins={1: bytes(31)}),
            worlds.log_rows(self.origin, more='registry = ["0x08"]'),
            worlds.log_rows(self.origin, self.log.vkey, more='policy = "quorum x"'),
            "log = 1\n",
            "log = [1]\n",
            "[other]\n",
            "not toml",
        ):
            with self.subTest(rest=rest), self.assertRaises(TrustStoreError):
                self.load(rest)

    def test_evidence_of_finality_is_read_and_shows_nothing_by_itself(self) -> None:
        shown = [row for row in rows("finality/finality.json") if row["verdict"] == "shown"]
        self.assertGreater(len(shown), 10)
        kinds = set()
        for row in shown:
            finality = bytes.fromhex(row["finality"][2:])
            data = worlds.with_finality(self.data, finality)
            facts = by(data, TrustedSuperRoot(self.hash))
            if facts.finality is None:
                self.fail("no evidence was read")
            status = "not checked yet" if row["kind"] in CHECKED_KINDS else "not checked here"
            self.assertEqual((facts.finality.kind, facts.finality.status), (row["kind"], status))
            kinds.add(row["kind"])
            for damaged in (data[:-1], data + b"\x00", data.replace(b"\x01", b"\x03", 1)):
                self.assertEqual(self.refusal(damaged, TrustedSuperRoot(self.hash)).step, "encoding")
        self.assertGreater(len(kinds), 8)


if __name__ == "__main__":
    unittest.main()
