"""What is behind a SuperRoot: blobs of the vectors, altered ones, and the note next to a blob."""

from __future__ import annotations

import copy
import json
import random
import tempfile
import unittest
from hashlib import sha256
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

import worlds
from superroot import BlobFacts, ProofError, TrustedKey, TrustedStore, TrustedSuperRoot, verify_blob
from superroot.trust import Trust
from vectors import leaves, mutated, rows

ORIGIN = "simulated/world"


def blob() -> Dict[str, Any]:
    """The later blob of a proof of consistency, as its own route answers it."""
    row = next(row for row in rows("protocol/consistency.json") if row["name"].startswith("full"))
    whole: Dict[str, Any] = copy.deepcopy(row["body"]["toBlob"])
    return {**whole, "appendedTwigCount": 0, "appendedTwigs": []}


def judged(body: Any, trust: Trust) -> Tuple[Optional[str], Optional[BlobFacts]]:
    """Step at which a blob is refused, or what it shows. Any other exception comes through."""
    try:
        return None, verify_blob(json.dumps(body).encode(), trust)
    except ProofError as error:
        return error.step, None


def noted(body: Dict[str, Any], signer: worlds.Signer, origin: str = ORIGIN, more: int = 0) -> Dict[str, Any]:
    """The blob with the note of a log that ends in it; entries before it are synthetic."""
    sequence: int = body["superRoot"]["sequence"]
    root = sha256(b"\x00" + bytes.fromhex(body["preimage"][2:])).digest()
    path: List[bytes] = [bytes([height]) * 32 for height in range(64) if sequence >> height & 1]
    for sibling in path:
        root = sha256(b"\x01" + sibling + root).digest()
    text = worlds.checkpoint_text(origin, sequence + 1 + more, root)
    note = f"{text}\n{signer.line(text)}"
    return {**body, "publication": {"note": note, "siblings": ["0x" + one.hex() for one in path], "keys": []}}


class Blobs(unittest.TestCase):
    def test_a_blob_holds_under_its_superroot(self) -> None:
        body = blob()
        step, shown = judged(body, TrustedSuperRoot.of(body["superRootHash"]))
        if shown is None:
            self.fail(str(step))
        self.assertEqual("0x" + shown.blob.super_root.hash.hex(), body["superRootHash"])
        self.assertEqual((shown.unproven, shown.appended_count), (["appended_twigs"], 0))
        self.assertEqual(len(shown.blob.registry), len(body["registry"]))
        self.assertEqual(judged(body, TrustedSuperRoot(bytes(32)))[0], "anchor")
        self.assertEqual(judged({**body, "weather": "fine"}, TrustedSuperRoot.of(body["superRootHash"]))[0], None)

    def test_every_member_that_is_another_is_refused(self) -> None:
        body = blob()
        trust = TrustedSuperRoot.of(body["superRootHash"])
        choice = random.Random(17)
        refused = 0
        ways = leaves(body)
        for way in choice.choices(ways, k=300):
            step, shown = judged(mutated(body, way, choice), trust)
            refused += step is not None
            with self.subTest(way=way):
                # what is left out says nothing false
                self.assertTrue(step in ("body", "blob", "anchor") or (shown is not None and len(shown.unproven) > 1))
        self.assertGreater(refused, 240)

    def test_the_content_of_another_superroot_is_refused(self) -> None:
        body = blob()
        row = next(row for row in rows("protocol/consistency.json") if row["name"].startswith("full"))
        other = {**row["body"]["fromBlob"], "appendedTwigCount": 0, "appendedTwigs": []}
        mixed = {**body, **{name: other[name] for name in ("superRoot", "superRootHash", "preimage")}}
        trust = TrustedSuperRoot.of(other["superRootHash"])
        self.assertIsNone(judged(other, trust)[0])
        self.assertEqual(judged(mixed, trust)[0], "blob")

    def test_the_note_next_to_a_blob_anchors_it(self) -> None:
        signer, stranger = worlds.Signer(ORIGIN), worlds.Signer(ORIGIN, seed=2)
        body, key = blob(), TrustedKey.of(signer.vkey)
        self.assertEqual(judged(body, key)[0], "anchor")
        step, shown = judged(noted(body, signer), key)
        if shown is None or shown.root.anchor is None:
            self.fail(str(step))
        self.assertEqual((shown.root.anchor.by, shown.root.origin), ("key", ORIGIN))
        self.assertEqual(shown.unproven, ["publication.keys", "appended_twigs"])
        self.assertEqual(judged(noted(body, stranger), key)[0], "anchor")
        self.assertEqual(judged(noted(body, worlds.Signer("example.org/other"), "example.org/other"), key)[0], "anchor")
        self.assertEqual(judged(noted(body, signer, more=1), key)[0], "anchor")
        for publication in (7, {"note": 7}, {"note": "x"}, {"note": noted(body, signer)["publication"]["note"]}):
            self.assertEqual(judged({**body, "publication": publication}, key)[0], "anchor")

    def test_a_trust_store_pins_a_blob_by_the_id_of_its_log(self) -> None:
        body = blob()
        sequence, hashed = body["superRoot"]["sequence"], bytes.fromhex(body["superRootHash"][2:])
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "trust.toml"
            pinned = TrustedStore.load(worlds.store(path, worlds.log_rows(ORIGIN, pins={sequence: hashed})))
            self.assertIsNone(judged(body, pinned)[0])
            other = TrustedStore.load(worlds.store(path, worlds.log_rows(ORIGIN, pins={sequence: bytes(32)})))
            self.assertEqual(judged(body, other)[0], "anchor")
            foreign = TrustedStore.load(worlds.store(path, worlds.log_rows("example.org/other", pins={sequence: hashed})))
            self.assertEqual(judged(body, foreign)[0], "anchor")

    def test_what_is_no_blob_is_refused_as_such(self) -> None:
        wrong: Tuple[Any, ...] = ({}, [], None, {"slots": [], "superRoot": {}}, {"slots": 1, "super_root": {}})
        for body in wrong:
            self.assertEqual(judged(body, TrustedSuperRoot(bytes(32)))[0], "body")


if __name__ == "__main__":
    unittest.main()
