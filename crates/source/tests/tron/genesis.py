#!/usr/bin/env python3
"""The first block of Tron's main network as nodes show it, made of what java-tron's configuration says
(`main_net_config.conf`: assets, parentHash; `BlockUtil.newGenesisBlockCapsule`): its id is the one that
everybody knows. Prints genesis.json: `python3 genesis.py > genesis.json`.
"""
import hashlib
import json

KNOWN = "00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc"
PARENT = "e58f33f9baf9305dc6f82b9f1934ea8f0ade2defb951258d50167028c780351f"
WITNESS = b"A new system must allow existing systems to be linked together without requiring any central control or coordination"
ASSETS = [
    ("TLLM21wteSPs4hKjbxgmH1L6poyMjeTbHm", 99000000000000000),
    ("TXmVpin5vq5gdZsciyyjdZgKRUju4st1wM", 0),
    ("TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy", -9223372036854775808),
]


def sha256(data):
    return hashlib.sha256(data).digest()


def varint(value):
    out = b""
    while value > 127:
        out += bytes([value % 128 + 128])
        value //= 128
    return out + bytes([value])


def number(field, value):
    return varint(field * 8) + varint(value % 2**64) if value else b""


def data(field, value):
    return varint(field * 8 + 2) + varint(len(value)) + value


def address(text):
    digits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
    value = 0
    for digit in text:
        value = value * 58 + digits.index(digit)
    whole = value.to_bytes(25, "big")
    assert sha256(sha256(whole[:21]))[:4] == whole[21:]
    return whole[:21]


def raw_data(to, amount):
    transfer = data(1, b"0x000000000000000000000") + data(2, address(to)) + number(3, amount)
    any_ = data(1, b"type.googleapis.com/protocol.TransferContract") + data(2, transfer)
    return data(11, number(1, 1) + data(2, any_))


def main():
    raws = [raw_data(to, amount) for to, amount in ASSETS]
    leaves = [sha256(data(1, raw)) for raw in raws]
    root = sha256(sha256(leaves[0] + leaves[1]) + leaves[2])
    header = data(2, root) + data(3, bytes.fromhex(PARENT)) + data(9, WITNESS)
    block_id = bytes(8) + sha256(header)[8:]
    assert block_id.hex() == KNOWN, block_id.hex()
    shown = {
        "blockID": block_id.hex(),
        "block_header": {"raw_data": {"txTrieRoot": root.hex(), "witness_address": WITNESS.hex(), "parentHash": PARENT}},
        "transactions": [{"txID": sha256(raw).hex(), "raw_data_hex": raw.hex()} for raw in raws],
    }
    print(json.dumps(shown, indent=1))


main()
