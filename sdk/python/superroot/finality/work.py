"""Kind 11, work: Bitcoin's headers, each with its work, from the first of a period of 2,016 on. Evidence binds the number.

Of two branches the one with more work counts: a client that is shown one sees its work, not that there is no other.
Sources: Bitcoin Core ``pow.cpp``, ``validation.cpp`` (``ContextualCheckBlockHeader``), ``chain.h`` (``GetMedianTimePast``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator, List, Optional

from .._bytes import Reader
from ..ledgers import Header
from ..ledgers.bitcoin import read_header
from ..statement import SAFE_INTEGER_MAX
from .rules import FinalityParams, FinalitySet, SetSignature
from .verdict import bad_header, cheap_work, early, encoding, few_confirmations, order, other_block, other_set, reading

RETARGET_BLOCKS = 2_016
_TIMESPAN_SECONDS = 14 * 24 * 60 * 60
#: Bytes of a header without its parent.
_HEADER_BYTES = 48
_VERSION_BYTES = 4
#: Blocks before a block whose median time is a lower bound for its own.
_MEDIAN_BLOCKS = 11
#: Largest allowed difference to the client's clock.
_EARLY_SECONDS = 7_200
_U256_MAX = (1 << 256) - 1


def target_of(bits: int) -> Optional[int]:
    """Expands a compact target, an exponent of 256 and the three highest bytes; ``None`` if zero, negative, above 256 bits
    or not canonical."""
    exponent, high, middle, low = bits.to_bytes(4, "big")
    # a highest byte of 80 or more would read as negative, and takes a byte of zero before it
    if not (1 <= high < 0x80 or (high == 0 and middle >= 0x80)):
        return None
    target = 0
    for distance, byte in ((1, high), (2, middle), (3, low)):
        place = exponent - distance
        if byte > 0 and not 0 <= place <= 31:
            return None
        if byte > 0:
            target |= byte << 8 * place
    return target


def compact_of(target: int) -> int:
    """A number's compact form, with only the three highest bytes."""
    digits = target.to_bytes((target.bit_length() + 7) // 8, "big")
    # one byte of zero before a highest one that would read as negative
    if digits and digits[0] >= 0x80:
        digits = b"\x00" + digits
    return len(digits) << 24 | int.from_bytes(digits[:3].ljust(3, b"\x00"), "big")


def retargeted(bits: int, taken_seconds: int, limit_bits: int) -> Optional[int]:
    """Target of the next 2,016 blocks in compact form: adjusted by the seconds that the last ones took, limited to a
    quarter and four times the target time, and never easier than the limit; ``None`` for bits that are no target."""
    taken = min(max(taken_seconds, _TIMESPAN_SECONDS // 4), _TIMESPAN_SECONDS * 4)
    before, limit = target_of(bits), target_of(limit_bits)
    if before is None or limit is None:
        return None
    # a target past 233 bits would not fit, and is past any limit of a chain that adjusts
    product = before * taken
    scaled = limit if product > _U256_MAX else product // _TIMESPAN_SECONDS
    return compact_of(min(scaled, limit))


class _HeaderLine:
    """Headers in a row, each checked: target, time, work. Begins with the first header of a period."""

    def __init__(self, signers: "WorkSet") -> None:
        self.params = signers.params
        self.number = signers.first_number
        self.first = self.last = signers.header
        self.times: List[int] = [_time(signers.header)]
        self.floor = target_of(self.params.floor_bits)

    def take(self, data: bytes, now: int) -> None:
        """Takes the next header, without its parent."""
        number = self.number + 1
        with reading("headers"):
            header = read_header(0, data[:_VERSION_BYTES] + self.last.block_hash + data[_VERSION_BYTES:])
        begins = number % RETARGET_BLOCKS == 0
        bits: int = header.fields["bits"]
        if bits != self._due(begins):
            raise bad_header(number, "its target is not the one that is due")
        median = self._median()
        if median is not None and _time(header) <= median:
            raise bad_header(number, "its time is not later than the median of the eleven before")
        if _time(header) > now + _EARLY_SECONDS:
            raise early(_time(header))
        target = target_of(bits)
        if target is None or int.from_bytes(header.block_hash, "little") > target:
            raise bad_header(number, "its hash is above its target")
        if self.floor is None or target > self.floor:
            raise cheap_work(number)
        self.times = [*self.times, _time(header)][-_MEDIAN_BLOCKS:]
        if begins:
            self.first = header
        self.number, self.last = number, header

    def _due(self, begins: bool) -> Optional[int]:
        """Target that the next header must have. ``begins``: whether it begins a period."""
        bits: int = self.last.fields["bits"]
        if not begins or not self.params.retargets:
            return bits
        taken = max(0, _time(self.last) - _time(self.first))
        return retargeted(bits, taken, self.params.target_limit_bits)

    def _median(self) -> Optional[int]:
        """Median time of the eleven last blocks; ``None`` where fewer are known."""
        return sorted(self.times)[_MEDIAN_BLOCKS // 2] if len(self.times) == _MEDIAN_BLOCKS else None


def _time(header: Header) -> int:
    time: int = header.fields["time"]
    return time


def _headers_in(data: bytes) -> Iterator[bytes]:
    return (data[at : at + _HEADER_BYTES] for at in range(0, len(data), _HEADER_BYTES))


@dataclass(frozen=True)
class WorkParams(FinalityParams):
    """``target_limit_bits``: easiest target; ``floor_bits``: easiest that counts, since easier work is cheap; both in compact
    form. ``retargets``: whether targets change. ``confirmations``: blocks that follow a final one."""

    target_limit_bits: int
    floor_bits: int
    retargets: bool
    confirmations: int
    kind = "work"

    def decode_set(self, data: bytes) -> "WorkSet":
        """``number:u64 ‖ header:80``."""
        reader = Reader(data)
        with reading("set"):
            number = reader.u64()
            header = read_header(0, reader.take(reader.remaining()))
        begins = number % RETARGET_BLOCKS == 0 or not self.retargets
        if not begins or number > SAFE_INTEGER_MAX:
            raise order("the number is not a multiple of 2,016")
        return WorkSet(self, number, header)


@dataclass(frozen=True)
class WorkSet(FinalitySet):
    """The first header of a period of 2,016."""

    params: WorkParams
    first_number: int
    header: Header
    kind = "work"

    @property
    def id(self) -> bytes:
        return self.header.block_hash

    @property
    def number(self) -> int:
        return self.first_number // RETARGET_BLOCKS

    @property
    def begins(self) -> Optional[int]:
        return None

    @property
    def trusted_until(self) -> Optional[int]:
        return None

    def check(self, number: int, block_hash: bytes, body: bytes, now: int) -> SetSignature:
        """Headers from the one behind the set's to the last that confirms the block."""
        needed = number // RETARGET_BLOCKS
        if needed != self.number:
            raise other_set(needed, self.number)
        last = self.first_number + (len(body) + _HEADER_BYTES - 1) // _HEADER_BYTES
        got, expected = max(last - number, 0), self.params.confirmations
        if number > last or got < expected:
            raise few_confirmations(got, expected)
        if got > expected:
            raise encoding("headers behind the last confirmation")
        line = _HeaderLine(self)
        found = self.header.block_hash if number == self.first_number else None
        for header in _headers_in(body):
            line.take(header, now)
            if line.number == number:
                found = line.last.block_hash
        if found is None:
            raise encoding("headers")
        if found != block_hash:
            raise other_block(found, block_hash)
        target = target_of(line.last.fields["bits"])
        log2 = 0 if target is None else 256 - target.bit_length()
        return SetSignature(_time(line.last), f"{expected} blocks of 2^{log2} hashes each")

    def next_set(self, step: bytes, now: int) -> "WorkSet":
        """``number:u64 ‖ header:48*``: all headers up to the first of the next period."""
        reader = Reader(step)
        with reading("step"):
            start = reader.u64()
        if start != self.first_number:
            raise other_set(start // RETARGET_BLOCKS, self.number)
        if reader.remaining() != (RETARGET_BLOCKS - start % RETARGET_BLOCKS) * _HEADER_BYTES:
            raise encoding("step")
        line = _HeaderLine(self)
        for header in _headers_in(reader.take(reader.remaining())):
            line.take(header, now)
        return WorkSet(self.params, line.number, line.last)
