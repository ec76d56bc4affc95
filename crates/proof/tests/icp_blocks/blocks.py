#!/usr/bin/env python3
"""Blocks of the ICP ledger, made from its rules without any code of this project.

Run it to write blocks.json beside it. Rules: rs/ledger_suite/icp of dfinity/ic (protobuf of
ic_ledger.pb.v1, block hash, packed CBOR of a transaction). Real are the block 9840566 and four hashes of
transactions; their sources stand beside them. All else is synthetic.
"""
import hashlib
import json
import pathlib
import random
import zlib

GENESIS_NANOS = 1_620_328_630_192_468_691


def varint(number):
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def integer(tag, number):
    return varint(tag << 3) + varint(number) if number else b""


def message(tag, body):
    return varint(tag << 3 | 2) + varint(len(body)) + body


def blob(tag, body):
    return message(tag, body) if body else b""


def wrapped(tag, number):
    return b"" if number is None else message(tag, integer(1, number))


def account_bytes(text):
    raw = bytes.fromhex(text)
    assert zlib.crc32(raw[4:]).to_bytes(4, "big") == raw[:4], text
    return raw


def account(tag, text):
    return b"" if text is None else message(tag, blob(1, account_bytes(text)))


def operation_message(op):
    kind = op["kind"]
    if kind == "burn":
        body = account(1, op["from"]) + wrapped(3, op["amount"]) + account(4, op.get("spender"))
        return message(1, body)
    if kind == "mint":
        return message(2, account(2, op["to"]) + wrapped(3, op["amount"]))
    if kind == "transfer":
        extension = b"" if op.get("spender") is None else message(6, account(1, op["spender"]))
        body = account(1, op["from"]) + account(2, op["to"]) + wrapped(3, op["amount"])
        return message(3, body + wrapped(4, op["fee"]) + extension)
    approve = wrapped(1, op["allowance"]) + wrapped(2, op.get("expires_at"))
    approve += wrapped(3, op.get("expected_allowance"))
    body = account(1, op["from"]) + account(2, op["spender"]) + wrapped(3, 0)
    return message(3, body + wrapped(4, op["fee"]) + message(5, approve))


def transaction_message(tx):
    body = operation_message(tx["operation"]) + wrapped(4, tx["memo"])
    body += wrapped(6, tx.get("created_at"))
    memo = tx.get("icrc1_memo")
    return body if memo is None else body + message(7, blob(1, bytes.fromhex(memo)))


def block_bytes(block):
    parent = block.get("parent_hash")
    body = b"" if parent is None else message(1, message(1, bytes.fromhex(parent)))
    return body + wrapped(2, block["timestamp"]) + message(3, transaction_message(block["transaction"]))


def head(major, number):
    for limit, info, size in ((24, None, 0), (1 << 8, 24, 1), (1 << 16, 25, 2), (1 << 32, 26, 4)):
        if number < limit:
            first = major << 5 | (number if info is None else info)
            return bytes([first]) + (number.to_bytes(size, "big") if size else b"")
    return bytes([major << 5 | 27]) + number.to_bytes(8, "big")


def packed(fields):
    return head(5, len(fields)) + b"".join(head(0, key) + value for key, value in fields)


def text(value):
    return head(3, len(value)) + value.encode()


def number_record(number):
    return b"\xf6" if number is None else packed([(0, head(0, number))])


def transaction_hash(tx):
    op = tx["operation"]
    kind = op["kind"]
    spender = op.get("spender")
    if kind == "burn":
        variant, fields = 0, [(0, text(op["from"])), (1, number_record(op["amount"]))]
        fields += [] if spender is None else [(2, text(spender))]
    elif kind == "mint":
        variant, fields = 1, [(0, text(op["to"])), (1, number_record(op["amount"]))]
    elif kind == "transfer":
        variant, fields = 2, [(0, text(op["from"])), (1, text(op["to"]))]
        fields += [(2, number_record(op["amount"])), (3, number_record(op["fee"]))]
        fields += [] if spender is None else [(4, text(spender))]
    else:
        variant, fields = 3, [(0, text(op["from"])), (1, text(spender))]
        fields += [(2, number_record(op["allowance"])), (3, number_record(op.get("expected_allowance")))]
        fields += [(4, number_record(op.get("expires_at"))), (5, number_record(op["fee"]))]
    members = [(0, packed([(variant, packed(fields))])), (1, head(0, tx["memo"]))]
    members.append((2, number_record(tx.get("created_at"))))
    if tx.get("icrc1_memo") is not None:
        memo = bytes.fromhex(tx["icrc1_memo"])
        members.append((3, head(2, len(memo)) + memo))
    return hashlib.sha256(packed(members)).hexdigest()


def made(number, block):
    encoded = block_bytes(block)
    return {
        "number": number,
        "hash": hashlib.sha256(encoded).hexdigest(),
        "transactionHash": transaction_hash(block["transaction"]),
        "encoded": encoded.hex(),
        "block": block,
    }


