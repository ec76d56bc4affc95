"""``python -m superroot verify``: exit codes and words."""

from __future__ import annotations

import io
import json
import os
import tempfile
import unittest
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Tuple
from unittest import mock

import worlds
from superroot import TrustedSuperRoot, verify
from superroot.cli import main
from superroot.report import plain, shown_origin
from vectors import ANSWERS, REAL_EVENT, bodies, rows

TRUSTED = "0xf76e945474dbc6af77ef9f88eee78b75ba9a2836c6127dccd5a2a00a9ad045ee"


class CommandLine(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        config = mock.patch.dict(os.environ, {"XDG_CONFIG_HOME": folder.name})
        config.start()
        self.addCleanup(config.stop)

    def run_verify(self, *arguments: str) -> Tuple[int, str]:
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            code = main(["verify", *arguments])
        return code, out.getvalue() + err.getvalue()

    def written(self, name: str, data: bytes) -> str:
        path = self.folder / name
        path.write_bytes(data)
        return str(path)

    def test_true_false_and_not_anchored(self) -> None:
        code, text = self.run_verify(str(REAL_EVENT), "--superroot", TRUSTED)
        self.assertEqual(code, 0)
        self.assertIn("log 3 of transaction 5 of block 13998626 of Ethereum (evm:1)", text)
        self.assertIn("TRUE: every level holds and leads to what you trust", text)
        self.assertIn("RECORDED", text)
        code, text = self.run_verify(str(REAL_EVENT), "--superroot", "0x" + "00" * 32)
        self.assertEqual((code, "FALSE: anchor" in text), (1, True))
        code, text = self.run_verify(str(REAL_EVENT))
        self.assertEqual((code, "NOT ANCHORED: anchor" in text), (2, True))
        damaged = bytearray(REAL_EVENT.read_bytes())
        damaged[900] ^= 1
        code, text = self.run_verify(self.written("damaged", bytes(damaged)), "--superroot", TRUSTED)
        self.assertEqual((code, "FALSE: " in text), (1, True))

    def test_proofs_in_json_and_batches(self) -> None:
        read = json.loads(ANSWERS.read_text(encoding="utf-8"))
        bodies = {one["name"]: one["body"].encode() for one in read["answers"]}
        event = self.written("event.json", b"\n " + bodies["evm event"])
        code, text = self.run_verify(event, "--key", read["key"])
        self.assertEqual(code, 0, text)
        self.assertIn("TRUE: every level holds and leads to what you trust", text)
        self.assertIn("  - receipt.logs.transactionHash", text.partition("Said by the service, not proven:")[2])
        self.assertEqual(self.run_verify(event)[0], 2)
        altered = json.loads(bodies["evm event"])
        altered["event"]["data"] = "0x01"
        code, text = self.run_verify(self.written("altered.json", json.dumps(altered).encode()), "--key", read["key"])
        self.assertEqual((code, "FALSE: body: member event.data" in text), (1, True))
        batch = self.written("batch.json", bodies["batch"])
        code, text = self.run_verify(batch, "--key", read["key"], "--json")
        self.assertEqual((code, [item["valid"] for item in json.loads(text)["items"]]), (0, [True] * 3))
        code, text = self.run_verify(batch)
        self.assertEqual((code, "0 true, 0 false, 3 not anchored or unusable" in text), (2, True))
        for name, body in (("none.json", b"{}"), ("twice.json", b'{"a":1,"a":1}'), ("cut.json", bodies["evm event"][:-1])):
            self.assertEqual(self.run_verify(self.written(name, body), "--key", read["key"])[0], 2)

    def test_usage_bills(self) -> None:
        read = bodies("usage/usage.json")
        path = self.written("bill.srusage", json.dumps(read[0]["body"]).encode())
        code, text = self.run_verify(path, "--superroot", read[0]["trusted"])
        self.assertEqual(code, 0, text)
        self.assertIn("TRUE: account 03030303-0303-0303-0303-030303030303 made 60 requests for 10 billing tokens", text)
        self.assertEqual(self.run_verify(path)[0], 2)
        self.assertEqual(self.run_verify(path, "--superroot", "0x" + "00" * 32)[0], 1)
        steps = {}
        for row in read[1:]:
            path = self.written("other", json.dumps(row["body"]).encode())
            code, text = self.run_verify(path, "--superroot", row["trusted"], "--json")
            steps[row["refused_at"]] = code
            error = json.loads(text)["error"]
            self.assertEqual(None if error is None else error["step"], row["refused_at"], row["name"])
        self.assertEqual({steps[step] for step in ("no_leaf", "not_proven", "no_usage")}, {2})
        self.assertEqual({steps[step] for step in ("rows", "leaf", "proof", "event")}, {1})

    def test_prices_and_launches(self) -> None:
        for path, words in (("prices/prices.json", " US dollars at block 130 of "), ("prices/launches.json", " made the pool ")):
            read = bodies(path)
            file = self.written("answer.json", json.dumps(read[0]["body"]).encode())
            code, text = self.run_verify(file, "--superroot", read[0]["trusted"])
            self.assertEqual((code, words in text.splitlines()[-1], "TRUE: " in text), (0, True, True), text)
            self.assertEqual(self.run_verify(file)[0], 2)
            for row in read:
                file = self.written("answer.json", json.dumps(row["body"]).encode())
                code, text = self.run_verify(file, "--superroot", row["trusted"])
                is_true = row["refused_at"] is None
                self.assertEqual(code == 0, is_true, row["name"])
                self.assertEqual("TRUE: " in text, is_true, row["name"])

    def test_blobs(self) -> None:
        row = next(row for row in rows("protocol/consistency.json") if row["name"].startswith("full"))
        body = {**row["body"]["toBlob"], "appendedTwigCount": 0, "appendedTwigs": []}
        path = self.written("blob.json", json.dumps(body).encode())
        code, text = self.run_verify(path, "--superroot", body["superRootHash"])
        self.assertEqual((code, "TRUE: it holds, and is of the SuperRoot that you trust" in text), (0, True), text)
        self.assertEqual(self.run_verify(path)[0], 2)
        body["slots"][0] = body["slots"][1]
        path = self.written("blob.json", json.dumps(body).encode())
        code, text = self.run_verify(path, "--superroot", body["superRootHash"])
        self.assertEqual((code, "FALSE: body: member slots[0]" in text), (1, True), text)

    def test_proofs_for_contracts(self) -> None:
        row = next(row for row in rows("real/calldata.json") if row["emitter"] is not None)
        paths = [self.written("hex", b"0x" + row["calldata"].encode()), self.written("raw", bytes.fromhex(row["calldata"]))]
        for path in paths:
            code, text = self.run_verify(path, "--superroot", row["trusted"], "--origin", row["origin"])
            self.assertEqual((code, "TRUE: every level holds" in text), (0, True), text)
            self.assertEqual(self.run_verify(path, "--superroot", row["trusted"])[0], 2)
            code, text = self.run_verify(path, "--superroot", row["trusted"], "--origin", "example.org/other")
            self.assertEqual((code, "FALSE: anchor" in text), (1, True), text)
        worlds.store(self.folder / "trust.toml", worlds.log_rows(row["origin"], pins={row["sequence"]: bytes(32)}))
        code, text = self.run_verify(paths[0], "--trust", str(self.folder / "trust.toml"))
        self.assertEqual((code, "FALSE: anchor" in text), (1, True), text)
        self.assertEqual(self.run_verify(self.written("cut", bytes.fromhex(row["calldata"])[:-1]), "--origin", "a")[0], 2)

    def test_scans_in_json(self) -> None:
        read = json.loads(ANSWERS.read_text(encoding="utf-8"))
        body = json.loads(next(one["body"] for one in read["answers"] if one["name"] == "scan"))
        code, text = self.run_verify(self.written("scan.json", json.dumps(body).encode()), "--key", read["key"])
        self.assertEqual((code, "TRUE: the 7 events shown are all" in text), (0, True), text)
        refusal = b'{"status":404,"code":"not_found","detail":"there is none"}'
        code, text = self.run_verify(self.written("refusal", refusal), "--key", read["key"])
        self.assertEqual((code, "is a refusal of the service, not an answer: there is none" in text), (2, True))
        names = ("sequence", "superRootHash", "scanFormat", "scanBlob", "fromBlock", "toBlock", "outsideReceipts")
        page = {
            "chainId": 1, "logs": body["events"][:1], "nextCursor": "x",
            "searched": {"from": body["fromBlock"], "to": body["events"][0]["blockNumber"]},
            "completeness": {name: body[name] for name in names},
        }
        code, text = self.run_verify(self.written("page.json", json.dumps(page).encode()), "--key", read["key"])
        self.assertEqual((code, "TRUE: this page lists 1 of the 7 events" in text), (0, True), text)
        body["events"].pop()
        code, text = self.run_verify(self.written("scan.json", json.dumps(body).encode()), "--key", read["key"])
        self.assertEqual((code, "FALSE: body: member events" in text), (1, True), text)

    def test_what_is_no_proof_exits_with_2(self) -> None:
        for path in (self.written("empty", b""), self.written("text", b"no proof"), str(self.folder / "missing")):
            self.assertEqual(self.run_verify(path, "--superroot", TRUSTED)[0], 2)
        self.assertEqual(self.run_verify(str(REAL_EVENT), "--superroot", "0x12")[0], 2)
        self.assertEqual(self.run_verify(str(REAL_EVENT), "--key", "no key")[0], 2)
        self.assertEqual(self.run_verify(str(REAL_EVENT), "--trust", str(self.folder / "missing"))[0], 2)
        self.assertEqual(self.run_verify(str(REAL_EVENT), "--superroot", TRUSTED, "--policy", "x")[0], 2)

    def test_a_key_with_witnesses(self) -> None:
        _, origin, _ = worlds.proof()
        log, witness = worlds.Signer(origin), worlds.Signer("w.example", 4, 5)
        policy = self.written("policy", f"witness w {witness.vkey}\nquorum w\n".encode())
        both = self.written("both", worlds.noted([log, witness]))
        alone = self.written("alone", worlds.noted([log]))
        code, text = self.run_verify(both, "--key", log.vkey, "--policy", policy)
        self.assertEqual((code, "by the quorum of your witnesses" in text), (0, True))
        self.assertEqual(self.run_verify(alone, "--key", log.vkey, "--policy", policy)[0], 2)
        self.assertEqual(self.run_verify(alone, "--key", log.vkey)[0], 0)

    def test_pins_of_the_trust_store_count_with_a_hash_too(self) -> None:
        data, origin, hashed = worlds.proof()
        path = self.written("proof", data)
        super_root = verify(data, TrustedSuperRoot(hashed)).super_root
        sequence = -1 if super_root is None else super_root.sequence
        pinned = worlds.store(self.folder / "pinned.toml", worlds.log_rows(origin, pins={sequence: bytes(32)}))
        code, text = self.run_verify(path, "--superroot", "0x" + hashed.hex(), "--trust", pinned)
        self.assertEqual((code, "pinned is" in text), (1, True))
        (self.folder / "superroot").mkdir()
        worlds.store(self.folder / "superroot" / "trust.toml", worlds.log_rows(origin, pins={sequence: hashed}))
        code, text = self.run_verify(path)
        self.assertEqual((code, "pinned in your trust store" in text), (0, True))

    def test_scans(self) -> None:
        read = rows("hostile/scans.json")
        good = next(row for row in read if row["refused_at"] is None and row["events"])
        none = next(row for row in read if row["refused_at"] is None and not row["events"])
        for row, words in ((good, "events shown are all"), (none, "there is no event")):
            code, text = self.run_verify(self.written("scan", bytes.fromhex(row["scan"])), "--superroot", row["trusted"])
            self.assertEqual((code, "TRUE: " in text, words in text), (0, True, True))
        path = self.written("scan", bytes.fromhex(good["scan"]))
        code, text = self.run_verify(path, "--superroot", good["trusted"], "--json")
        self.assertEqual((code, len(json.loads(text)["events"])), (0, len(good["events"])))
        self.assertEqual(self.run_verify(path)[0], 2)
        self.assertEqual(self.run_verify(path, "--superroot", "0x" + "00" * 32)[0], 1)
        for row in read:
            expected = {None: 0, "encoding": 2}.get(row["refused_at"], 1)
            path = self.written("scan", bytes.fromhex(row["scan"]))
            code, text = self.run_verify(path, "--superroot", row["trusted"])
            if row["refused_at"] == "statement" and code == 2:
                self.assertIn("not in the registry", text)
                continue
            self.assertEqual(code, expected, row["name"])

    def test_evidence_of_a_fork(self) -> None:
        for row in rows("notes/evidence.json"):
            code, text = self.run_verify(self.written("evidence", json.dumps(row["body"]).encode()))
            is_unreadable = row["refused_at"] == "body" and row["name"] != "another index"
            self.assertEqual(code, 2 if is_unreadable else int(row["refused_at"] is not None), row["name"])
            self.assertEqual("TRUE: the holder of this key signed two histories" in text, code == 0)

    def test_json_is_one_object(self) -> None:
        code, text = self.run_verify(str(REAL_EVENT), "--superroot", TRUSTED, "--json")
        read = json.loads(text)
        self.assertEqual((code, read["valid"], read["exit"], read["level"]), (0, True, 0, 5))
        self.assertEqual(read["statement"]["log_index"], 3)
        code, text = self.run_verify(self.written("none", b"x"), "--json")
        self.assertEqual((code, json.loads(text)["exit"]), (2, 2))

    def test_an_origin_that_draws_is_shown_escaped(self) -> None:
        self.assertEqual(shown_origin("Log\u202eo"), "\\u{4c}og\\u{202e}o")
        self.assertEqual(plain("a\x1b[2Jb\nc"), "a\\u{1b}[2Jb\\u{a}c")


if __name__ == "__main__":
    unittest.main()
