"""Damaged evidence, links, steps and sets: no other block is shown, and no error comes out."""

from __future__ import annotations

import unittest
from dataclasses import replace
from typing import Any, Callable, Iterator, Optional, Tuple

from finality_rows import KINDS, ROWS, Parts, Walk, check_bytes, params_of_row, question_of, raw, read, statement
from superroot._secp256k1 import N, is_canonical, is_signed_by_key, recover_address, recover_signer
from superroot.finality import FinalitySet, FinalityShown, advance, check_block, read_set

#: Places of a part that are tried; every one where a check is fast.
_SAMPLES = {"work": 4_096, "commit": 4_096, "milestone": 120, "producers": 20, "grandpa": 4_096}
#: Seconds by which evidence may be ahead of the clock.
_AHEAD = {"work": 7_200, "commit": 9, "milestone": 9}


def flips(kind: str, data: bytes) -> Iterator[Tuple[int, bytes]]:
    """One flipped bit at a time, spread over the bytes."""
    count = min(len(data), _SAMPLES[kind])
    for at in range(count):
        place = (2 * at + 1) * len(data) // (2 * count)
        bent = bytearray(data)
        bent[place] ^= 1 << place % 8
        yield place, bytes(bent)


def cuts(data: bytes) -> Iterator[bytes]:
    for at in range(12):
        yield data[: at * len(data) // 12]
    yield data[:-1]
    yield data + b"\x00"


def shown_walk(kind: str, holds: Callable[[Parts], bool]) -> Walk:
    """The first shown row of a kind with such parts, all of whose steps are taken."""
    names = (
        row["name"] for row in ROWS
        if row["kind"] == kind and row["verdict"] == "shown" and row["steps"] == len(Parts.of(row).steps)
    )
    return next(walk for walk in map(Walk.of, names) if holds(walk.parts))


class Damage(unittest.TestCase):
    def shown(self, verdict: Any, what: str) -> Optional[FinalityShown]:
        """The verdict, if it shows something. A fault of the package itself is never taken for a refusal."""
        self.assertNotEqual(getattr(verdict, "code", ""), "fault", f"{what}: {verdict}")
        return verdict if isinstance(verdict, FinalityShown) else None

    def check_parts(self, walk: Walk, parts: Parts, what: str) -> None:
        """With the signing set alone: the statement stays as it is, or nothing is shown."""
        honest = check_bytes(walk.signer, walk.row, replace(walk.parts, steps=()).joined())
        verdict = self.shown(check_bytes(walk.signer, walk.row, parts.joined()), what)
        if verdict is not None and isinstance(honest, FinalityShown):
            self.assertEqual(statement(verdict), statement(honest), what)

    def test_no_flipped_bit_of_evidence_or_link_shows_another_block(self) -> None:
        for kind in KINDS:
            walk = shown_walk(kind, lambda parts: bool(parts.steps))
            own = replace(walk.parts, steps=())
            for place, evidence in flips(kind, own.evidence):
                self.check_parts(walk, replace(own, evidence=evidence), f"{kind}: evidence, byte {place}")
            linked = shown_walk(kind, lambda parts: bool(parts.link))
            own = replace(linked.parts, steps=())
            for place, link in flips(kind, own.link):
                self.check_parts(linked, replace(own, link=link), f"{kind}: link, byte {place}")

    def test_no_flipped_bit_of_a_step_leads_to_another_set(self) -> None:
        for kind in KINDS:
            walk = shown_walk(kind, lambda parts: bool(parts.steps))
            for step, before, after in zip(walk.parts.steps, walk.sets, walk.sets[1:]):
                for place, bent in flips(kind, step):
                    what = f"{kind}: step, byte {place}"
                    found = advance(before, bent, walk.row["now"])
                    self.assertNotEqual(getattr(found, "code", ""), "fault", what)
                    if not isinstance(found, FinalitySet) or found.id == after.id:
                        continue
                    # the last header's work is so little that another one has as much; the evidence is not about it
                    self.assertEqual(kind, "work", what)
                    whole = replace(walk.parts, steps=(bent,)).joined()
                    self.assertIsNone(self.shown(check_bytes(walk.sets[0], walk.row, whole), what), what)

    def test_no_flipped_bit_of_a_set_is_the_pinned_one(self) -> None:
        for kind in KINDS:
            walk = shown_walk(kind, lambda parts: bool(parts.steps))
            params, data, set_id = params_of_row(walk.row), raw(walk.row["set"]), raw(walk.row["id"])
            honest = check_bytes(walk.sets[0], walk.row, walk.parts.joined())
            for place, bent in flips(kind, data):
                found = read_set(params, bent, set_id)
                self.assertNotEqual(getattr(found, "code", ""), "fault", f"{kind}: byte {place}")
                if not isinstance(found, FinalitySet) or (found.id, found.number) == (set_id, walk.sets[0].number):
                    continue
                # the number of a set may be part of the pin alone: docs/finality.md
                verdict = self.shown(check_bytes(found, walk.row, walk.parts.joined()), f"{kind}: byte {place}")
                if verdict is not None and isinstance(honest, FinalityShown):
                    self.assertEqual(statement(verdict), statement(honest))

    def test_what_is_cut_short_or_longer_shows_nothing(self) -> None:
        for kind in KINDS:
            walk = shown_walk(kind, lambda parts: bool(parts.steps))
            own = replace(walk.parts, steps=())
            for bent in cuts(own.evidence):
                verdict = check_bytes(walk.signer, walk.row, replace(own, evidence=bent).joined())
                self.assertIsNone(self.shown(verdict, kind), f"{kind}: {len(bent)} bytes of evidence")
            for bent in cuts(walk.parts.steps[0]):
                self.assertNotIsInstance(advance(walk.sets[0], bent, walk.row["now"]), FinalitySet, kind)
            for bent in cuts(raw(walk.row["set"])):
                self.assertNotIsInstance(read_set(params_of_row(walk.row), bent, raw(walk.row["id"])), FinalitySet, kind)
            for bent in cuts(walk.parts.joined()):
                self.assertIsNone(self.shown(check_bytes(walk.signer, walk.row, bent), kind))

    def test_the_first_and_the_last_second_that_count(self) -> None:
        for kind in KINDS:
            walk = shown_walk(kind, lambda parts: bool(parts.steps))
            evidence = read(replace(walk.parts, steps=()).joined())

            def code(now: float) -> str:
                verdict = check_block(walk.signer, evidence, question_of(walk.row), now)
                return "shown" if isinstance(verdict, FinalityShown) else verdict.code

            shown = check_block(walk.signer, evidence, question_of(walk.row), walk.row["now"])
            at = shown.at if isinstance(shown, FinalityShown) else None
            if at is None:
                self.fail(kind)
            first = at - _AHEAD.get(kind, 0)
            self.assertEqual((code(first), code(first - 1)), ("shown", "early"), kind)
            last = walk.signer.trusted_until
            if last is None:
                self.assertEqual(code(1 << 60), "shown", "for ever")
                continue
            self.assertEqual((code(last), code(last + 0.9), code(last + 1)), ("shown", "shown", "expired"), kind)
            before = walk.sets[-2].trusted_until or 0
            step = walk.parts.steps[-1]
            self.assertIsInstance(advance(walk.sets[-2], step, before), FinalitySet)
            self.assertEqual(getattr(advance(walk.sets[-2], step, before + 1), "code", ""), "expired")

    def test_long_lists_of_steps_end(self) -> None:
        """Steps of a set before the own one are skipped, and more than a file holds are refused."""
        walk = shown_walk("work", lambda parts: bool(parts.steps))
        row, own = walk.row, read(walk.parts.joined())
        skipped = replace(own, steps=[bytes(8)] * 0xFFFF)
        self.assertIsInstance(check_block(walk.signer, skipped, question_of(row), row["now"]), FinalityShown)
        for steps in ([bytes(8)] * 0x10000, [bytes((2 << 20) + 1)], [bytes(1 << 20)] * 3):
            verdict = check_block(walk.signer, replace(own, steps=steps), question_of(row), row["now"])
            self.assertEqual(getattr(verdict, "reason", ""), "steps of finality cannot be read")

    def test_any_rule_of_a_link_is_read_or_refused(self) -> None:
        walk = shown_walk("work", lambda parts: bool(parts.link))
        evidence = read(replace(walk.parts, steps=()).joined())
        for rule in [*range(-2, 12), 0x0102, 0x0201, 0x0202, 0x0301, 0x0401, 0x0501, 0x0601, 0x0701, 0x0801, 0xFFFF, 1 << 40]:
            question = replace(question_of(walk.row), rule=rule)
            verdict = check_block(walk.signer, evidence, question, walk.row["now"])
            self.assertEqual(getattr(verdict, "code", ""), "link", hex(rule))


class Secp256k1(unittest.TestCase):
    """The key 1 signs with the nonce 1: r is the generator's x."""

    def setUp(self) -> None:
        x = 0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798
        y = 0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8
        self.key = b"\x04" + x.to_bytes(32, "big") + y.to_bytes(32, "big")
        self.hashed = (7).to_bytes(32, "big")
        s = (7 + x) % N
        is_high = 2 * s > N
        self.r, self.s, self.v = x, N - s if is_high else s, int(is_high)
        self.signature = self.r.to_bytes(32, "big") + self.s.to_bytes(32, "big")

    def test_one_form_of_a_signature_counts(self) -> None:
        whole = self.signature + bytes([self.v])
        self.assertTrue(is_canonical(whole))
        self.assertIs(is_signed_by_key(self.key, self.hashed, self.signature), True)
        address = recover_signer(self.hashed, whole)
        self.assertEqual(address, recover_address(self.hashed, self.r, self.s, self.v == 1))
        self.assertEqual(address, raw("0x7e5f4552091a69125d5dfcb7b8c2659029395bdf"))
        high = self.r.to_bytes(32, "big") + (N - self.s).to_bytes(32, "big")
        zero, past = bytes(32), N.to_bytes(32, "big")
        for bent in (high, zero + self.signature[32:], self.signature[:32] + zero, past + self.signature[32:]):
            self.assertFalse(is_canonical(bent + b"\x00"))
            self.assertIs(is_signed_by_key(self.key, self.hashed, bent), False)
            self.assertIsNone(recover_signer(self.hashed, bent + b"\x00"))
        for bent in (self.signature + b"\x02", self.signature, self.signature + b"\x00\x00"):
            self.assertFalse(is_canonical(bent))
        self.assertIs(is_signed_by_key(self.key, bytes(32), self.signature), False)

    def test_a_key_is_a_point_in_one_form(self) -> None:
        for key in (b"", self.key[:-1], b"\x02" + self.key[1:33], b"\x06" + self.key[1:], self.key[:-1] + b"\x00"):
            self.assertIsNone(is_signed_by_key(key, self.hashed, self.signature))
        self.assertIsNone(is_signed_by_key(b"\x04" + bytes(64), self.hashed, self.signature))


if __name__ == "__main__":
    unittest.main()
