"""Makes synthetic.json: a made-up block of Aptos on 1,000 made-up earlier versions, by the rules alone.

    python3 synthetic.py > synthetic.json

Written from aptos-core's `types/src/proof` and `types/src/transaction`, without any code of this project.
"""
import hashlib, json, struct

def sha3(data): return hashlib.sha3_256(data).digest()
def seed(name): return sha3(b"APTOS::" + name)

PLACEHOLDER = b"ACCUMULATOR_PLACEHOLDER_HASH".ljust(32, b"\0")

def node(name, left, right): return sha3(seed(name) + left + right)

def root(name, leaves):
    row = list(leaves)
    if not row:
        return PLACEHOLDER
    while len(row) > 1:
        if len(row) % 2:
            row.append(PLACEHOLDER)
        row = [node(name, row[i], row[i + 1]) for i in range(0, len(row), 2)]
    return row[0]

FIRST = 1_000
NAME = b"TransactionAccumulator"

def event(number):
    # the second form of a ContractEvent: its type is u64 (2), its data 8 bytes
    return bytes([1, 2, 8]) + struct.pack("<Q", 1_000 + number)

def info(number, events):
    status = bytes([0]) if number != 2 else bytes([2, 0]) + b"\1" * 32 + b"\4coin" + struct.pack("<Q", 65542) + b"\1\3ENO\0"
    checkpoint = b"\1" + sha3(b"checkpoint") if number == 3 else b"\0"
    hashes = [sha3(b"transaction %d" % number),
              root(b"EventAccumulator", [sha3(seed(b"ContractEvent") + one) for one in events]),
              sha3(b"state change %d" % number)]
    return b"\0" + struct.pack("<Q", 7 * number) + status + b"".join(hashes) + checkpoint + b"\0"

earlier = [sha3(seed(b"TransactionInfo") + b"earlier %d" % one) for one in range(FIRST)]
events = [[event(10 * one + place) for place in range([0, 1, 2, 5][one])] for one in range(4)]
infos = [info(one, events[one]) for one in range(4)]
leaves = earlier + [sha3(seed(b"TransactionInfo") + one) for one in infos]
frozen, start = [], 0
for height in reversed(range(FIRST.bit_length())):
    if FIRST >> height & 1:
        frozen.append(root(NAME, earlier[start:start + (1 << height)]))
        start += 1 << height
text = lambda data: "0x" + data.hex()
print(json.dumps({
    "synthetic": "made by synthetic.py; of no network",
    "block": {
        "number": 4096, "hash": text(root(NAME, leaves)), "parentHash": text(root(NAME, earlier)),
        "timestampUs": 1_700_000_000_000_000,
        "versions": {
            "firstVersion": FIRST, "frozen": [text(one) for one in frozen],
            "infos": [one.hex() for one in infos],
            "events": [[one.hex() for one in each] for each in events],
        },
    },
}, indent=1))
