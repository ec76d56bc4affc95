"""The newest SuperRoot, the proofs of a block and of a transaction, and what gas costs."""

import os
import sys
from typing import TypeVar

import httpx
from superroot_client import AuthenticatedClient
from superroot_client.api.g1 import checkpoint, prove_block, super_root
from superroot_client.api.g3 import prove_transaction_short
from superroot_client.api.g4 import gas
from superroot_client.models import EvmHeader, Problem

Answer = TypeVar("Answer")


def good(answer: Answer | Problem | None) -> Answer:
    """The answer, where it is no refusal."""
    if answer is None or isinstance(answer, Problem):
        raise SystemExit(f"{answer.code}: {answer.detail}" if answer else "no answer")
    return answer


url, tx = sys.argv[1:]
key = os.environ["SUPERROOT_API_KEY"]
client = AuthenticatedClient(url, token=key, timeout=httpx.Timeout(20))

root = good(super_root.sync(client=client))
newest = next(one.number for one in root.block_references if one.chain_id == 1)
print(f"SuperRoot {root.sequence}: {root.super_root_hash}, Ethereum up to block {newest}")
print(f"checkpoint of {good(checkpoint.sync(client=client)).splitlines()[0]}")

block = good(prove_block.sync("ethereum", str(newest), client=client))
print(f"block {block.block_hash}: {block.anchor_status}, level {block.proof_level}")
# a header is that of one of nine ledgers
if isinstance(block.header, EvmHeader):
    print(f"mined by {block.header.miner}, gas {block.header.gas_used}")

# so many seconds it may take until the block is anchored
proof = good(prove_transaction_short.sync("ethereum", tx, client=client, wait=15))
count = len(proof.siblings or [])
print(f"transaction {proof.transaction_index} of block {proof.block_number}: {count} trie nodes")

for chain in good(gas.sync(client=client, chain_id="ethereum")).chains:
    fee = chain.next_base_fee.wei if chain.next_base_fee else "not known"
    print(f"{chain.name}: next base fee {fee} {chain.unit}")
