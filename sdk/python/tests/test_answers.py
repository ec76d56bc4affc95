"""Proofs in JSON: vectors/hostile/bodies.json, valid answers of a demo, every ledger, batches, and altered members."""

from __future__ import annotations

import json
import random
import re
import unittest
from typing import Any, Callable, Dict, Optional, Tuple

from superroot import AnswerFacts, ProofError, TrustedKey, TrustedSuperRoot, read_proof, verify_answer, verify_batch
from superroot._member import MISSING, snake
from superroot.forms._evm_transaction import transaction_fields
from superroot._secp256k1 import recover_address
from superroot.forms.answer import render_answer
from superroot.forms.batch import expand_batch, is_batch
from superroot.trust import Trust
from superroot.verifier import check_levels
from vectors import ANSWERS, STEPS, leaves, mutated, rows

Json = Dict[str, Any]
#: Paths below these are the service's word in every answer, or proven only where the count is shown.
_BESIDES = ("notProven", "not_proven", "v5Anchor", "v5_anchor", "transactionCount")


def judged(body: Any, trust: Trust) -> Tuple[Optional[str], Optional[AnswerFacts]]:
    """Step at which a body is refused, or what it shows. Any other exception comes through."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    try:
        return None, verify_answer(data, trust)
    except ProofError as error:
        return error.step, None


def without_missing(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: without_missing(inner) for name, inner in value.items() if inner is not MISSING}
    return [without_missing(inner) for inner in value] if isinstance(value, list) else value


def is_silent(shown: Optional[AnswerFacts], path: Tuple[Any, ...]) -> bool:
    """Whether the changed member is one of those that nobody proves."""
    plain = ".".join(part for part in path if isinstance(part, str))
    names = [] if shown is None else [re.sub(r"\[\d*\]", "", one) for one in shown.unproven]
    return any(plain.startswith(name) or name.startswith(plain) for name in names)


class Answers(unittest.TestCase):
    def setUp(self) -> None:
        read = json.loads(ANSWERS.read_text(encoding="utf-8"))
        self.key = TrustedKey.of(read["key"])
        self.bodies = {one["name"]: one["body"].encode() for one in read["answers"]}

    def answers(self) -> Dict[str, bytes]:
        """All but the batch and scans."""
        others = ("batch", "scan", "absence of events")
        return {name: body for name, body in self.bodies.items() if name not in others}

    def test_every_body_that_contradicts_its_proof_is_refused_at_its_step(self) -> None:
        read = rows("hostile/bodies.json")
        self.assertGreaterEqual(len(read), 46)
        for row in read:
            with self.subTest(name=row["name"]):
                step, _ = judged(row["body"], TrustedSuperRoot.of(row["trusted"]))
                self.assertEqual(step, STEPS.get(row["refused_at"], row["refused_at"]))
                self.assertIsNotNone(step)

    def test_answers_of_a_service_hold_and_unproven_is_what_the_service_calls_so(self) -> None:
        self.assertGreaterEqual(len(self.answers()), 35)
        for name, body in self.answers().items():
            with self.subTest(name=name):
                step, shown = judged(body, self.key)
                self.assertIsNone(step)
                read = json.loads(body)
                listed = read.get("notProven") or read.get("not_proven")
                own = [] if shown is None else shown.unproven
                said = {path for path in own if path.split(".")[0] not in _BESIDES}
                self.assertEqual(said, {path for path in listed if path not in _BESIDES})

    def test_every_ledgers_proof_holds_in_json_and_no_member_can_be_another(self) -> None:
        choice = random.Random(7)
        families = set()
        for row in rows("valid/ledgers.json"):
            trust = TrustedSuperRoot.of(row["trusted"])
            proof = read_proof(bytes.fromhex(row["proof"]))
            body = without_missing(render_answer(proof, check_levels(proof)))
            families.add(body["family"])
            with self.subTest(name=row["name"]):
                self.assertIsNone(judged(body, trust)[0])
            for path in choice.choices(leaves(body), k=12):
                if path == ("receiptRoot",):
                    continue
                step, shown = judged(mutated(body, path, choice), trust)
                with self.subTest(name=row["name"], path=path):
                    self.assertTrue(step is not None or is_silent(shown, path))
        self.assertEqual(len(families), 9)

    def test_the_forms_of_a_block_hold_in_snake_case(self) -> None:
        row = next(row for row in rows("hostile/bodies.json") if row["name"] == "sealed block /chainId")
        body = {**row["body"], "chainId": 1}
        trust = TrustedSuperRoot.of(row["trusted"])
        self.assertEqual(judged(body, trust)[0], None)
        renamed = json.loads(json.dumps(body), object_pairs_hook=lambda pairs: {snake(name): value for name, value in pairs})
        # the header's members are Ethereum's own, in camelCase in every answer
        renamed["header"] = body["header"]
        self.assertEqual(judged(renamed, trust)[0], None)

    def test_a_changed_member_of_an_answer_is_refused_or_was_never_proven(self) -> None:
        choice = random.Random(11)
        for name, body in self.answers().items():
            read = json.loads(body)
            for path in choice.choices(leaves(read), k=14):
                step, shown = judged(mutated(read, path, choice), self.key)
                with self.subTest(name=name, path=path):
                    self.assertTrue(step is not None or is_silent(shown, path))

    def test_a_member_that_looks_proven_is_refused_where_nothing_proves_it(self) -> None:
        read = json.loads(self.bodies["evm block"])
        for name in ("transactionHash", "txid", "tree_root", "event"):
            self.assertEqual(judged({**read, name: "0x01"}, self.key)[0], "body", name)
        self.assertIsNone(judged({**read, "weather": "fine"}, self.key)[0])
        read["twig"]["weather"] = "fine"
        self.assertEqual(judged(read, self.key)[0], "body")

    def test_a_batch_holds_item_by_item(self) -> None:
        body = json.loads(self.bodies["batch"])
        self.assertTrue(is_batch(body))
        good = verify_batch(self.bodies["batch"], self.key)
        self.assertEqual([type(item) for item in good.items], [AnswerFacts] * 3)
        self.assertEqual(good.unproven, ["v5Anchor"])
        body["nodes"][body["items"][1]["twig"]["siblings"][0]] = "0x" + "11" * 32
        bad = verify_batch(body, self.key).items[1]
        self.assertIsInstance(bad, ProofError)
        self.assertEqual(getattr(bad, "step", None), "twig")
        for index in (len(body["nodes"]), -1, True, "0", None, 1.0):
            body["items"][1]["twig"]["siblings"][0] = index
            with self.subTest(index=index), self.assertRaises(ProofError) as caught:
                verify_batch(body, self.key)
            self.assertEqual(caught.exception.step, "encoding")

    def test_a_batch_does_not_grow_past_its_bound(self) -> None:
        body = {"nodes": ["0x" + "00" * (1 << 20)], "items": [{"siblings": [0] * 40}]}
        self.assertRaises(ProofError, expand_batch, body)

    def test_what_is_no_json_of_a_proof_is_refused_as_such(self) -> None:
        texts = [
            "", "{", "{} x", "nul", "[" * 1000, "[" * 100_000, '{"a":1,"a":1}', "[]", "null", "7", '"x"', "{}",
            '{"chainId":1}', '{"proof_blob":"0x"}', '{"chainId":1,"proofKind":"block","blockNumber":1.0}',
            '{"chainId":NaN}', '{"chainId":1e999}', '{"a":"\\ud800"}', "\ufeff{}", '{"__class__":{"chainId":1}}',
        ]
        for text in texts:
            with self.subTest(text=text[:30]):
                self.assertEqual(judged(text.encode("utf-8"), self.key)[0], "encoding")
        self.assertEqual(judged(b"\xff\xfe", self.key)[0], "encoding")
        many = b'{"chainId":[' + b"0," * (1 << 18) + b"0]}"
        self.assertEqual(judged(many, self.key)[0], "encoding")
        values: Tuple[Any, ...] = (None, 7, [], "x", {"chainId": float("nan")}, {"chainId": object()})
        for value in values:
            with self.assertRaises(ProofError) as caught:
                verify_answer(value, self.key)
            self.assertEqual(caught.exception.step, "encoding")

    def test_integers_with_a_fraction_are_none(self) -> None:
        text = self.bodies["evm block"].decode()
        number = str(json.loads(text)["blockNumber"])
        for other in (number + ".0", number + "e0", "-0", '"' + number + '"', "1" * 5000):
            changed = text.replace(f'"blockNumber":{number}', f'"blockNumber":{other}', 1)
            self.assertNotEqual(changed, text)
            self.assertEqual(judged(changed.encode(), self.key)[0], "encoding")


class Signers(unittest.TestCase):
    def test_the_example_of_eip_155(self) -> None:
        raw = bytes.fromhex(
            "f86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef61340bd939bc2195fe53"
            "7567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83"
        )
        fields = transaction_fields(raw, 1)
        self.assertEqual(fields["from"], "0x9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f")
        self.assertEqual((fields["chainId"], fields["nonce"], fields["value"]), ("0x1", "0x9", "0xde0b6b3a7640000"))
        self.assertEqual(set(transaction_fields(raw[:-1], 1)), {"hash", "type"})
        self.assertEqual(set(transaction_fields(b"", 1)), {"hash", "type"})

    def test_a_leaf_of_more_items_than_an_answer_shows_has_no_fields(self) -> None:
        items = b"\x01" * ((1 << 18) + 1)
        raw = b"\xfa" + len(items).to_bytes(3, "big") + items
        self.assertEqual(set(transaction_fields(raw, 1)), {"hash", "type"})

    def test_no_signature_has_no_signer(self) -> None:
        order = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
        read: Callable[[int, int], Optional[bytes]] = lambda r, s: recover_address(bytes(32), r, s, False)
        for r, s in ((0, 1), (1, 0), (order, 1), (1, order), (5, 1)):
            self.assertIsNone(read(r, s), (r, s))
        self.assertIsNotNone(read(1, 1))


if __name__ == "__main__":
    unittest.main()
