#!/usr/bin/env python3
"""Blocks of Tron made from the rules alone, with hashlib: a second computation of ids, trees and level 1.

Prints vectors.json, which stands beside this file: `python3 vectors.py > vectors.json`.
Sources of the rules: java-tron Tron.proto, BlockCapsule, TransactionCapsule, MerkleTree.
"""
import hashlib
import json


def sha256(data):
    return hashlib.sha256(data).digest()


def varint(value):
    out = b""
    while value > 127:
        out += bytes([value % 128 + 128])
        value //= 128
    return out + bytes([value])


def number(field, value):
    return varint(field * 8) + varint(value)


def data(field, value):
    return varint(field * 8 + 2) + varint(len(value)) + value


def transaction(seed, signatures=1, ret=number(3, 1), more=b""):
    """A transfer: {1: raw_data, 2: signature*, 5: ret}."""
    transfer = data(1, b"\x41" + bytes([seed % 256] * 20)) + data(2, b"\x41" + b"\x77" * 20)
    transfer += number(3, 1000 + seed)
    any_ = data(1, b"type.googleapis.com/protocol.TransferContract") + data(2, transfer)
    raw = data(1, b"\x12\x34") + data(4, b"12345678") + number(8, 1700000060000)
    raw += data(11, number(1, 1) + data(2, any_)) + number(14, 1700000000000 + seed)
    out = data(1, raw)
    for place in range(signatures):
        out += data(2, bytes([(seed + place) % 256] * 65))
    if ret is not None:
        out += data(5, ret)
    return out + more, sha256(raw)


def level(row):
    """An odd node goes up as it is."""
    pairs = [row[at : at + 2] for at in range(0, len(row), 2)]
    return [sha256(pair[0] + pair[1]) if len(pair) == 2 else pair[0] for pair in pairs]


def root(row):
    while len(row) > 1:
        row = level(row)
    return row[0] if row else bytes(32)


def header(time, tx_root, parent, block_number, version=32):
    out = number(1, time) + data(2, tx_root) + data(3, parent) + number(7, block_number)
    return out + data(9, b"\x41" + b"\x33" * 20) + number(10, version)


def split(count):
    """Largest power of two below the count."""
    power = 1
    while power * 2 < count:
        power *= 2
    return power


def perfect_path(leaves, index):
    """Siblings of a leaf up to the root of a tree of a power of two, from the leaf upward."""
    if len(leaves) == 1:
        return []
    half = len(leaves) // 2
    if index < half:
        return perfect_path(leaves[:half], index) + [root(leaves[half:])]
    return perfect_path(leaves[half:], index - half) + [root(leaves[:half])]


def level_1(transactions, index):
    """docs/protocol.md, Tron: tx_count, branch of the transaction, branches of the peaks."""
    leaves = [sha256(one) for one in transactions]

    def branch(at, siblings):
        one = transactions[at]
        return len(one).to_bytes(4, "big") + one + b"".join(siblings)

    peaks, start, count = b"", 0, len(leaves)
    siblings = []
    while count > 1:
        left = split(count)
        if index - start < left:
            inside = leaves[start : start + left]
            siblings = perfect_path(inside, index - start)
            siblings.append(root(leaves[start + left : start + count]))
            break
        peaks += branch(start, perfect_path(leaves[start : start + left], 0))
        start, count = start + left, count - left
    return len(transactions).to_bytes(4, "big") + branch(index, siblings) + peaks


def block(block_number, count):
    odd = {
        1: dict(signatures=2),
        2: dict(ret=None),
        3: dict(ret=b""),
        # what senders have put into `ret` of real transactions: fields that no node knows
        4: dict(ret=number(3, 1) + data(1002, bytes.fromhex("c83e81f6a50cd03ed4b6a20f"))),
        5: dict(ret=number(1, 100000) + number(2, 1) + number(3, 2)),
        6: dict(more=number(77, 5) + data(78, b"free")),
        7: dict(signatures=0),
    }
    made = [transaction(block_number + at, **odd.get(at, {})) for at in range(count)]
    transactions = [one for one, _ in made]
    parent = (block_number - 1).to_bytes(8, "big") + sha256(b"parent")[8:]
    raw = header(1700000000123 + block_number, root([sha256(one) for one in transactions]), parent, block_number)
    return {
        "number": block_number,
        "timestamp": (1700000000123 + block_number) // 1000,
        "header": raw.hex(),
        "id": (block_number.to_bytes(8, "big") + sha256(raw)[8:]).hex(),
        "parent": parent.hex(),
        "root": root([sha256(one) for one in transactions]).hex(),
        "transactions": [one.hex() for one in transactions],
        "txids": [txid.hex() for _, txid in made],
        "level_1": [level_1(transactions, at).hex() for at in range(count)],
    }


def main():
    blocks = [block(70000000 + count, count) for count in (0, 1, 2, 3, 5, 7, 8, 11)]
    note = "SYNTHETIC: made from the rules by vectors.py, no block of the network"
    print(json.dumps({"note": note, "blocks": blocks}, indent=1))


main()
