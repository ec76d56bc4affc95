"""Proofs in the form for contracts: vectors/real/calldata*.json, vectors/hostile/calldata*.json, and altered ones."""

from __future__ import annotations

import json
import random
import unittest
from typing import Any, List, Optional, Tuple

import worlds
from superroot import Facts, ProofError, TrustedKey, TrustedSuperRoot, verify_calldata
from superroot._hash import keccak256
from superroot.forms.answer import render_answer, verify_answer
from superroot.forms.calldata import calldata_of, decode_calldata
from superroot.trust import Trust
from test_answers import without_missing
from vectors import STEPS, rows

ORIGIN = "recorded/calldata"


def judged(data: bytes, trust: Trust, origin: Optional[str] = ORIGIN) -> Tuple[Optional[str], Optional[Facts]]:
    """Step at which a proof is refused, or what it shows. Any other exception comes through."""
    try:
        return None, verify_calldata(data, trust, origin)
    except ProofError as error:
        return error.step, None


class Calldata(unittest.TestCase):
    def shown(self, row: Any) -> Facts:
        step, facts = judged(bytes.fromhex(row["calldata"]), TrustedSuperRoot.of(row["trusted"]), row["origin"])
        if facts is None or facts.super_root is None or facts.block_hash is None:
            self.fail(f"{row['name']}: {step}")
        self.assertEqual("0x" + facts.super_root.log_id.hex(), row["log_id"])
        self.assertEqual(facts.super_root.sequence, row["sequence"])
        self.assertEqual("0x" + facts.block_hash.hex(), row["block_hash"])
        subject = facts.statement.subject
        kind = "event" if row["shows"] in ("log", "output") else row["shows"]
        self.assertEqual((facts.statement.number, subject.kind, subject.tx_index), (row["block_number"], kind, row["tx_index"]))
        return facts

    def test_real_blocks_show_what_the_vectors_say(self) -> None:
        read = rows("real/calldata.json")
        self.assertGreaterEqual(len(read), 232)
        for place, row in enumerate(read):
            with self.subTest(name=row["name"]):
                facts = self.shown(row)
                self.assertEqual(facts.statement.chain_id, row["chain_id"])
                if row["emitter"] is not None:
                    if facts.log is None:
                        self.fail("no log")
                    topics = ["0x" + topic.hex() for topic in facts.log.topics]
                    hashed = keccak256(facts.log.data).hex()
                    said = "0x" + facts.log.address.hex(), topics, "0x" + hashed
                    self.assertEqual(said, (row["emitter"], row["topics"], row["data_hash"]))
                if place % 4 == 0:
                    # what is rendered of a real block is read again
                    proof = decode_calldata(bytes.fromhex(row["calldata"]), row["origin"])
                    body = json.dumps(without_missing(render_answer(proof, facts))).encode()
                    verify_answer(body, TrustedSuperRoot.of(row["trusted"]))

    def test_bitcoin_shows_what_the_vectors_say(self) -> None:
        read = rows("real/calldata-bitcoin.json")
        self.assertGreaterEqual(len(read), 67)
        for row in read:
            with self.subTest(name=row["name"]):
                facts = self.shown(row)
                if row["transaction_hash"] is not None:
                    own = None if facts.transaction is None else facts.transaction.hash.hex()
                    self.assertEqual(f"0x{own}", row["transaction_hash"])
                if row["value_sats"] is not None:
                    if facts.event is None:
                        self.fail("no output")
                    said = str(facts.event["value_sats"]), facts.event["script_pubkey"].hex()
                    self.assertEqual(said, (str(row["value_sats"]), row["script"]))

    def test_every_hostile_row_is_refused_at_its_step(self) -> None:
        for path, least in (("hostile/calldata.json", 137), ("hostile/calldata-bitcoin.json", 75)):
            read = rows(path)
            self.assertGreaterEqual(len(read), least)
            for row in read:
                step, _ = judged(bytes.fromhex(row["calldata"]), TrustedSuperRoot.of(row["trusted"]))
                with self.subTest(path=path, name=row["name"]):
                    self.assertEqual(step, STEPS.get(row["refused_at"], row["refused_at"]))

    def samples(self) -> List[Tuple[bytes, TrustedSuperRoot]]:
        read = rows("real/calldata.json")[::12] + rows("real/calldata-bitcoin.json")[::12]
        return [(bytes.fromhex(row["calldata"]), TrustedSuperRoot.of(row["trusted"])) for row in read]

    def test_a_flipped_bit_or_a_cut_is_refused(self) -> None:
        choice = random.Random(31)
        for data, trust in self.samples():
            for _ in range(6):
                altered = bytearray(data)
                altered[choice.randrange(len(data))] ^= 1 << choice.randrange(8)
                self.assertIsNotNone(judged(bytes(altered), trust)[0])
                cut = judged(data[: choice.randrange(len(data))], trust)[0]
                self.assertEqual(cut, "form")
            self.assertEqual(judged(data + b"\x00", trust)[0], "form")

    def test_numbers_at_their_bounds(self) -> None:
        for data, trust in self.samples()[::5]:
            good = judged(data, trust)[1]
            for place in range(0, min(len(data), 2000), 7):
                for edge in (b"\xff" * 4, b"\xff" * 8, bytes(8)):
                    altered = data[:place] + edge + data[place + len(edge) :]
                    step, facts = judged(altered, trust)
                    if step is None and facts is not None and good is not None:
                        # another log of the same receipt, or another output, is as true
                        self.assertEqual(facts.block_hash, good.block_hash)
                        self.assertEqual(facts.statement.subject.tx_index, good.statement.subject.tx_index)

    def test_hex_and_the_origin_of_a_key(self) -> None:
        row = rows("real/calldata.json")[0]
        trust = TrustedSuperRoot.of(row["trusted"])
        for text in (f"0x{row['calldata']}", f" 0x{row['calldata'].upper()}\n"):
            self.assertIsNone(judged(text.encode(), trust)[0])
        for data in (b"", b"0x", b"0x03", b"0x010", b"\x03", f"0x{row['calldata']}0".encode(), b"{}"):
            self.assertEqual(judged(data, trust)[0], "form")
        self.assertIsNone(calldata_of(b"SRPROOF"))
        self.assertEqual(judged(bytes.fromhex(row["calldata"]), trust, None)[0], "form")
        self.assertEqual(judged(bytes.fromhex(row["calldata"]), trust, "a b")[0], "form")
        self.assertEqual(judged(bytes.fromhex(row["calldata"]), trust, "example.org/other")[0], "anchor")
        # the origin is that of the key; the form carries no note, so the key itself anchors nothing
        key = TrustedKey.of(worlds.Signer(ORIGIN).vkey)
        self.assertEqual(judged(bytes.fromhex(row["calldata"]), key, None)[0], "anchor")


if __name__ == "__main__":
    unittest.main()
