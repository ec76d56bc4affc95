"""Acceptance of signatures agrees with the definition in docs/protocol/log.md."""

from __future__ import annotations

import unittest
from typing import Iterator, Tuple

import ed25519_model as model
from superroot import _ed25519

MESSAGE = b"simulated/world\n5\n"


def edge_signatures() -> Iterator[Tuple[str, bytes, bytes, bytes]]:
    """Name, key, message and signature."""
    torsion = model.torsion()
    for place, (key_torsion, r_torsion) in enumerate((a, r) for a in torsion for r in (torsion[0], torsion[2], torsion[5])):
        for secret in (1, 77):
            message = MESSAGE + bytes([place])
            key, signature = model.sign(secret, message, key_torsion, r_torsion, 1_000_003 + place)
            yield f"mixed order {place} {secret}", key, message, signature
    key, signature = model.sign(5, MESSAGE, model.ZERO, model.ZERO, 9)
    s = int.from_bytes(signature[32:], "little")
    yield "plain", key, MESSAGE, signature
    yield "another message", key, MESSAGE + b"x", signature
    for times in (1, 2, 7):
        yield f"s + {times} L", key, MESSAGE, signature[:32] + (s + times * model.L).to_bytes(32, "little")
    for small in torsion:
        for sign_bit in (0, 1 << 255):
            for extra in (0, model.P):
                encoded = small[1] + extra
                if encoded >= 1 << 255:
                    continue
                point = (encoded | sign_bit).to_bytes(32, "little")
                yield "key of small order", point, MESSAGE, model.encode(model.BASE) + (1).to_bytes(32, "little")
                yield "R of small order, s 0", point, MESSAGE, point + bytes(32)
                secret_key, _ = model.sign(3, MESSAGE, model.ZERO, model.ZERO, 1)
                hashed = model.challenge(point, secret_key, MESSAGE)
                yield "R of small order", secret_key, MESSAGE, point + (hashed * 3 % model.L).to_bytes(32, "little")


class Ed25519(unittest.TestCase):
    def test_edges_are_judged_as_by_the_definition(self) -> None:
        verdicts = {True: 0, False: 0}
        for name, key, message, signature in edge_signatures():
            expected = model.accepts(key, message, signature)
            verdicts[expected] += 1
            with self.subTest(name=name):
                self.assertEqual(_ed25519.verify(key, message, signature), expected)
        self.assertGreater(verdicts[True], 5)
        self.assertGreater(verdicts[False], 50)

    def test_a_mixed_order_key_is_accepted_without_cofactor_alone(self) -> None:
        """With the cofactor all of these would hold; without it those whose challenge removes the torsion."""
        torsion = model.torsion()
        seen = set()
        for number in range(40):
            message = bytes([number])
            key, signature = model.sign(11, message, torsion[4], model.ZERO, 13 + number)
            accepted = _ed25519.verify(key, message, signature)
            self.assertEqual(accepted, model.challenge(signature[:32], key, message) % 2 == 0)
            seen.add(accepted)
        self.assertEqual(seen, {True, False})

    def test_points(self) -> None:
        for number in range(300):
            encoded = (number | (number & 1) << 255).to_bytes(32, "little")
            self.assertEqual(_ed25519.is_point(encoded), model.decode(encoded) is not None, number)
        for encoded in (b"\xff" * 32, (model.P + 3).to_bytes(32, "little"), (model.P - 1).to_bytes(32, "little")):
            self.assertEqual(_ed25519.is_point(encoded), model.decode(encoded) is not None)
        self.assertFalse(_ed25519.is_point(bytes(31)))

    def test_wrong_lengths_are_refused(self) -> None:
        key, signature = model.sign(5, MESSAGE, model.ZERO, model.ZERO, 9)
        self.assertTrue(_ed25519.verify(key, MESSAGE, signature))
        for short in (b"", signature[:63], signature + b"\x00"):
            self.assertFalse(_ed25519.verify(key, MESSAGE, short))
        self.assertFalse(_ed25519.verify(key[:31], MESSAGE, signature))


if __name__ == "__main__":
    unittest.main()
