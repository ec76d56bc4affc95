"""Finality of a proof from the sets that the command line pinned, and what the command line here says of it."""

from __future__ import annotations

import argparse
import io
import os
import tempfile
import unittest
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, List, Optional, Tuple
from unittest import mock

import worlds
from finality_rows import KINDS, ROWS, Row, params_of_row, raw, read, row_of
from superroot import (
    Facts,
    FinalityNotEnough,
    FinalityShown,
    FinalityVerdict,
    Header,
    ProofError,
    Statement,
    Subject,
    TrustedStore,
    TrustStoreError,
    check_finality,
)
from superroot.cli import main
from superroot.cli_common import Result, facts_result
from superroot.cli_finality import duration_text
from superroot.errors import NotAnchored
from superroot.finality.kinds import KINDS as KIND_BYTES
from superroot.report import report
from superroot.statement import CHAINS
from superroot.store import TrustStore

_CAIP2 = {
    "work": "bip122:000000000019d6689c085ae165831e93", "commit": "cosmos:cosmoshub-4", "milestone": "eip155:137",
    "producers": "tron:0x2b6653dc", "grandpa": "polkadot:91b171bb158e2d3848fa23a9f1c25182",
}
_PINNED_AT = 1_700_000_001
#: Finality of this row is shown with the params of the demo's Bitcoin.
_ROW = row_of("work: an ancestor by its descendants")


def facts_of(row: Row, network: str = "simulated") -> Facts:
    """A proof of the row's block at level 2, with its evidence."""
    chain = next(one for one in CHAINS.values() if one.caip2 == _CAIP2[row["kind"]])
    statement = Statement(chain.family, chain.chain_id, row["number"], Subject("block"))
    facts = Facts(statement, "simulated/demo-1", network, chain.name, row["rule"], level=2)
    facts.header = Header(raw(row["hash"]), timestamp=1_200_000_000)
    facts.finality = read(raw(row["finality"]))
    return facts


def set_file(row: Row, **other: Any) -> bytes:
    """A pinned set, as ``superroot trust light-client pin`` writes it."""
    facts = facts_of(row)
    kind = next(byte for byte, one in KIND_BYTES.items() if one.name == row["kind"])
    of = {
        "family": facts.statement.family, "chain": facts.statement.chain_id, "kind": kind, "pin": raw(row["id"]),
        "id": raw(row["id"]), "set": raw(row["set"]), **other,
    }
    head = b"SRTRUST\x01" + bytes([of["family"]]) + of["chain"].to_bytes(8, "big") + bytes([of["kind"]])
    head += _PINNED_AT.to_bytes(8, "big") + of["pin"] + of["id"]
    whole: bytes = head + len(of["set"]).to_bytes(4, "big") + of["set"]
    return whole


