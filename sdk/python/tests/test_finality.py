"""Finality by a chain's own consensus: every vector gives the verdict of the Rust verifier, and its words."""

from __future__ import annotations

import re
import unittest
from collections import Counter
from pathlib import Path
from typing import Dict, List

from finality_rows import KINDS, ROWS, check_bytes, params_of_row, raw, row_of, set_of, verdict_of
from superroot.finality import (
    CHECKED_KINDS,
    FinalityNotEnough,
    FinalityRefused,
    FinalitySet,
    FinalityShown,
    checkable_chains,
    params_of,
)
from superroot.finality.kinds import ROWS as KIND_ROWS
from superroot.finality.kinds import UncheckedParams
from superroot.finality.milestone import MilestoneParams
from superroot.finality.work import compact_of, retargeted, target_of
from vectors import FOLDER

_CRATES = FOLDER.parent / "crates"
_RULES = _CRATES / "proof" / "src" / "finality"
_BITCOIN = "bip122:000000000019d6689c085ae165831e93"

#: Rows that a laxer check would answer with the same verdict for another reason.
_REASONS = {
    "work: work that is too cheap": "header 4013 has too little work to count",
    "commit: a step of strangers": "20 of 90 signed it, 31 must",
    "commit: a third of the trusted power exactly": "30 of 90 signed it, 31 must",
    "producers: real headers signed by strangers": "0 of 27 signed it, 23 must",
    "producers: a key that is delegated no longer": "18 of 27 signed it, 19 must",
    "milestone: a leaf as an inner node": "path of the milestone cannot be read",
    "milestone: another milestone's number": "milestone is not under its root",
    "grandpa: votes past a set's last block": "a vote is for a block past the set's last",
    "grandpa: a descendant without a vote": "votes cannot be read",
    "grandpa: a forced change": "header 120 breaks a rule: a change of authorities is forced: pin again",
}


def source(path: Path) -> str:
    return path.read_text(encoding="utf-8")


class Vectors(unittest.TestCase):
    def test_every_row_of_five_kinds_gives_the_verdict_of_the_rust_verifier(self) -> None:
        counts: Counter[str] = Counter()
        for row in ROWS:
            if row["kind"] not in KINDS:
                continue
            verdict = verdict_of(row["name"])
            with self.subTest(name=row["name"]):
                self.assertEqual(verdict.verdict, row["verdict"], verdict)
                counts[verdict.verdict] += 1
                if not isinstance(verdict, FinalityShown):
                    self.assertNotEqual(verdict.code, "fault", verdict)
                    continue
                claimed = verdict.steps, verdict.number, verdict.block_hash
                self.assertEqual(claimed, (row["steps"], row["shown_number"], raw(row["hash"])))
                self.assertEqual((verdict.kind, verdict.trust), (row["kind"], KIND_ROWS[row["kind"]].trust))
        self.assertEqual(dict(counts), {"shown": 17, "not_enough": 36, "refused": 51})
        self.assertEqual(set(CHECKED_KINDS), set(KINDS))

    def test_kinds_with_bls_are_not_checked_here_and_say_why(self) -> None:
        others = [row for row in ROWS if row["kind"] not in KINDS]
        self.assertEqual(len({row["kind"] for row in others}), 6)
        for row in others:
            verdict = verdict_of(row["name"])
            self.assertIsInstance(verdict, FinalityNotEnough)
            if isinstance(verdict, FinalityNotEnough):
                self.assertEqual(verdict.code, "unchecked")
                self.assertIn(f"kind {row['kind']} is not checked here: BLS", verdict.reason)

    def test_a_row_fails_for_its_own_reason(self) -> None:
        for name, reason in _REASONS.items():
            verdict = verdict_of(name)
            with self.subTest(name=name):
                self.assertNotIsInstance(verdict, FinalityShown)
                if isinstance(verdict, (FinalityNotEnough, FinalityRefused)):
                    self.assertEqual(verdict.reason, reason)

    def test_evidence_of_another_kind_is_refused(self) -> None:
        for kind in KINDS:
            other = "grandpa" if kind != "grandpa" else "work"
            signers = set_of(f"{kind}: a final block")
            row = row_of(f"{other}: a final block")
            if not isinstance(signers, FinalitySet):
                self.fail(kind)
            empty = b"\x00" * 4 + b"\x00" * 2
            evidence = raw(row["finality"])
            evidence = evidence[: 4 + int.from_bytes(evidence[:4], "big")]
            verdict = check_bytes(signers, row, evidence + empty)
            self.assertEqual(getattr(verdict, "code", ""), "kind", verdict)


