#!/usr/bin/env python3
"""Blocks of a CometBFT chain made from the rules alone, with hashlib: a second computation of block
hashes, data hashes and level 1.

Prints vectors.json, which stands beside this file: `python3 vectors.py > vectors.json`.
Sources of the rules: CometBFT types.proto, types/block.go, types/tx.go; RFC 6962 section 2.1.
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
    return varint(field * 8) + varint(value) if value else b""


def message(field, value):
    return varint(field * 8 + 2) + varint(len(value)) + value


def data(field, value):
    return message(field, value) if value else b""


def split(count):
    """Largest power of two below the count."""
    power = 1
    while power * 2 < count:
        power *= 2
    return power


def tree(leaves):
    """RFC 6962: MTH over the leaves' bytes."""
    if not leaves:
        return sha256(b"")
    if len(leaves) == 1:
        return sha256(b"\0" + leaves[0])
    left = split(len(leaves))
    return sha256(b"\1" + tree(leaves[:left]) + tree(leaves[left:]))


def perfect_path(leaves, index):
    """Siblings of a leaf up to the root of a tree of a power of two, from the leaf upward."""
    if len(leaves) == 1:
        return []
    half = len(leaves) // 2
    if index < half:
        return perfect_path(leaves[:half], index) + [tree(leaves[half:])]
    return perfect_path(leaves[half:], index - half) + [tree(leaves[:half])]


def level_1(transactions, index):
    """docs/protocol.md, Cosmos: tx_count, branch of the transaction, branches of the peaks."""
    leaves = [sha256(one) for one in transactions]
    peaks, siblings, start, count = b"", [], 0, len(leaves)
    while count > 1:
        left = split(count)
        if index - start < left:
            siblings = perfect_path(leaves[start : start + left], index - start)
            siblings.append(tree(leaves[start + left : start + count]))
            break
        peaks += leaves[start] + b"".join(perfect_path(leaves[start : start + left], 0))
        start, count = start + left, count - left
    one = transactions[index]
    out = len(transactions).to_bytes(4, "big") + len(one).to_bytes(4, "big") + one
    return out + b"".join(siblings) + peaks


def block(height, count, parent, app_hash=b"\x07" * 32, chain_id="cosmoshub-4", versions=(11, 0), nanos=5):
    transactions = [bytes([height % 256, at]) * (at * 37 % 200) for at in range(count)]
    data_hash = tree([sha256(one) for one in transactions])
    seconds = 1700000000 + height % 1000
    versions = number(1, versions[0]) + number(2, versions[1])
    time = number(1, seconds) + number(2, nanos)
    parts = number(1, 1 + count) + data(2, sha256(b"parts")) if parent else b""
    block_id = data(1, parent) + message(2, parts)
    named = [sha256(name) for name in (b"commit", b"validators", b"next", b"consensus", b"results")]
    rest = [named[0], data_hash, named[1], named[2], named[3], app_hash, named[4], sha256(b""), b"\x33" * 20]
    leaves = [versions, data(1, chain_id.encode()), number(1, height), time, block_id]
    leaves += [data(1, one) for one in rest]
    header = message(1, versions) + data(2, chain_id.encode()) + number(3, height)
    header += message(4, time) + message(5, block_id)
    header += b"".join(data(6 + at, one) for at, one in enumerate(rest))
    return {
        "number": height,
        "timestamp": seconds,
        "header": header.hex(),
        "hash": tree(leaves).hex(),
        "parent": (parent or bytes(32)).hex(),
        "data_hash": data_hash.hex(),
        "transactions": [one.hex() for one in transactions],
        "txids": [sha256(one).hex() for one in transactions],
        "level_1": [level_1(transactions, at).hex() for at in range(count)],
    }


def main():
    blocks = [block(5200791, 0, b"", app_hash=b"", versions=(0, 0), nanos=0)]
    for count in (1, 2, 3, 5, 7, 8, 11):
        parent = bytes.fromhex(blocks[-1]["hash"])
        app_hash = b"\0" * 8 if count == 2 else b"\x07" * 32
        nanos = 0 if count == 3 else 999999999 - count
        blocks.append(block(5200791 + len(blocks), count, parent, app_hash, versions=(11, count // 3), nanos=nanos))
    note = "SYNTHETIC: made from the rules by vectors.py, no block of the network"
    print(json.dumps({"note": note, "blocks": blocks}, indent=1))


main()