class Folder(unittest.TestCase):
    """A folder with a trust store's sets of signers."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.sets = self.folder / "light-clients"
        self.sets.mkdir()
        self.trust = TrustedStore(TrustStore(()), str(self.folder / "trust.toml"))

    def put(self, data: bytes, name: str = "simulated-bitcoin.set") -> None:
        (self.sets / name).write_bytes(data)


class Pins(Folder):
    def check(self, row: Row = _ROW, network: str = "simulated") -> FinalityVerdict:
        return check_finality(facts_of(row, network), self.trust, now=row["now"])

    def test_a_pinned_set_shows_finality_of_its_chain_and_network_alone(self) -> None:
        self.put(set_file(_ROW))
        verdict = self.check()
        if not isinstance(verdict, FinalityShown):
            self.fail(verdict)
        self.assertEqual((verdict.block_hash, verdict.steps), (raw(_ROW["hash"]), 1))
        self.assertEqual(verdict.by, "6 blocks of 2^1 hashes each")
        for network in ("live", "recorded"):
            pinned = self.check(network=network)
            self.assertEqual(getattr(pinned, "code", ""), "unpinned")
        self.put(set_file(_ROW), "live-bitcoin.set")
        # the live chain's work is more
        with self.assertRaises(TrustStoreError):
            self.check(network="recorded")
        no_store = check_finality(facts_of(_ROW), now=_ROW["now"])
        words = "no set of signers of bitcoin is pinned here: `superroot trust light-client pin bitcoin --network simulated`"
        self.assertEqual(no_store, FinalityNotEnough("unpinned", words))

    def test_every_kind_that_is_checked_begins_with_a_given_set(self) -> None:
        for kind in KINDS:
            row = row_of(f"{kind}: a final block")
            facts = facts_of(row)
            target = "superroot.judge_finality.params_of"
            with mock.patch(target, return_value=params_of_row(row)):
                verdict = check_finality(facts, set_bytes=raw(row["set"]), set_id=row["id"], now=row["now"])
                self.assertIsInstance(verdict, FinalityShown, f"{kind}: {verdict}")
                other = check_finality(facts, set_bytes=raw(row["set"]), set_id=bytes(32), now=row["now"])
                self.assertEqual(getattr(other, "code", ""), "root")

    def test_half_a_set_and_no_evidence_are_the_callers_mistake(self) -> None:
        facts = facts_of(_ROW)
        for asked in ({"set_bytes": b""}, {"set_id": bytes(32)}, {"set_bytes": b"", "set_id": "0x12"}):
            with self.assertRaises(ValueError):
                check_finality(facts, **asked)
        facts.finality = None
        with self.assertRaises(ValueError):
            check_finality(facts, self.trust)

    def test_chains_without_a_check_say_so(self) -> None:
        facts = facts_of(_ROW)
        for family, chain_id, words in (
            (2, 200, "finality of Solana (simulated) is not checked here"),
            (0, 1, "evidence of kind beacon is not checked here: BLS"), (0, 8453, "evidence of kind anchor"),
            (0, 56, "evidence of kind vote"), (5, 637, "evidence of kind ledger_info"), (6, 784, "kind checkpoint"),
            (7, 223, "evidence of kind certificate"), (0, 77_777, "no block of a chain that is known here"),
        ):
            facts.statement = Statement(family, chain_id, _ROW["number"], Subject("block"))
            facts.chain_name = "Solana"
            verdict = check_finality(facts, self.trust, now=_ROW["now"])
            if not isinstance(verdict, FinalityNotEnough):
                self.fail(verdict)
            self.assertEqual(verdict.code, "unchecked")
            self.assertIn(words, verdict.reason)

    def test_a_damaged_file_is_named_whatever_is_wrong_with_it(self) -> None:
        whole = set_file(_ROW)
        bad: List[bytes] = [whole[:length] for length in (0, 7, 8, 93, 94, len(whole) - 1)]
        bad += [whole + b"\x00", bytes((1 << 20) + 1)]
        # magic, format, family, chain, kind, id, length, set: every byte but those of the time and of the first pin
        for place in (*range(18), *range(58, len(whole))):
            bent = bytearray(whole)
            bent[place] ^= 1
            bad.append(bytes(bent))
        bad += [set_file(_ROW, family=0), set_file(_ROW, kind=0x10), set_file(_ROW, kind=0xEE), set_file(_ROW, id=bytes(32))]
        for data in bad:
            self.put(data)
            try:
                # the number of a set is not in its id: only evidence tells
                self.assertNotIsInstance(self.check(), FinalityShown)
            except TrustStoreError as error:
                self.assertIn("bitcoin", str(error).lower())
        (self.sets / "simulated-bitcoin.set").unlink()
        (self.sets / "simulated-bitcoin.set").mkdir()
        with self.assertRaises(TrustStoreError):
            self.check()


class CommandLine(Folder):
    def result(self, row: Row, demanded: Optional[str] = None, failure: Optional[ProofError] = None) -> Result:
        args = argparse.Namespace(trust=self.trust.file, finality=demanded)
        with mock.patch("time.time", return_value=float(row["now"])):
            return facts_result(args, facts_of(row), failure)

    def finality_line(self, result: Result) -> str:
        return next(line for line in result.lines if " finality " in line)

    def test_what_is_shown_is_said_as_superroot_verify_says_it(self) -> None:
        self.put(set_file(_ROW))
        self.put(f"1 0x{raw(_ROW['id']).hex()}\n".encode(), "simulated-bitcoin.passed")
        result = self.result(_ROW, "consensus")
        self.assertEqual(result.code, 0)
        line = self.finality_line(result)
        words = "✓ finality             final by 6 blocks of 2^1 hashes each, which follows from your pin of period 1; this block was "
        self.assertTrue(line.startswith(words), line)
        self.assertTrue(line.endswith(" behind the head of Bitcoin when that was signed, of a simulated chain"), line)
        text = "\n".join(result.lines)
        for words in (
            "signed block ", "signed at ", "set               0x", "steps             1", "which you pinned on 2023-11-14T22:13:21Z",
            "still trusted     that nobody spends this work on another branch",
        ):
            self.assertIn(words, text)
        for words in ("canonicity: ", "finality: ", "the block's number: "):
            self.assertNotIn(f"  - {words}", text)
        found = result.members["finality"]
        kept = [found[name] for name in ("kind", "status", "shown", "evidence_kind", "number", "steps", "from", "pin_number", "why")]
        self.assertEqual(kept, ["work", "shown", True, "consensus", _ROW["number"], 1, "pinned", 1, None])

    def test_what_is_not_shown_is_unusable_where_it_is_demanded(self) -> None:
        unpinned = self.result(_ROW)
        self.assertEqual(unpinned.code, 0)
        self.assertIn("- finality             not shown: no set of signers of bitcoin is pinned here", self.finality_line(unpinned))
        demanded = self.result(_ROW, "l1_anchored")
        self.assertEqual(demanded.code, 2)
        self.assertTrue(demanded.verdict.startswith("NOT FINAL: finality: no set of signers"), demanded.verdict)
        self.assertEqual(demanded.members["error"]["step"], "finality")
        no_anchor = self.result(_ROW, "consensus", NotAnchored("no key"))
        self.assertTrue(no_anchor.verdict.startswith("NOT ANCHORED: anchor: "), no_anchor.verdict)

    def test_advice_is_by_what_is_missing(self) -> None:
        row = row_of("work: no step")
        self.put(set_file(row))
        self.assertIn("; `superroot trust light-client update` moves your set on", self.finality_line(self.result(row)))
        ahead = (4 * 2_016).to_bytes(8, "big") + raw(row["set"])[8:]
        self.put(set_file(row, set=ahead))
        self.assertIn("your set is a later one: `superroot verify` knows", self.finality_line(self.result(row)))
        self.put(f"4 {row['id']}\n".encode(), "simulated-bitcoin.passed")
        self.assertIn("; that was before your pin", self.finality_line(self.result(row)))
        self.put(b"x", "simulated-bitcoin.passed")
        self.assertEqual(self.result(row).code, 2)

    def test_false_evidence_makes_a_proof_false(self) -> None:
        row = row_of("work: another hash")
        self.put(set_file(row))
        for demanded in (None, "consensus"):
            result = self.result(row, demanded)
            self.assertEqual(result.code, 1)
            self.assertTrue(result.verdict.startswith("FALSE: finality: it is about block 0x"), result.verdict)
            self.assertTrue(self.finality_line(result).startswith("✗ finality"))
            self.assertIs(result.members["finality"]["refused"], True)
        self.assertTrue(self.result(row, None, ProofError("anchor", "why")).verdict.startswith("FALSE: anchor: why"))
        self.assertEqual(self.result(row, None, NotAnchored("no key")).code, 1)

    def run_verify(self, *arguments: str) -> Tuple[int, str]:
        out, err = io.StringIO(), io.StringIO()
        environment = mock.patch.dict(os.environ, {"XDG_CONFIG_HOME": str(self.folder)})
        with environment, redirect_stdout(out), redirect_stderr(err):
            code = main(["verify", *arguments])
        return code, out.getvalue() + err.getvalue()

    def test_files_with_evidence_and_without(self) -> None:
        data, _, trusted = worlds.proof()
        path = self.folder / "proof.srproof"
        path.write_bytes(data)
        by = ("--superroot", "0x" + trusted.hex())
        self.assertEqual(self.run_verify(str(path), *by)[0], 0)
        code, text = self.run_verify(str(path), *by, "--finality")
        self.assertEqual((code, "NOT FINAL: finality: the proof carries no evidence: ask" in text), (2, True), text)
        beacon = next(row for row in ROWS if row["kind"] == "beacon" and row["verdict"] == "shown")
        path.write_bytes(worlds.with_finality(data, raw(beacon["finality"])))
        code, text = self.run_verify(str(path), *by)
        self.assertEqual((code, "- finality             not shown: evidence of kind " in text), (0, True), text)
        code, text = self.run_verify(str(path), *by, "--finality", "consensus", "--json")
        self.assertEqual((code, '"status": "not checked here"' in text), (2, True), text)

    def test_answers_without_a_block_show_no_finality(self) -> None:
        path = self.folder / "evidence.json"
        path.write_bytes(b'{"evidence": "x", "notes": []}')
        code, text = self.run_verify(str(path), "--finality")
        self.assertEqual((code, "is no proof of a block: finality is not shown by it" in text), (2, True), text)
        path.write_bytes(b'{"status": 404, "code": "not_provable", "detail": "why"}')
        code, text = self.run_verify(str(path), "--finality")
        self.assertEqual((code, "is a refusal of the service" in text), (2, True), text)

    def test_durations_are_in_two_units(self) -> None:
        for seconds, words in ((5, "5 s"), (200, "3 min 20 s"), (7_500, "2 h 5 min"), (4 * 86_400 + 10_800, "4 d 3 h")):
            self.assertEqual(duration_text(seconds), words)

    def test_a_report_without_finality_has_no_line_of_it(self) -> None:
        facts = facts_of(_ROW)
        facts.finality = None
        self.assertFalse(any(" finality " in line for line in report(facts, None) if not line.startswith("  - ")))


if __name__ == "__main__":
    unittest.main()