class Words(unittest.TestCase):
    def test_reasons_are_in_the_words_of_the_rust_verifier(self) -> None:
        formats = re.findall(r'#\[error\("(.*)"\)\]', source(_RULES / "verdict.rs"))
        written = [re.compile(re.sub(r"\\\{\w+\\\}", ".+", re.escape(one))) for one in formats if one != "{what}"]
        self.assertGreaterEqual(len(written), 17)
        said = set()
        for row in ROWS:
            verdict = verdict_of(row["name"]) if row["kind"] in KINDS else None
            if not isinstance(verdict, (FinalityNotEnough, FinalityRefused)):
                continue
            said.add(verdict.code)
            is_written = any(one.fullmatch(verdict.reason) for one in written)
            self.assertTrue(is_written or verdict.code == "order", f"{row['name']}: {verdict.reason}")
        self.assertGreaterEqual(len(said), 10, said)

    def test_rules_that_are_broken_are_named_in_the_words_of_the_rust_verifier(self) -> None:
        folders: Dict[str, List[str]] = {"milestone": ["milestone", "commit"]}
        text = {
            kind: "".join(source(path) for name in folders.get(kind, [kind]) for path in sorted((_RULES / name).glob("*.rs")))
            for kind in KINDS
        }
        named = re.compile(r"^header \d+ breaks a rule: | (cannot be read|is not under its root)$")
        for row in ROWS:
            verdict = verdict_of(row["name"]) if row["kind"] in KINDS else None
            if isinstance(verdict, FinalityRefused) and verdict.code in ("order", "header", "encoding", "branch"):
                words = named.sub("", verdict.reason)
                self.assertIn(f'"{words}"', text[row["kind"]], row["name"])

    def test_trust_bytes_and_nouns_of_kinds_are_those_of_the_rust_verifier(self) -> None:
        text = source(_RULES / "kind.rs")
        pattern = r'^ {4}0x([0-9a-f]{2}) \w+ "(\w+)" \w+ \w+ (true|false)\s+"([^"]*)";'
        found = {name: (binds == "true", trust) for _, name, binds, trust in re.findall(pattern, text, re.M)}
        self.assertEqual(set(found), set(KIND_ROWS))
        for name, row in KIND_ROWS.items():
            self.assertEqual((row.binds_number, row.trust or found[name][1]), found[name], name)
        for kind, variant in (("work", "Work"), ("commit", "Commit"), ("producers", "Producers")):
            noun = re.search(rf'Self::{variant}\b[^"]*=> "(\w+)"', text[text.index("fn set_noun") :])
            self.assertEqual(noun and noun[1], KIND_ROWS[kind].set_noun)


