"""Kind 19, grandpa: authorities of Polkadot's relay chain sign a block, and with it all ancestors.

A set is a number and the header in which the set before named the authorities; the number is under every signature.
Authorities change behind that block, without delay; after a forced change a client pins again. No authority votes past the
block that names the next set. Signatures are checked strictly (RFC 8032): what ZIP 215 alone accepts is left out of
evidence. Sources: paritytech/polkadot-sdk ``sc-consensus-grandpa`` (``justification.rs``, ``authorities.rs``),
``pallet-grandpa``; paritytech/finality-grandpa ``lib.rs``, ``voter_set.rs``.

    set        set:u64 ‖ header
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Tuple

from .._bytes import Reader
from .grandpa_votes import Authority, GrandpaBody, NamedHeader, read_body, read_named_header
from .rules import U64_MAX, FinalityParams, FinalitySet, SetSignature, least_above_two_thirds
from .signed import is_signed_by_ed25519
from .verdict import (
    bad_header,
    bad_key,
    bad_signature,
    early,
    encoding,
    expired,
    few_signers,
    order,
    other_block,
    other_number,
    other_set,
    reading,
)

#: 600 on Polkadot.
_AUTHORITIES_MAX = 1_024
#: ``Message::Precommit``.
_PRECOMMIT = b"\x01"


@dataclass(frozen=True)
class GrandpaParams(FinalityParams):
    """Seconds of a slot, whose number times these are seconds since 1970, and of trust from a set's header."""

    slot_seconds: int
    trusted_seconds: int
    kind = "grandpa"

    def decode_set(self, data: bytes) -> "GrandpaSet":
        reader = Reader(data)
        with reading("set"):
            number = reader.u64()
        return GrandpaSet.behind(self, number, read_named_header(reader.take(reader.remaining())))

    def time_of(self, header: NamedHeader) -> int:
        """Begin of the header's slot."""
        time = None if header.slot is None else header.slot * self.slot_seconds
        if time is None or time > U64_MAX:
            raise bad_header(header.number, "the digest has no slot of BABE")
        return time


def _total_of(authorities: Tuple[Authority, ...]) -> int:
    """All weight of authorities: at least one, each once and with weight."""
    if not 1 <= len(authorities) <= _AUTHORITIES_MAX:
        raise encoding("authorities")
    keys = set()
    total = 0
    for authority in authorities:
        total += authority.weight
        if authority.weight == 0 or total > U64_MAX:
            raise encoding("authorities")
        if authority.key in keys:
            raise order("an authority is named twice")
        keys.add(authority.key)
    return total


@dataclass(frozen=True)
class GrandpaSet(FinalitySet):
    """Authorities behind ``block``, which named them; ``as_of`` is its time in seconds since 1970."""

    params: GrandpaParams
    set_number: int
    block: NamedHeader
    as_of: int
    authorities: Tuple[Authority, ...]
    total: int
    kind = "grandpa"

    @classmethod
    def behind(cls, params: GrandpaParams, number: int, header: NamedHeader) -> "GrandpaSet":
        """Set behind a block that names authorities."""
        if header.next is None:
            raise bad_header(header.number, "the block names no next authorities")
        as_of = params.time_of(header)
        return cls(params, number, header, as_of, header.next, _total_of(header.next))

    @property
    def id(self) -> bytes:
        return self.block.block_hash

    @property
    def number(self) -> int:
        return self.set_number

    @property
    def begins(self) -> Optional[int]:
        return self.as_of

    @property
    def trusted_until(self) -> Optional[int]:
        return self.as_of + self.params.trusted_seconds

    def check(self, number: int, block_hash: bytes, body: bytes, now: int) -> SetSignature:
        read = read_body(body)
        block = read.line[0]
        if block.block_hash != block_hash:
            raise other_block(block.block_hash, block_hash)
        if block.number != number:
            raise other_number(block.number, number)
        at, weight = self._checked(read, now)
        return SetSignature(at, f"{weight} of {self.total} of the weight of authority set {self.set_number}")

    def next_set(self, step: bytes, now: int) -> "GrandpaSet":
        """Votes for the set's last block, which names the next authorities."""
        read = read_body(step)
        self._checked(read, now)
        if read.set_number == U64_MAX:
            raise encoding("set")
        return self.behind(self.params, read.set_number + 1, read.line[0])

    def _checked(self, body: GrandpaBody, now: int) -> Tuple[int, int]:
        """Checks votes for a block of this set: its time, and the weight that signed."""
        block = body.line[0]
        if body.set_number != self.set_number:
            raise other_set(body.set_number, self.set_number)
        if block.number <= self.block.number:
            raise order("the block is not above that of the set")
        if now > self.as_of + self.params.trusted_seconds:
            raise expired(self.as_of, self.params.trusted_seconds)
        at = self.params.time_of(block)
        if at > now:
            raise early(at)
        if at <= self.as_of:
            raise order("the block's time does not rise")
        if body.authority_count != len(self.authorities):
            raise encoding("bits of the authorities")
        weight = sum(self.authorities[vote.index].weight for vote in body.votes)
        quorum = least_above_two_thirds(self.total)
        if weight < quorum:
            raise few_signers(weight, self.total, quorum)
        self._check_votes(body)
        return at, weight

    def _check_votes(self, body: GrandpaBody) -> None:
        over = body.round.to_bytes(8, "little") + self.set_number.to_bytes(8, "little")
        for vote in body.votes:
            header = body.line[vote.place]
            message = _PRECOMMIT + header.block_hash + header.number.to_bytes(4, "little") + over
            is_valid = is_signed_by_ed25519(self.authorities[vote.index].key, message, vote.signature)
            if is_valid is None:
                raise bad_key(vote.index)
            if not is_valid:
                raise bad_signature()