def transfer(sender, to, amount, fee=10_000, spender=None):
    op = {"kind": "transfer", "from": sender, "to": to, "amount": amount, "fee": fee}
    return op if spender is None else {**op, "spender": spender}


def real():
    created = 1_705_420_805_314_666_462
    operation = transfer(
        "d360ba83413713928ec6a61438f7c611c6c81a09b36a99462f654473f9a1a671",
        "42727096b88d2ef0527c77e16c4b11b8685e623bfdd0b035b3680f36078cca06",
        830_010_000,
    )
    block = {
        "parent_hash": "b9683af7a13e8400b05e582fec77d180db036aba865b4bc7abc0d13ccddeb610",
        "timestamp": created,
        "transaction": {"operation": operation, "memo": 0, "created_at": created},
    }
    one = made(9_840_566, block)
    # as dfinity/portal shows them: docs/developer-docs/defi/rosetta/icp_rosetta/data_api/blocks.md
    assert one["hash"] == "e189f729b207dafc2583305cf313671a84bb1437ee44435e12eaf3dcfbcb8fcf"
    known = "93a19bfa37db0200cec77281cd8a0602a4375a7367338e7c6973f93a42e6eb5e"
    assert one["transactionHash"] == known
    return one


def real_transactions():
    """Hashes that others state: dfinity/ic rs/ledger_suite/icp/src/lib.rs, and cordialsys/crosschain
    chain/internet_computer/client/types."""
    sender = "e7a879ea563d273c46dd28c1584eaa132fad6f3e316615b3eb657d067f3519b5"
    to = "207ec07185bedd0f2176ec2760057b8b7bc619a94d60e70fbc91af322a9f7e93"
    burner = "302b51fc2f5d5ce630fd1ca725c8ef01d2f01523ba531f4e581aa964ea1b2674"
    minted = "8d5a08a6389cb2f75ca7fc74eb71c84ce15149b356fc1a573a5e8db1d50cfb0f"
    known = [
        (
            transfer(sender, to, 11_541_900_000),
            5_432_845_643_782_906_771,
            1_621_901_572_293_430_780,
            "be31664ef154456aec5df2e4acc7f23a715ad8ea33ad9dbcbb7e6e90bc5a8b8f",
        ),
        (
            {"kind": "burn", "from": burner, "amount": 59_445_250},
            0,
            1_753_126_813_775_314_320,
            "1d1ce5312021042e67140ed2abcc81d2f5e2e073c65e66343876bf5a220ace88",
        ),
        (
            {"kind": "mint", "to": minted, "amount": 941_545_518},
            1_753_130_853,
            1_753_130_853_654_425_885,
            "6def16f7d258e25aa061a3890b75f1bffa5b6d019efe2a713378e788d6b11973",
        ),
    ]
    out = []
    for operation, memo, created, expected in known:
        tx = {"operation": operation, "memo": memo, "created_at": created}
        assert transaction_hash(tx) == expected, operation
        out.append({"transactionHash": expected, "encoded": transaction_message(tx).hex()})
    return out


def synthetic(count):
    rng = random.Random(223)

    def some_account():
        raw = rng.randbytes(28)
        return (zlib.crc32(raw).to_bytes(4, "big") + raw).hex()

    def some_number():
        return rng.choice([0, 1, 127, 128, 10_000, 2**32, 2**63, 2**64 - 1, rng.randrange(2**64)])

    def maybe(value):
        return value if rng.random() < 0.5 else None

    def some_operation(number):
        kind = ["mint", "transfer", "burn", "approve", "transfer", "burn"][number % 6]
        a, b = some_account(), some_account()
        if kind == "mint":
            return {"kind": kind, "to": a, "amount": some_number()}
        if kind == "burn":
            op = {"kind": kind, "from": a, "amount": some_number()}
            return op if number % 2 else {**op, "spender": b}
        if kind == "transfer":
            fee = rng.choice([0, 10_000])
            return transfer(a, b, some_number(), fee, None if number % 4 == 1 else some_account())
        op = {"kind": kind, "from": a, "spender": b, "allowance": some_number(), "fee": 10_000}
        extra = {"expected_allowance": maybe(some_number()), "expires_at": maybe(some_number())}
        return {**op, **{name: value for name, value in extra.items() if value is not None}}

    blocks, parent, now = [], None, GENESIS_NANOS
    for number in range(count):
        tx = {"operation": some_operation(number), "memo": some_number()}
        extra = {"created_at": maybe(now), "icrc1_memo": maybe(rng.randbytes(rng.choice([0, 1, 8, 32])).hex())}
        tx.update({name: value for name, value in extra.items() if value is not None})
        block = {"timestamp": now, "transaction": tx}
        if parent is not None:
            block = {"parent_hash": parent, **block}
        one = made(number, block)
        blocks.append(one)
        parent = one["hash"]
        now += rng.randrange(1, 3_000_000_000)
    return blocks


def main():
    out = {"real": real(), "realTransactions": real_transactions(), "synthetic": synthetic(36)}
    path = pathlib.Path(__file__).with_name("blocks.json")
    path.write_text(json.dumps(out, indent=1) + "\n")


if __name__ == "__main__":
    main()