class Params(unittest.TestCase):
    def fields(self, path: str, constant: str) -> Dict[str, int]:
        """Numbers of a Rust constant; products are worked out."""
        text = source(_CRATES / path)
        body = text[text.index(f"const {constant}: Self") :].split("};")[0]
        found = re.findall(r"(\w+): ([\d_]+)(?: \* ([\d_]+))?[,\s}]", body)
        return {name: int(one) * int(other or "1") for name, one, other in found}

    def number(self, path: str, pattern: str) -> int:
        found = re.search(pattern, source(_CRATES / path))
        if found is None:
            self.fail(pattern)
        return int(found[1].replace("_", ""), 0)

    def test_params_are_those_of_the_service(self) -> None:
        producers = "proof/src/finality/producers/params.rs"
        for network, constant in (("live", "TRON"), ("simulated", "SIMULATED")):
            self.assertEqual(vars(params_of("tron:0x2b6653dc", network)), self.fields(producers, constant))
        polkadot = params_of("polkadot:91b171bb158e2d3848fa23a9f1c25182")
        self.assertEqual(vars(polkadot), self.fields("proof/src/finality/grandpa/params.rs", "POLKADOT"))
        chain = "chain/src/finality/params.rs"
        bitcoin = vars(params_of(_BITCOIN))
        self.assertEqual(bitcoin["floor_bits"], self.number(chain, r"FLOOR_BITS: u32 = (0x\w+)"))
        easy = self.number("chain/src/ledger/bitcoin/params.rs", r"EASY_BITS: u32 = (0x\w+)")
        simulated = {"target_limit_bits": easy, "floor_bits": easy, "retargets": False, "confirmations": 6}
        self.assertEqual(vars(params_of(_BITCOIN, "simulated")), simulated)
        self.assertEqual(bitcoin, {**simulated, "target_limit_bits": 0x1D00FFFF, "floor_bits": 0x170FFFFF, "retargets": True})
        hub = vars(params_of("cosmos:cosmoshub-4"))
        self.assertEqual(hub["trusted_seconds"], 14 * 86_400)
        apart = self.number("chain/src/ledger/cosmos/params.rs", r"SIMULATED_SET_BLOCKS: u64 = (\d+)")
        self.assertEqual(vars(params_of("cosmos:cosmoshub-4", "simulated")), {**hub, "set_blocks": apart})
        heimdall = params_of("eip155:137")
        if not isinstance(heimdall, MilestoneParams):
            self.fail("no milestones")
        self.assertEqual(heimdall.heimdall.set_blocks, self.number(chain, r"HEIMDALL_SET_BLOCKS: u64 = ([\d_]+)"))
        self.assertEqual(heimdall.heimdall.trusted_seconds, self.number(chain, r"HEIMDALL_TRUSTED_SECONDS: u64 = ([\d_]+)"))
        self.assertEqual(hub["set_blocks"], heimdall.heimdall.set_blocks)

    def test_params_are_of_the_chains_of_the_javascript_client(self) -> None:
        text = source(FOLDER.parent / "sdk" / "js" / "src" / "finality" / "chains.js")
        table = text[text.index("MAIN_NETWORKS = new Map") : text.index("BUILT_IN")]
        names = set(re.findall(r'^  \["([^"]+)"', table, re.M)) | {"eip155:1"}
        kinds = {caip2: getattr(params_of(caip2), "kind", None) for caip2 in names}
        self.assertNotIn(None, kinds.values())
        self.assertEqual(len(names), 19)
        self.assertEqual({kinds[caip2] for caip2 in checkable_chains()}, set(KINDS))
        for caip2, kind in kinds.items():
            self.assertEqual(isinstance(params_of(caip2), UncheckedParams), kind not in KINDS)
            self.assertEqual(params_of(caip2, "recorded"), params_of(caip2))
            self.assertIsNone(params_of(caip2, "testnet"))
        self.assertIsNone(params_of("eip155:59144"))
        self.assertIsNone(params_of("eip155:42161", "simulated"))

    def test_rows_are_read_with_params_of_their_own(self) -> None:
        for kind in KINDS:
            row = row_of(f"{kind}: a final block")
            self.assertEqual(params_of_row(row).kind, kind)


class Targets(unittest.TestCase):
    def test_compact_targets_have_one_form(self) -> None:
        self.assertEqual(target_of(0x1D00FFFF), 0xFFFF << 208)
        self.assertEqual(target_of(0x207FFFFF), 0x7FFFFF << 232)
        for bits in (0, 0x1D000000, 0x1D00007F, 0x1D80FFFF, 0xFF7FFFFF, 0x2101FFFF, 0x01007F00):
            self.assertIsNone(target_of(bits), hex(bits))
        for bits in (0x1D00FFFF, 0x207FFFFF, 0x170FFFFF, 0x1B0404CB):
            self.assertEqual(compact_of(target_of(bits) or 0), bits)
        self.assertEqual(compact_of(0), 0)

    def test_targets_move_by_at_most_four(self) -> None:
        # Bitcoin's first change, at block 32,256: the 2,016 blocks before took 1,262,152,739 - 1,261,130,161 seconds
        self.assertEqual(retargeted(0x1D00FFFF, 1_262_152_739 - 1_261_130_161, 0x1D00FFFF), 0x1D00D86A)
        self.assertEqual(retargeted(0x1C00FFFF, 0, 0x1D00FFFF), 0x1B3FFFC0)
        self.assertEqual(retargeted(0x1C00FFFF, 1 << 40, 0x1D00FFFF), 0x1C03FFFC)
        self.assertEqual(retargeted(0x1D00FFFF, 1 << 40, 0x1D00FFFF), 0x1D00FFFF)
        self.assertIsNone(retargeted(0, 1, 0x1D00FFFF))


if __name__ == "__main__":
    unittest.main()
