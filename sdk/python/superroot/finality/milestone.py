"""Kind 17, milestone: Heimdall's validators, on a CometBFT chain, finalize blocks of Polygon PoS in Heimdall's state.

Sets, steps and commits are as in kind 16, with keys of secp256k1. The header at height h has the state after height h - 1.
Sources: 0xPolygon/heimdall-v2 ``x/milestone/types/keys.go``, ``x/milestone/keeper/keeper.go``,
``x/milestone/types/milestone.pb.go``; 0xPolygon/cometbft ``crypto/secp256k1/secp256k1.go``.

    body       length:u32 ‖ commit ‖ number:u64 ‖ length:u32 ‖ milestone ‖ path ‖ stores
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import List, Optional

from .._bytes import Reader
from ..errors import need
from ..ledgers._protobuf import Fields
from .cometbft import read_commit
from .commit import CommitParams, CommitSet
from .milestone_store import IavlPath, StoreStep, read_iavl_path, read_store_path, root_of_stores, store_root
from .rules import FinalityParams, FinalitySet, SetSignature
from .signed import SECP256K1
from .verdict import bad_header, branch, other_block, other_number, reading

_MILESTONE_BYTES_MAX = 1_024
_MILESTONE_PREFIX = b"\x81"
_STORE = b"milestone"


@dataclass(frozen=True)
class MilestoneParams(FinalityParams):
    """Heimdall's constants, and ``bor_chain``: the chain id in milestones."""

    heimdall: CommitParams
    bor_chain: int
    kind = "milestone"

    def decode_set(self, data: bytes) -> "MilestoneSet":
        return MilestoneSet(self, CommitSet.decode(self.heimdall, SECP256K1, data))


@dataclass(frozen=True)
class _Body:
    commit: bytes
    number: int
    milestone: bytes
    path: IavlPath
    stores: List[StoreStep]


def _read_body(data: bytes) -> _Body:
    with reading("body"):
        reader = Reader(data)
        commit, number, milestone = reader.long(), reader.u64(), reader.long()
        need(len(milestone) <= _MILESTONE_BYTES_MAX, "a milestone above 1,024 bytes")
        body = _Body(commit, number, milestone, read_iavl_path(reader), read_store_path(reader))
        reader.finish("body")
        return body


def _check_milestone(params: MilestoneParams, data: bytes, number: int, block_hash: bytes) -> None:
    """Reads a whole message ``Milestone``, and compares it with the stated block."""
    with reading("milestone"):
        fields = Fields(data)
        fields.blob(1, "proposer")
        fields.number(2, "start_block")
        end_block = fields.number(3, "end_block")
        hashed = fields.hash(4, "hash")
        chain_id = fields.blob(5, "bor_chain_id")
        fields.blob(6, "milestone_id")
        fields.number(7, "timestamp")
        fields.number(8, "total_difficulty")
        fields.finish("milestone")
    if hashed != block_hash:
        raise other_block(hashed, block_hash)
    if end_block != number:
        raise other_number(end_block, number)
    if chain_id != str(params.bor_chain).encode("ascii"):
        raise bad_header(number, "the milestone's chain id is another")


def _check_state(body: _Body, app_hash: bytes) -> None:
    """Checks a milestone against the root over all stores."""
    with reading("path of the milestone"):
        key = _MILESTONE_PREFIX + body.number.to_bytes(8, "big")
        root = root_of_stores(body.stores, _STORE, store_root(body.path, key, body.milestone))
    if root != app_hash:
        raise branch("milestone")


@dataclass(frozen=True)
class MilestoneSet(FinalitySet):
    """A header of Heimdall and its validators."""

    params: MilestoneParams
    heimdall: CommitSet
    kind = "milestone"

    @property
    def id(self) -> bytes:
        return self.heimdall.id

    @property
    def number(self) -> int:
        return self.heimdall.number

    @property
    def begins(self) -> Optional[int]:
        return self.heimdall.begins

    @property
    def trusted_until(self) -> Optional[int]:
        return self.heimdall.trusted_until

    def check(self, number: int, block_hash: bytes, body: bytes, now: int) -> SetSignature:
        read = _read_body(body)
        _check_milestone(self.params, read.milestone, number, block_hash)
        commit = read_commit(SECP256K1, read.commit)
        _check_state(read, commit.header.fields["app_hash"])
        signature = self.heimdall.check_commit(commit, now)
        by = f"{signature.by} of Heimdall, whose milestone {read.number} ends with block {number}"
        return SetSignature(signature.at, by)

    def next_set(self, step: bytes, now: int) -> "MilestoneSet":
        """Commit of the next set's header."""
        return MilestoneSet(self.params, self.heimdall.next_set(step, now))
