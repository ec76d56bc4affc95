#!/usr/bin/env python3
"""Synthetic slots of the Solana family, made from the rules alone: no code of this project, and no
library but Python's own. Run it to write slots.json beside it.

Each slot has entries as nodes stream them, and for every transaction the proof due for it."""
import base64
import hashlib
import json
import pathlib

# Ed25519 by RFC 8032, section 6: slow, and good enough for a few signatures.
P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def add(one, other):
    (x1, y1), (x2, y2) = one, other
    t = D * x1 * x2 * y1 * y2 % P
    x = (x1 * y2 + x2 * y1) * pow(1 + t, P - 2, P)
    y = (y1 * y2 + x1 * x2) * pow(1 - t, P - 2, P)
    return x % P, y % P


def times(scalar, point):
    result = (0, 1)
    while scalar:
        if scalar & 1:
            result = add(result, point)
        point, scalar = add(point, point), scalar >> 1
    return result


def base():
    y = 4 * pow(5, P - 2, P) % P
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    return (P - x if x & 1 else x), y


BASE = base()


def packed(point):
    x, y = point
    return (y | (x & 1) << 255).to_bytes(32, "little")


class Key:
    def __init__(self, seed):
        wide = hashlib.sha512(sha256(seed)).digest()
        scalar = int.from_bytes(wide[:32], "little")
        self.scalar = scalar & ((1 << 254) - 8) | 1 << 254
        self.prefix = wide[32:]
        self.public = packed(times(self.scalar, BASE))

    def sign(self, message):
        def reduced(*parts):
            return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little") % L

        nonce = reduced(self.prefix, message)
        point = packed(times(nonce, BASE))
        challenge = reduced(point, self.public, message)
        return point + ((nonce + challenge * self.scalar) % L).to_bytes(32, "little")


def count(number):
    out = b""
    while number > 127:
        out, number = out + bytes([number & 127 | 128]), number >> 7
    return out + bytes([number])


KEYS = [Key(b"key %d" % n) for n in range(4)]
PROGRAM = sha256(b"program")


def transaction(signers, recent, memo, version=None):
    """Signed by so many keys, with one instruction that carries the memo."""
    keys = [key.public for key in KEYS[:signers]] + [PROGRAM]
    message = b"" if version is None else bytes([128 | version])
    message += bytes([signers, 0, 1]) + count(len(keys)) + b"".join(keys) + recent
    message += count(1) + bytes([signers]) + count(1) + bytes([0]) + count(len(memo)) + memo
    if version is not None:
        message += count(1) + sha256(b"table") + count(2) + bytes([3, 9]) + count(0)
    signatures = [key.sign(message) for key in KEYS[:signers]]
    return count(signers) + b"".join(signatures) + message, signatures


def rows(leaves):
    made = [leaves]
    while len(made[-1]) > 1:
        row = made[-1] + made[-1][-1:] * (len(made[-1]) & 1)
        made.append([sha256(b"\1", row[at], row[at + 1]) for at in range(0, len(row), 2)])
    return made


def path(leaves, at):
    siblings = []
    for row in rows(leaves)[:-1]:
        if at ^ 1 < len(row):
            siblings.append(row[at ^ 1])
        at >>= 1
    return siblings


def iterate(hash_, times_):
    for _ in range(times_):
        hash_ = sha256(hash_)
    return hash_


ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def base58(raw):
    number, text = int.from_bytes(raw, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        text = ALPHABET[digit] + text
    return "1" * (len(raw) - len(raw.lstrip(b"\0"))) + text


def slot(number, start, plan, hashes_per_tick):
    """`plan`: for each of the 64 ticks the entries before it, as (hashes, [transactions])."""
    at, entries, made = start, [], []
    for tick in range(64):
        left = hashes_per_tick
        for hashes, transactions in plan.get(tick, []):
            leaves = [sha256(b"\0", one) for _, own in transactions for one in own]
            before = iterate(at, max(hashes, 1) - 1)
            mixin = rows(leaves)[-1][0]
            place = 0
            for raw, own in transactions:
                made.append((len(entries), {
                    "raw": raw.hex(),
                    "signature": base58(own[0]),
                    "hash": leaves[place].hex(),
                    "before": before.hex(),
                    "signature_index": place,
                    "signature_count": len(leaves),
                    "paths": [[one.hex() for one in path(leaves, place + n)]
                              for n in range(len(own))],
                }))
                place += len(own)
            at = sha256(before, mixin)
            entries.append((hashes, at, transactions, mixin))
            left -= hashes
        at = iterate(at, left)
        entries.append((left, at, [], None))
    for position, proof in made:
        records, plain = [], 0
        for hashes, _, _, mixin in entries[position + 1:]:
            plain += max(hashes, 1) if mixin else hashes
            if mixin:
                records.append({"num_hashes": plain, "mixin": mixin.hex()})
                plain = 0
        proof["records"], proof["tail_hashes"] = records, plain
    return {
        "slot": number,
        "previous_last_entry_hash": base58(start),
        "blockhash": base58(at),
        "entries": [{
            "num_hashes": hashes,
            "hash": base58(hash_),
            "transactions_base64": [base64.b64encode(raw).decode() for raw, _ in transactions],
        } for hashes, hash_, transactions, _ in entries],
        "proofs": [proof for _, proof in made],
    }, at


def main():
    start = sha256(b"genesis of synthetic slots")
    plans = [
        {},
        {0: [(3, [(1, b"alone", None)])]},
        {5: [(1, [(1, b"a", None), (2, b"b", None), (1, b"c", None)]), (0, [(1, b"d", None)])],
         63: [(7, [(3, b"last", 0)])]},
        {2: [(2, [(1, b"%d" % n, None if n % 2 else 0) for n in range(7)])],
         3: [(4, [(1, b"wide %d" % n, None) for n in range(2)]), (3, [(4, b"m" * 200, 0)])]},
    ]
    slots = []
    for number, plan in enumerate(plans):
        signed = {tick: [(hashes, [transaction(signers, start, memo, version)
                                   for signers, memo, version in group])
                         for hashes, group in entries] for tick, entries in plan.items()}
        made, start = slot(number, start, signed, 20)
        slots.append(made)
    text = json.dumps(slots, separators=(",", ":"))
    (pathlib.Path(__file__).parent / "slots.json").write_text(text + "\n")


main()
