"""Damaged proofs are refused with ProofError alone."""

from __future__ import annotations

import unittest
from dataclasses import replace

from superroot import ProofError, TrustedSuperRoot, read_proof, verify
from superroot.ledgers.solana import RecordEntry
from vectors import FAMILIES, REAL_EVENT, one_of_each_ledger, rows, step_of


class Damage(unittest.TestCase):
    def test_one_flipped_bit_in_every_byte_of_a_proof_of_each_ledger(self) -> None:
        proofs = one_of_each_ledger()
        self.assertEqual(set(proofs), set(FAMILIES))
        for family, (data, trusted) in proofs.items():
            self.assertIsNone(step_of(data, trusted), family)
            for place in range(len(data)):
                damaged = bytearray(data)
                damaged[place] ^= 1 << place % 8
                with self.subTest(family=family, place=place):
                    if step_of(bytes(damaged), trusted) is None:
                        self.shows_the_same(family, data, bytes(damaged), trusted)

    def shows_the_same(self, family: str, data: bytes, damaged: bytes, trusted: bytes) -> None:
        """Solana's ``signature_count`` is not shown: counts with the same paths are equally true."""
        self.assertEqual(family, "solana")
        whole, other = read_proof(data), read_proof(damaged)
        if not isinstance(whole.entry, RecordEntry) or not isinstance(other.entry, RecordEntry):
            self.fail("no record")
        self.assertEqual(replace(other.entry, signature_count=whole.entry.signature_count), whole.entry)
        trust = TrustedSuperRoot(trusted)
        self.assertEqual(verify(damaged, trust).transaction, verify(data, trust).transaction)

    def test_cuts_are_no_proof(self) -> None:
        for family, (data, trusted) in one_of_each_ledger().items():
            for length in range(0, len(data), 3):
                with self.subTest(family=family, length=length):
                    self.assertEqual(step_of(data[:length], trusted), "encoding")

    def test_doubled_and_removed_bytes_are_refused(self) -> None:
        for family, (data, trusted) in one_of_each_ledger().items():
            self.assertEqual(step_of(data + data, trusted), "encoding")
            self.assertEqual(step_of(data + b"\x00", trusted), "encoding")
            for place in range(0, len(data), 5):
                for size in (1, 32):
                    doubled = data[: place + size] + data[place:]
                    removed = data[:place] + data[place + size :]
                    for damaged in (doubled, removed):
                        with self.subTest(family=family, place=place, size=size):
                            self.assertIsNotNone(step_of(damaged, trusted))

    def test_lengths_and_counts_at_their_bounds_allocate_nothing(self) -> None:
        for family, (data, trusted) in one_of_each_ledger().items():
            for place in range(0, len(data) - 4, 2):
                damaged = data[:place] + b"\xff\xff\xff\xff" + data[place + 4 :]
                if damaged == data:
                    continue
                with self.subTest(family=family, place=place):
                    self.assertIsNotNone(step_of(damaged, trusted))

    def test_parts_of_two_proofs_make_none(self) -> None:
        real = REAL_EVENT.read_bytes()
        trusted = bytes.fromhex(rows("real/ethereum.json")[0]["trusted"][2:])
        self.assertIsNone(step_of(real, trusted))
        for family, (data, _) in one_of_each_ledger().items():
            for place in (64, len(data) // 2, len(data) - 64):
                with self.subTest(family=family, place=place):
                    self.assertIsNotNone(step_of(data[:place] + real[place:], trusted))

    def test_what_is_no_file_is_no_proof(self) -> None:
        for data in (b"", b"SRPROOF", b"SRPROOF\x03", b"SRSCAN\x01", b"{}", bytes(16 << 20), b"\xff" * 5000):
            with self.subTest(length=len(data)), self.assertRaises(ProofError) as caught:
                read_proof(data)
            self.assertEqual(caught.exception.step, "encoding")
        with self.assertRaises(ProofError):
            verify(bytes((16 << 20) + 1), TrustedSuperRoot(bytes(32)))


if __name__ == "__main__":
    unittest.main()
