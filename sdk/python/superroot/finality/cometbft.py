"""Headers, validators and votes of CometBFT chains: docs/protocol/validators.md. Sources: CometBFT ``types/validator.go``
(``Bytes``), ``types/validator_set.go`` (``Hash``), ``types/canonical.go``.

    body, step length:u32 ‖ header ‖ round:u32 ‖ part_count:u32 ‖ parts_hash:32 ‖ validators ‖ bits ‖ vote*
    validators count:u16 ‖ (key ‖ power:varint)*
    vote       time:u64 ‖ signature:64
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, List, Tuple

from .._bytes import Reader
from .._hash import sha256_node, sha256_of
from .._trees import tree_root
from ..errors import need
from ..ledgers import Header
from ..ledgers import cosmos
from ..ledgers._protobuf import read_varint, varint
from .signed import SIGNATURE_BYTES, KeyScheme, read_bits
from .verdict import branch, encoding, order, reading

VALIDATORS_MAX = 512
_ROUND_MAX = 0x7FFF_FFFF
#: ``MaxTotalVotingPower``.
_POWER_MAX = ((1 << 63) - 1) // 8
_NANOS = 1_000_000_000
#: ``SIGNED_MSG_TYPE_PRECOMMIT``.
_PRECOMMIT = 2


@dataclass(frozen=True)
class Validator:
    """A key and its voting power."""

    key: bytes
    power: int


@dataclass(frozen=True)
class ValidatorList:
    """Validators in their order, at least one, each once and with power."""

    members: Tuple[Validator, ...]
    powers: Dict[bytes, int]
    total: int


@dataclass(frozen=True)
class Vote:
    """``time`` in nanoseconds since 1970."""

    index: int
    time: int
    signature: bytes


@dataclass(frozen=True)
class Commit:
    """Header with its validators and their votes."""

    header: Header
    round: int
    part_count: int
    parts_hash: bytes
    validators: ValidatorList
    votes: List[Vote]


def read_header(data: bytes) -> Header:
    """A whole header. Raises ``Refusal``."""
    with reading("header"):
        return cosmos.read_header(0, data)


def read_validators(scheme: KeyScheme, reader: Reader) -> ValidatorList:
    """``count:u16 ‖ (key ‖ power:varint)*``. Raises ``Refusal``."""
    with reading("validators"):
        count = reader.u16()
        need(1 <= count <= VALIDATORS_MAX, "no validators, or more than 512")
        members = tuple(Validator(reader.take(scheme.key_bytes), read_varint(reader)) for _ in range(count))
    powers: Dict[bytes, int] = {}
    total = 0
    for member in members:
        total += member.power
        if member.power == 0 or total > _POWER_MAX:
            raise encoding("validators")
        if member.key in powers:
            raise order("a validator is named twice")
        powers[member.key] = member.power
    return ValidatorList(members, powers, total)


def read_commit(scheme: KeyScheme, data: bytes) -> Commit:
    """A body or a step; its validators are under its header. Raises ``Refusal``."""
    reader = Reader(data)
    with reading("commit"):
        encoded = reader.long()
    header = read_header(encoded)
    with reading("commit"):
        round_number, part_count, parts_hash = reader.u32(), reader.u32(), reader.hash()
        need(round_number <= _ROUND_MAX, "the round has more than 31 bits")
    validators = read_validators(scheme, reader)
    with reading("commit"):
        indices = read_bits(reader, len(validators.members))
        votes = [Vote(index, reader.u64(), reader.take(SIGNATURE_BYTES)) for index in indices]
        reader.finish("commit")
    check_under(scheme, header, validators)
    return Commit(header, round_number, part_count, parts_hash, validators, votes)


def check_under(scheme: KeyScheme, header: Header, validators: ValidatorList) -> None:
    """Refuses validators that are not those under the header's ``validators_hash``."""
    leaves = []
    for member in validators.members:
        leaf = _message(1, _message(scheme.field, member.key)) + _number(2, member.power)
        leaves.append(sha256_of(b"\x00" + leaf))
    if tree_root(leaves, sha256_node, sha256_of(b"")) != header.fields["validators_hash"]:
        raise branch("list of validators")


def _number(field: int, value: int) -> bytes:
    """A number as a field, left out for 0."""
    return bytes([field << 3]) + varint(value) if value else b""


def _message(field: int, data: bytes) -> bytes:
    """Bytes as a field, there even if empty."""
    return bytes([field << 3 | 2]) + varint(len(data)) + data


def _fixed(field: int, value: int) -> bytes:
    """Eight bytes, the lowest first; left out for 0."""
    return bytes([field << 3 | 1]) + value.to_bytes(8, "little") if value else b""


def precommit_bytes(chain_id: str, commit: Commit, time: int) -> bytes:
    """Signed bytes of a precommit: ``CanonicalVote`` behind its length. ``time`` in nanoseconds since 1970."""
    parts = _number(1, commit.part_count) + _message(2, commit.parts_hash)
    block = _message(1, commit.header.block_hash) + _message(2, parts)
    at = _number(1, time // _NANOS) + _number(2, time % _NANOS)
    vote = _number(1, _PRECOMMIT) + _fixed(2, commit.header.number or 0) + _fixed(3, commit.round)
    vote += _message(4, block) + _message(5, at) + _message(6, chain_id.encode("utf-8"))
    return varint(len(vote)) + vote
