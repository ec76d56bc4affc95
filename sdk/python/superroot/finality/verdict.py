"""What a check says, in the words of the Rust verifier (crates/proof/src/finality/verdict.rs)."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar, Iterator, Optional, Tuple, Union

from ..errors import Refused


@dataclass(frozen=True)
class FinalityShown:
    """A final block. ``number`` is ``None`` where the evidence does not bind it; ``target`` is the hash of the evidence's
    block, this one or a descendant; ``set_id`` the signing set; ``steps`` how many led to it; ``at`` the signature's time
    in seconds since 1970; ``by`` who signed, and ``trust`` what is still trusted, in words."""

    kind: str
    number: Optional[int]
    block_hash: bytes
    target: bytes
    set_id: bytes
    steps: int
    at: Optional[int]
    by: str
    trust: str
    verdict: ClassVar[str] = "shown"


@dataclass(frozen=True)
class FinalityNotEnough:
    """Nothing is wrong with the bytes; they are not enough with this set, or not yet.

    ``code`` is ``set``, ``expired``, ``early``, ``signers``, ``work``, ``confirmations``, ``unpinned`` (there is no set to
    begin with) or ``unchecked`` (a kind that is not checked here). ``sets``, with the code ``set``: numbers of the set that
    signed, and of this one.
    """

    code: str
    reason: str
    sets: Optional[Tuple[int, int]] = None
    verdict: ClassVar[str] = "not_enough"


@dataclass(frozen=True)
class FinalityRefused:
    """The bytes are wrong, for ever.

    ``code`` is ``encoding``, ``branch``, ``order``, ``signature``, ``key``, ``root``, ``kind``, ``block``, ``number``,
    ``link``, ``header``, or ``fault``: the check failed by itself, which shows nothing either.
    """

    code: str
    reason: str
    verdict: ClassVar[str] = "refused"


#: What a check of a block says.
FinalityVerdict = Union[FinalityShown, FinalityNotEnough, FinalityRefused]


class Shortfall(Exception):
    """Not enough, yet nothing is wrong. Internal. ``sets``: numbers of the set that is needed, and of this one."""

    def __init__(self, code: str, reason: str, sets: Optional[Tuple[int, int]] = None) -> None:
        super().__init__(reason)
        self.code = code
        self.sets = sets


class Refusal(Exception):
    """Wrong bytes. Internal."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code


def verdict_of(error: Exception) -> Union[FinalityNotEnough, FinalityRefused]:
    """What a check says that ended with an error. Any other error than those two is a fault of this package."""
    if isinstance(error, Shortfall):
        return FinalityNotEnough(error.code, str(error), error.sets)
    if isinstance(error, Refusal):
        return FinalityRefused(error.code, str(error))
    return FinalityRefused("fault", f"the check itself failed: {error!r}")


@contextmanager
def reading(part: str) -> Iterator[None]:
    """Names the part in which bytes are malformed."""
    try:
        yield
    except Refused:
        raise encoding(part) from None


def unchecked(reason: str) -> Shortfall:
    return Shortfall("unchecked", reason)


def other_set(needed: int, held: int) -> Shortfall:
    """Another set signed."""
    reason = f"the set of number {needed} signed it, this is the set of number {held}"
    return Shortfall("set", reason, (needed, held))


def expired(of: int, seconds: int) -> Shortfall:
    """The set is past its trusting period."""
    return Shortfall("expired", f"the set signed until {of}, and is trusted for {seconds} seconds more: pin again")


def early(at: int) -> Shortfall:
    """Of a later time than now."""
    return Shortfall("early", f"it is of {at}, which is later than now")


def few_signers(got: int, of: int, expected: int) -> Shortfall:
    """Too few members, or too little of their weight."""
    return Shortfall("signers", f"{got} of {of} signed it, {expected} must")


def cheap_work(number: int) -> Shortfall:
    return Shortfall("work", f"header {number} has too little work to count")


def few_confirmations(got: int, expected: int) -> Shortfall:
    return Shortfall("confirmations", f"{got} blocks follow it, {expected} must")


def encoding(part: str) -> Refusal:
    """Cut short, too long, or out of bounds."""
    return Refusal("encoding", f"{part} cannot be read")


def branch(part: str) -> Refusal:
    """A part that is not under its root."""
    return Refusal("branch", f"{part} is not under its root")


def order(what: str) -> Refusal:
    return Refusal("order", what)


def bad_signature() -> Refusal:
    """By other keys, or over other bytes."""
    return Refusal("signature", "the signature is not that of the set")


def bad_key(index: int) -> Refusal:
    return Refusal("key", f"key {index} of the set is none")


def other_root() -> Refusal:
    """A set with another id than the pin."""
    return Refusal("root", "the set has another id")


def other_kind() -> Refusal:
    """Evidence of another kind than the set."""
    return Refusal("kind", "it is of another kind than the chain's evidence")


def other_block(got: bytes, expected: bytes) -> Refusal:
    return Refusal("block", f"it is about block 0x{got.hex()}, expected 0x{expected.hex()}")


def other_number(got: int, expected: int) -> Refusal:
    return Refusal("number", f"it is about block number {got}, expected {expected}")


def bad_link(index: int) -> Refusal:
    """``index`` is counted from the newest header."""
    return Refusal("link", f"header {index} of the link is not the one that is named")


def bad_header(number: int, what: str) -> Refusal:
    """A header against the chain's rules."""
    return Refusal("header", f"header {number} breaks a rule: {what}")
