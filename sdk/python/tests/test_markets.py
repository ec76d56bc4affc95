"""Prices and launches: vectors/prices, the lists, and altered members."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import unittest
from dataclasses import fields
from pathlib import Path
from typing import Any, Callable, List, Optional, Tuple

from superroot import ProofError, TrustedSuperRoot, verify_launch, verify_price
from superroot.forms.dex.events import NO_ADDRESS, decode_event
from superroot.forms.dex.numbers import ONE, ZERO, of_fraction, of_integer, over, plus, times, to_text
from superroot.forms.dex.state import Reserves, Spot, State, depth_of, held_by, price_of, whole_price
from superroot.forms.dex.tick import root_at, tick_of_reserves
from superroot.facts import EvmLog
from vectors import bodies, leaves, mutated, rows

TOOL = Path(__file__).resolve().parents[1] / "tools" / "markets.py"
Verify = Callable[[bytes, TrustedSuperRoot], Any]


def judged(verify: Verify, body: Any, trusted: str) -> Tuple[Optional[str], Any]:
    """Step at which an answer is refused, or what it shows. Any other exception comes through."""
    try:
        return None, verify(json.dumps(body).encode(), TrustedSuperRoot.of(trusted))
    except ProofError as error:
        return error.step, None


def texts(pair: Optional[Tuple[int, int]]) -> Optional[List[str]]:
    return None if pair is None else [str(one) for one in pair]


class Arithmetic(unittest.TestCase):
    def test_reserves_and_spots_have_the_figures_of_the_vectors(self) -> None:
        read = rows("prices/arithmetic.json")
        self.assertGreaterEqual(len(read), 80)
        for row in read:
            pool = row["pool"]
            state: State
            if pool.get("reserves"):
                reserves = int(pool["reserves"][0]), int(pool["reserves"][1])
                state = Reserves(reserves, tick_of_reserves(*reserves))
            else:
                state = Spot(int(pool["sqrt_price_x96"]), pool["tick"], int(pool["liquidity"]))
            decimals = pool["decimals"][0], pool["decimals"][1]
            price = price_of(state, pool["is_stable"], decimals)
            whole = None if price is None else whole_price(price, pool["side"], decimals)
            with self.subTest(name=row["name"]):
                self.assertEqual(None if whole is None else to_text(whole, 30), row["price_base"])
                self.assertEqual(state.tick, row["tick"])
                self.assertEqual(texts(held_by(state, pool["tick_spacing"])), row["held"])
                self.assertEqual(texts(depth_of(state, pool["tick_spacing"], None)), row["depth"])

    def test_numbers_at_their_bounds(self) -> None:
        self.assertIsNone(of_fraction(1, 0, 0))
        self.assertIsNone(of_fraction(1, 1, 2000))
        self.assertEqual(of_fraction(0, 7, 0), ZERO)
        self.assertIsNone(over(ONE, ZERO))
        self.assertEqual(plus(of_integer(2), of_integer(3)), of_integer(5))
        self.assertEqual(times(of_integer(4), of_integer(5)), of_integer(20))
        shown = [to_text(number, 18) for number in (of_integer(10**20 - 1), of_fraction(123, 10**6, 0), ZERO) if number]
        self.assertEqual(shown, ["99999999999999999900", "0.000123", "0"])

    def test_ticks_of_uniswap(self) -> None:
        self.assertEqual((root_at(0), root_at(-887272)), (1 << 96, 4295128739))
        self.assertEqual(root_at(887272), 1461446703485210103287273052203988822378723970342)
        self.assertEqual((root_at(887273), tick_of_reserves(0, 1), tick_of_reserves(1, 1)), (None, None, 0))

    def test_an_event_with_a_word_out_of_its_type_is_none(self) -> None:
        from superroot._hash import keccak256

        topic = keccak256(b"Sync(uint112,uint112)")
        words = (5).to_bytes(32, "big") + (7).to_bytes(32, "big")
        self.assertIsNotNone(decode_event(EvmLog(bytes(20), (topic,), words, 1)))
        for data in (words[:-1], words + b"\x00", b"\x01" + words[1:], words + words):
            self.assertIsNone(decode_event(EvmLog(bytes(20), (topic,), data, 1)))
        self.assertIsNone(decode_event(EvmLog(bytes(20), (topic, topic), words, 1)))
        self.assertIsNone(decode_event(EvmLog(bytes(20), (), words, 1)))
        self.assertEqual(len(NO_ADDRESS), 42)


class Answers(unittest.TestCase):
    def test_the_lists_follow_those_of_the_repository(self) -> None:
        done = subprocess.run([sys.executable, str(TOOL), "--check"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def judge_all(self, path: str, least: int, verify: Verify) -> None:
        read = bodies(path)
        self.assertGreaterEqual(len(read), least)
        for row in read:
            step, shown = judged(verify, row["body"], row["trusted"])
            with self.subTest(name=row["name"]):
                self.assertEqual(step, row["refused_at"])
                if step is None and "pools" in row:
                    self.assertEqual(shown.pools, row["pools"])

    def test_every_price_is_judged_at_its_step(self) -> None:
        self.judge_all("prices/prices.json", 60, verify_price)

    def test_every_launch_is_judged_at_its_step(self) -> None:
        self.judge_all("prices/launches.json", 23, verify_launch)

    def alter(self, path: str, verify: Verify, turns: int) -> None:
        """Altered members are refused, or what is shown is the same."""
        choice = random.Random(23)
        for row in bodies(path):
            if row["refused_at"] is not None:
                continue
            good = judged(verify, row["body"], row["trusted"])[1]
            stated = [one.name for one in fields(good) if one.name not in ("said", "symbol", "last", "creation", "liquidity")]
            refused = 0
            for way in choice.choices(leaves(row["body"]), k=turns):
                step, shown = judged(verify, mutated(row["body"], way, choice), row["trusted"])
                refused += step is not None
                if shown is not None:
                    with self.subTest(name=row["name"], way=way):
                        for name in stated:
                            self.assertEqual(getattr(shown, name), getattr(good, name), name)
            self.assertGreater(refused, turns // 3, row["name"])

    def test_altered_prices(self) -> None:
        self.alter("prices/prices.json", verify_price, 60)

    def test_altered_launches(self) -> None:
        self.alter("prices/launches.json", verify_launch, 60)

    def test_a_proof_in_a_launch_that_is_altered_is_refused(self) -> None:
        row = bodies("prices/launches.json")[0]
        choice = random.Random(29)
        for turn in range(60):
            body = json.loads(json.dumps(row["body"]))
            event = body["events"][turn % 2]
            blob = bytearray.fromhex(event["proofBlob"][2:])
            blob[choice.randrange(len(blob))] ^= 1 << choice.randrange(8)
            event["proofBlob"] = "0x" + blob.hex()
            self.assertIsNotNone(judged(verify_launch, body, row["trusted"])[0])

    def test_another_superroot_is_refused_at_the_anchor(self) -> None:
        for path, verify in (("prices/prices.json", verify_price), ("prices/launches.json", verify_launch)):
            self.assertEqual(judged(verify, bodies(path)[0]["body"], "0x" + "00" * 32)[0], "anchor")

    def test_what_is_none_is_refused_as_such(self) -> None:
        wrong: Tuple[Any, ...] = ({}, {"price_usd": 1, "pools": [], "bases": []}, {"proofHash": 1, "events": []})
        for body in wrong:
            self.assertEqual(judged(verify_price, body, "0x" + "00" * 32)[0], "no_price")
            self.assertEqual(judged(verify_launch, body, "0x" + "00" * 32)[0], "no_signal")


if __name__ == "__main__":
    unittest.main()
