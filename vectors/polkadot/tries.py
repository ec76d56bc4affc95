#!/usr/bin/env python3
"""Synthetic vectors of the Polkadot family, made from the specification by a program of its own.

    python3 vectors/polkadot/tries.py > vectors/polkadot/tries.json

Nothing here was taken from a chain. Keys and values follow from hashing, so that large tries need no
large file: `leaf(i)` below is what a test makes again.
"""
import hashlib
import json
import struct


def blake(data):
    return hashlib.blake2b(data, digest_size=32).digest()


def compact(n):
    if n < 1 << 6:
        return bytes([n << 2])
    if n < 1 << 14:
        return struct.pack("<H", n << 2 | 1)
    if n < 1 << 30:
        return struct.pack("<I", n << 2 | 2)
    size = max(4, (n.bit_length() + 7) // 8)
    return bytes([size - 4 << 2 | 3]) + n.to_bytes(size, "little")


def xxh64(data, seed):
    p1, p2, p3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
    p4, p5, mask = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5, (1 << 64) - 1
    rol = lambda v, r: (v << r | v >> 64 - r) & mask
    assert len(data) < 32, "short inputs alone"
    h = (seed + p5 + len(data)) & mask
    while len(data) >= 8:
        lane = struct.unpack("<Q", data[:8])[0]
        h = (rol(h ^ rol(lane * p2 & mask, 31) * p1 & mask, 27) * p1 + p4) & mask
        data = data[8:]
    if len(data) >= 4:
        h = (rol(h ^ struct.unpack("<I", data[:4])[0] * p1 & mask, 23) * p2 + p3) & mask
        data = data[4:]
    for byte in data:
        h = rol(h ^ byte * p5 & mask, 11) * p1 & mask
    h = (h ^ h >> 33) * p2 & mask
    h = (h ^ h >> 29) * p3 & mask
    return h ^ h >> 32


def twox128(data):
    return struct.pack("<QQ", xxh64(data, 0), xxh64(data, 1))


class Trie:
    """Over a dict of keys to values; `nodes` are the hashed ones, `path` those on the way to a key."""

    def __init__(self, pairs, version, path_of=None):
        self.version, self.path_of = version, path_of
        self.path = []
        nibbles = {tuple(n for b in k for n in (b >> 4, b & 15)): v for k, v in pairs.items()}
        on_path = None if path_of is None else tuple(n for b in path_of for n in (b >> 4, b & 15))
        top = self.node(nibbles, 0, on_path) if nibbles else b"\0"
        self.root = blake(top)
        if path_of is not None:
            self.path.append(top)
            self.path.reverse()

    def header(self, kind, bits, length):
        full = (1 << bits) - 1
        if length < full:
            return bytes([kind | length])
        out, left = [kind | full], length - full
        while left >= 255:
            out.append(255)
            left -= 255
        return bytes(out + [left])

    def packed(self, nibbles):
        odd = [0] if len(nibbles) % 2 else []
        digits = odd + list(nibbles)
        return bytes(a << 4 | b for a, b in zip(digits[::2], digits[1::2]))

    def node(self, pairs, depth, on_path):
        """Bytes of the node over `pairs`. Gathers, leaf first, what lies on the way to the key."""
        keys = list(pairs)
        shared = 0
        while all(len(k) > depth + shared for k in keys) and len({k[depth + shared] for k in keys}) == 1:
            shared += 1
            if len(keys) == 1 and depth + shared == len(keys[0]):
                break
        path, depth = keys[0][depth : depth + shared], depth + shared
        value = pairs.get(keys[0][:depth])
        below = {k: v for k, v in pairs.items() if len(k) > depth}
        follows = on_path is not None and on_path[:depth] == keys[0][:depth]
        hashed = value is not None and self.version == 1 and len(value) >= 33
        stored = b""
        if value is not None:
            stored = blake(value) if hashed else compact(len(value)) + value
            if hashed and follows and len(on_path) == depth:
                self.path.append(value)
        if not below:
            head = self.header(0x20, 5, len(path)) if hashed else self.header(0x40, 6, len(path))
            return head + self.packed(path) + stored
        children, bitmap = b"", 0
        for nibble in range(16):
            group = {k: v for k, v in below.items() if k[depth] == nibble}
            if not group:
                continue
            bitmap |= 1 << nibble
            goes_on = follows and len(on_path) > depth and on_path[depth] == nibble
            child = self.node(group, depth + 1, on_path if goes_on else None)
            if len(child) >= 32:
                if goes_on:
                    self.path.append(child)
                child = blake(child)
            children += compact(len(child)) + child
        if hashed:
            head = self.header(0x10, 4, len(path))
        else:
            head = self.header(0x80 if value is None else 0xC0, 6, len(path))
        return head + self.packed(path) + struct.pack("<H", bitmap) + stored + children


def leaf(i, longest):
    """An extrinsic of a length that the number gives, with that length before it."""
    length = 1 + i * 37 % longest
    stream = b"".join(blake(struct.pack("<II", i, part)) for part in range(length // 32 + 1))
    return compact(length) + stream[:length]


def hexed(data):
    return "0x" + data.hex()


def extrinsics():
    for count, longest in [(0, 9), (1, 9), (2, 40), (3, 200), (17, 90), (65, 30), (300, 64), (16500, 48)]:
        for version in (0, 1):
            pairs = {compact(i): leaf(i, longest) for i in range(count)}
            asked = sorted({0, 1, count // 2, max(count - 1, 0), count, 2**31})
            proofs = []
            for index in asked if count < 400 else asked[3:4]:
                nodes = Trie(pairs, version, compact(index)).path
                proofs.append({"index": index, "nodes": [hexed(node) for node in nodes]})
            root = hexed(Trie(pairs, version).root)
            yield {"version": version, "count": count, "longest": longest, "root": root, "proofs": proofs}


def record(i):
    """A made-up event of extrinsic i: phase, pallet and event, data, no topics."""
    return b"\0" + struct.pack("<I", i) + bytes([0, 0]) + blake(bytes([i]))[: i % 30] + b"\0"


EVENTS = twox128(b"System") + twox128(b"Events")


def states():
    others = {twox128(f"Pallet{i}".encode()) + blake(bytes([i])): blake(bytes([i, 1])) * (i % 3) for i in range(60)}
    # neighbours of the list: one key is a beginning of another, one branches off late
    others[EVENTS[:16]] = b"a value in the branch above, of more than 32 bytes"
    others[EVENTS[:31] + b"\xd6"] = b"\x01"
    others[b":code"] = b"\x00" * 70
    for name, pairs, count in [("alone", {}, 3), ("among others", others, 12), ("no event", others, 0)]:
        for version in (0, 1):
            value = compact(count) + b"".join(record(i) for i in range(count))
            trie = Trie({**pairs, EVENTS: value}, version, EVENTS)
            state = {"name": name, "version": version, "root": hexed(trie.root), "records": count}
            yield {**state, "value": hexed(value), "nodes": [hexed(node) for node in trie.path]}
    yield {"name": "without the key", "version": 0, "root": hexed(Trie(others, 0).root), "records": None,
           "value": None, "nodes": [hexed(node) for node in Trie(others, 0, EVENTS).path]}


def header():
    digest = [b"\x06BABE" + compact(4) + b"\1\2\3\4", b"\x08", b"\0" + compact(70) + b"o" * 70,
              b"\x04FRNK" + compact(0), b"\x05BABE" + compact(64) + b"s" * 64]
    for number in (0, 63, 64, 16384, 2**30, 31_500_000):
        fields = [blake(b"parent"), compact(number), blake(b"state"), blake(b"extrinsics")]
        encoded = b"".join(fields) + compact(len(digest)) + b"".join(digest)
        yield {"number": number, "scale": hexed(encoded), "hash": hexed(blake(encoded))}


print(json.dumps({
    "synthetic": "made by vectors/polkadot/tries.py, from no chain",
    "events_key": hexed(EVENTS),
    "empty_root": hexed(Trie({}, 0).root),
    "extrinsics": list(extrinsics()),
    "states": list(states()),
    "headers": list(header()),
}, indent=1))
