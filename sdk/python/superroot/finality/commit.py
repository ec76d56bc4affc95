"""Kind 16, commit: validators of a CometBFT chain sign each block by voting power. Kind 17 has equal sets and commits with
other keys.

A set is the header of a height and its validators; a trusted set shows any later height by skipping: validators with more
than a third of its power are among the signers. Sources: CometBFT ``light/verifier.go``, ``types/validation.go``,
``types/validator_set.go``; GHSA-6jrf-4jv4-r9mw for counting by key alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Tuple

from .._bytes import Reader
from ..ledgers import Header
from .cometbft import Commit, ValidatorList, check_under, precommit_bytes, read_commit, read_header, read_validators
from .rules import FinalityParams, FinalitySet, SetSignature, least_above_two_thirds
from .signed import ED25519, KeyScheme
from .verdict import (
    bad_header,
    bad_key,
    bad_signature,
    branch,
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

#: Most seconds of a header's time past the client's clock.
_DRIFT_SECONDS = 10


@dataclass(frozen=True)
class CommitParams(FinalityParams):
    """``chain_id`` in headers and votes; ``set_blocks`` from one set to the next; ``trusted_seconds`` from a set's header."""

    chain_id: str
    set_blocks: int
    trusted_seconds: int
    kind = "commit"

    def decode_set(self, data: bytes) -> "CommitSet":
        return CommitSet.decode(self, ED25519, data)

    def set_of(self, height: int) -> int:
        """Number of the set whose header is the last at or below a height."""
        return height // self.set_blocks


@dataclass(frozen=True)
class CommitSet(FinalitySet):
    """The header of a height that is a multiple, and its validators."""

    params: CommitParams
    scheme: KeyScheme
    header: Header
    validators: ValidatorList
    kind = "commit"

    @classmethod
    def decode(cls, params: CommitParams, scheme: KeyScheme, data: bytes) -> "CommitSet":
        """``length:u32 ‖ header ‖ validators``."""
        reader = Reader(data)
        with reading("set"):
            encoded = reader.long()
        header = read_header(encoded)
        validators = read_validators(scheme, reader)
        with reading("set"):
            reader.finish("set")
        check_under(scheme, header, validators)
        return cls._at(params, scheme, header, validators)

    @classmethod
    def _at(
        cls, params: CommitParams, scheme: KeyScheme, header: Header, validators: ValidatorList
    ) -> "CommitSet":
        _check_chain(params, header)
        if _height(header) % params.set_blocks != 0:
            raise order("the header's height is not that of a set")
        return cls(params, scheme, header, validators)

    @property
    def id(self) -> bytes:
        return self.header.block_hash

    @property
    def number(self) -> int:
        return self.params.set_of(_height(self.header))

    @property
    def begins(self) -> Optional[int]:
        return self.header.timestamp

    @property
    def trusted_until(self) -> Optional[int]:
        """Last whole second within the period: the header's nanoseconds do not count."""
        return _time(self.header)[0] + self.params.trusted_seconds - 1

    def check(self, number: int, block_hash: bytes, body: bytes, now: int) -> SetSignature:
        commit = read_commit(self.scheme, body)
        if commit.header.block_hash != block_hash:
            raise other_block(commit.header.block_hash, block_hash)
        if _height(commit.header) != number:
            raise other_number(_height(commit.header), number)
        return self.check_commit(commit, now)

    def next_set(self, step: bytes, now: int) -> "CommitSet":
        """Commit of the next set's header."""
        commit = read_commit(self.scheme, step)
        number = self.params.set_of(_height(commit.header))
        if number != self.number + 1:
            raise other_set(max(number - 1, 0), self.number)
        self.check_commit(commit, now)
        return self._at(self.params, self.scheme, commit.header, commit.validators)

    def check_commit(self, commit: Commit, now: int) -> SetSignature:
        """Checks a commit of the set's height or a later one."""
        header = commit.header
        _check_chain(self.params, header)
        self._check_height(header)
        self._check_time(header, now)
        signers = [commit.validators.members[vote.index] for vote in commit.votes]
        own, total = sum(one.power for one in signers), commit.validators.total
        quorum = least_above_two_thirds(total)
        if own < quorum:
            raise few_signers(own, total, quorum)
        trusted = sum(self.validators.powers.get(one.key, 0) for one in signers)
        overlap = self.validators.total // 3 + 1
        if trusted < overlap and not self._is_next(header):
            raise few_signers(trusted, self.validators.total, overlap)
        self._check_votes(commit)
        by = f"{own} of {total} of the voting power at height {_height(header)}"
        return SetSignature(header.timestamp, by)

    def _is_next(self, header: Header) -> bool:
        """Whether the header is of the next height, whose validators the set's header names."""
        return _height(self.header) + 1 == _height(header)

    def _check_height(self, header: Header) -> None:
        height, own = _height(header), _height(self.header)
        if height < own:
            raise other_set(self.params.set_of(height), self.number)
        if height == own and header.block_hash != self.header.block_hash:
            raise other_block(header.block_hash, self.header.block_hash)
        named = self.header.fields["next_validators_hash"]
        if self._is_next(header) and header.fields["validators_hash"] != named:
            raise branch("validators of the next height")

    def _check_time(self, header: Header, now: int) -> None:
        seconds = _time(header)[0]
        if now > _time(self.header)[0] + self.params.trusted_seconds - 1:
            raise expired(_time(self.header)[0], self.params.trusted_seconds)
        if seconds >= now + _DRIFT_SECONDS:
            raise early(seconds)
        if _height(header) > _height(self.header) and _time(header) <= _time(self.header):
            raise order("the header's time does not rise")

    def _check_votes(self, commit: Commit) -> None:
        for vote in commit.votes:
            message = precommit_bytes(self.params.chain_id, commit, vote.time)
            is_valid = self.scheme.is_signed(commit.validators.members[vote.index].key, message, vote.signature)
            if is_valid is None:
                raise bad_key(vote.index)
            if not is_valid:
                raise bad_signature()


def _height(header: Header) -> int:
    if header.number is None:
        raise encoding("header")
    return header.number


def _time(header: Header) -> Tuple[int, int]:
    """Seconds since 1970, and nanoseconds."""
    return header.timestamp or 0, header.fields["nanos"]


def _check_chain(params: CommitParams, header: Header) -> None:
    if header.fields["chain_id"] != params.chain_id:
        raise bad_header(_height(header), "the chain id is another")
