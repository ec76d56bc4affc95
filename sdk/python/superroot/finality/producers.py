"""Kind 18, producers: the 27 elected producers of Tron build on a block.

A block id is a hash of the raw header alone, so a buried header shows its producer and not the key that signed it: a step
takes a producer's key where it is the producer's own address, or the key of the list before. Sources: java-tron
``BlockCapsule``, ``DposService.updateSolidBlock``, ``MaintenanceManager.applyBlock``.

    set        number:u64 ‖ count:u8 ‖ (producer:20 ‖ key:20)*
    body, step length:u16 ‖ header ‖ signature:65 ‖ (place:u8 ‖ length:u16 ‖ rest of a header ‖ signature:65)*
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, Optional, Sequence, Set

from .._bytes import Reader
from .._hash import sha256_of
from ..errors import need
from .producer_run import RunBlock, read_run, signer_of
from .rules import FinalityParams, FinalitySet, SetSignature
from .verdict import early, encoding, expired, few_signers, order, other_block, other_number, other_set, reading

_EVIDENCE_BLOCKS_MAX, _STEP_BLOCKS_MAX = 64, 160
_PRODUCERS_MAX = 27
#: Least producers that build on a final block, and least members of a set.
_QUORUM, _MEMBERS_MIN = 19, 23
_ADDRESS_BYTES = 20
#: A step's blocks before the window: the last in a set's time and the first in the next.
_BEFORE_WINDOW = 2


@dataclass(frozen=True)
class ProducerParams(FinalityParams):
    """``set_seconds`` from a set to the next; ``window_blocks`` behind a set's first block, whose producers are the set;
    ``trusted_seconds`` from a set's begin."""

    set_seconds: int
    window_blocks: int
    trusted_seconds: int
    kind = "producers"

    def decode_set(self, data: bytes) -> "ProducerSet":
        reader = Reader(data)
        with reading("set"):
            number = reader.u64()
        keys = _read_keys(reader)
        with reading("set"):
            reader.finish("set")
        return ProducerSet(self, number, sha256_of(data), keys)

    def set_of(self, seconds: int) -> int:
        """Number of the set at a time."""
        return seconds // self.set_seconds


def _read_keys(reader: Reader) -> Dict[bytes, bytes]:
    with reading("producers"):
        count = reader.u8()
        need(_MEMBERS_MIN <= count <= _PRODUCERS_MAX, "not 23 to 27 producers")
        pairs = [(reader.take(_ADDRESS_BYTES), reader.take(_ADDRESS_BYTES)) for _ in range(count)]
    if not all(one[0] < following[0] for one, following in zip(pairs, pairs[1:])):
        raise order("producers do not rise")
    return dict(pairs)


def _keys_behind(before: Dict[bytes, bytes], window: Sequence[RunBlock]) -> Dict[bytes, bytes]:
    """Producers of a window, each with its first key that is its own address or the one of before."""
    keys: Dict[bytes, bytes] = {}
    for block in window:
        producer = block.producer
        if producer is None or producer in keys:
            continue
        key = signer_of(block)
        if key == producer or before.get(producer) == key:
            keys[producer] = key
    if len(keys) < _MEMBERS_MIN:
        raise few_signers(len(keys), _PRODUCERS_MAX, _MEMBERS_MIN)
    if len(keys) > _PRODUCERS_MAX:
        raise order("more than 27 producers made the window")
    return keys


def _set_bytes(number: int, keys: Dict[bytes, bytes]) -> bytes:
    """Bytes of a set, producers rising."""
    members = b"".join(producer + key for producer, key in sorted(keys.items()))
    return number.to_bytes(8, "big") + bytes([len(keys)]) + members


@dataclass(frozen=True)
class ProducerSet(FinalitySet):
    """Addresses of signing keys by producer, of one day."""

    params: ProducerParams
    day: int
    hashed: bytes
    keys: Dict[bytes, bytes]
    kind = "producers"

    @property
    def id(self) -> bytes:
        return self.hashed

    @property
    def number(self) -> int:
        return self.day

    @property
    def begins(self) -> int:
        return self.day * self.params.set_seconds

    @property
    def trusted_until(self) -> Optional[int]:
        return self.begins + self.params.trusted_seconds

    def check(self, number: int, block_hash: bytes, body: bytes, now: int) -> SetSignature:
        """Headers from the block's on, of the set's time or later."""
        blocks = read_run(body, _EVIDENCE_BLOCKS_MAX)
        if not blocks:
            raise encoding("headers")
        first = blocks[0]
        if first.block_hash != block_hash:
            raise other_block(first.block_hash, block_hash)
        if first.number != number:
            raise other_number(first.number, number)
        needed = self.params.set_of(first.seconds)
        if needed < self.day:
            raise other_set(needed, self.day)
        at = self._check_time(blocks, now)
        self._check_quorum(blocks)
        return SetSignature(at, f"{_QUORUM} of {len(self.keys)} producers of day {self.day}")

    def next_set(self, step: bytes, now: int) -> "ProducerSet":
        """Producers behind the next set's first block, under blocks by this set."""
        blocks = read_run(step, _STEP_BLOCKS_MAX)
        if len(blocks) < _BEFORE_WINDOW:
            raise encoding("step")
        number = self.params.set_of(blocks[1].seconds)
        if self.params.set_of(blocks[0].seconds) >= number:
            raise order("the second header does not begin a set")
        if number != self.day + 1:
            raise other_set(max(number - 1, 0), self.day)
        self._check_time(blocks, now)
        window_end = _BEFORE_WINDOW + self.params.window_blocks
        self._check_quorum(blocks[window_end:])
        keys = _keys_behind(self.keys, blocks[_BEFORE_WINDOW:window_end])
        return ProducerSet(self.params, number, sha256_of(_set_bytes(number, keys)), keys)

    def _check_time(self, blocks: Sequence[RunBlock], now: int) -> int:
        """Compares the last header's time with the clock, and returns it."""
        at = blocks[-1].seconds
        if at > now:
            raise early(at)
        if now > self.begins + self.params.trusted_seconds:
            raise expired(self.begins, self.params.trusted_seconds)
        return at

    def _check_quorum(self, blocks: Sequence[RunBlock]) -> None:
        """Checks that 19 members signed, each counted once; keys are recovered until then."""
        named = {block.producer for block in blocks if block.producer in self.keys}
        if len(named) < _QUORUM:
            raise few_signers(len(named), len(self.keys), _QUORUM)
        signed: Set[bytes] = set()
        for block in blocks:
            producer = block.producer
            if producer is None or producer not in self.keys or producer in signed or len(signed) >= _QUORUM:
                continue
            if signer_of(block) == self.keys[producer]:
                signed.add(producer)
        if len(signed) < _QUORUM:
            raise few_signers(len(signed), len(self.keys), _QUORUM)
