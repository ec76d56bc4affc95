"""The command line's trust store, ``trust.toml``: read here, and never written.

Pin and move pins with ``superroot trust``; the file is read with the same rules, and one that was altered is refused.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Dict, List, Optional, Tuple

from .errors import NoteError, Refused
from .facts import Anchored, Facts, SuperRoot
from .keys import LOG, VerifierKey
from .note import Checkpoint, Note, check_signed
from .policy import WitnessPolicy
from .statement import SAFE_INTEGER_MAX, Profile, log_id, read_profile

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FILE_BYTES_MAX = 8 << 20
PINS_MAX = 64
_LOGS_MAX = 64
_FIRST_LINE = "# superroot trust store; sha256 of the lines below: "
_PLAIN_ORIGIN = frozenset("abcdefghijklmnopqrstuvwxyz0123456789.-_/:~")


class TrustStoreError(Exception):
    """The trust store is missing, was altered, or its logs and pins do not fit."""


class Distrust(Exception):
    """Why the store does not trust a proof that holds. ``is_contradiction``: a pin says otherwise."""

    def __init__(self, reason: str, is_contradiction: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.is_contradiction = is_contradiction


@dataclass(frozen=True)
class Pin:
    """A trusted SuperRoot; ``note`` is the note under which it was pinned, ``None`` if it was set by hand."""

    sequence: int
    super_root_hash: bytes
    note: Optional[str]


@dataclass(frozen=True)
class TrustedLog:
    """Trust in one log. Without a key its pins never move."""

    origin: str
    key: Optional[VerifierKey]
    first_use: bool
    policy: WitnessPolicy
    registry: Tuple[Profile, ...]
    pins: Tuple[Pin, ...]

    def note_of_size(self, size: int) -> Optional[str]:
        """Note under which the last SuperRoot of a log with this size was pinned."""
        for pin in self.pins:
            if pin.sequence + 1 == size:
                return pin.note
        return None


@dataclass(frozen=True)
class Trusted:
    """Why a proof is trusted: a pin (no ``size``), or a signed log of this size, ``joined`` to the pin or not."""

    size: Optional[int]
    joined: Optional[bool]
    first_use: bool
    witnessed: bool


@dataclass(frozen=True)
class TrustStore:
    """Trusted logs."""

    logs: Tuple[TrustedLog, ...]

    @classmethod
    def load(cls, path: str) -> "TrustStore":
        """Raises :class:`TrustStoreError`."""
        try:
            with open(path, "rb") as file:
                data = file.read(FILE_BYTES_MAX + 1)
        except OSError as error:
            raise TrustStoreError(f"trust store {path}: {error}") from None
        if len(data) > FILE_BYTES_MAX:
            raise TrustStoreError(f"trust store {path}: larger than {FILE_BYTES_MAX} bytes")
        return cls.parse(data)

    @classmethod
    def parse(cls, data: bytes) -> "TrustStore":
        """Content of a store. Raises :class:`TrustStoreError`."""
        first, _, rest = data.partition(b"\n")
        prefix = _FIRST_LINE.encode("ascii")
        if not first.startswith(prefix):
            raise TrustStoreError("the trust store is malformed: it does not begin with its checksum")
        if first[len(prefix) :] != b"0x" + sha256(rest).hexdigest().encode("ascii"):
            raise TrustStoreError("the trust store is malformed: it was cut, or changed by something else")
        try:
            rows = tomllib.loads(rest.decode("utf-8"))
        except (ValueError, RecursionError) as error:
            raise TrustStoreError(f"the trust store is malformed: {error}") from None
        try:
            return _Rows(rows).store()
        except (NoteError, Refused, ValueError) as error:
            raise TrustStoreError(f"the trust store is malformed: {error}") from None

    def log(self, origin: str) -> Optional[TrustedLog]:
        return next((log for log in self.logs if log.origin == origin), None)

    def log_of(self, facts: Anchored) -> Optional[TrustedLog]:
        """The log that a SuperRoot is said to be of."""
        if facts.origin is not None:
            return self.log(facts.origin)
        root = facts.super_root
        return next((log for log in self.logs if root is not None and log_id(log.origin) == root.log_id), None)

    def judge(self, facts: Anchored) -> Trusted:
        """Raises :class:`Distrust`, or :class:`NoteError` for a note that does not count."""
        if facts.super_root is None:
            raise Distrust("the proof ends below level 5 and leads to no SuperRoot")
        log = self.log_of(facts)
        if log is None:
            name = "of this id" if facts.origin is None else repr(facts.origin)
            raise Distrust(f"log {name} is not in the trust store")
        return _judge(log, facts, facts.super_root)


def _judge(log: TrustedLog, facts: Anchored, super_root: SuperRoot) -> Trusted:
    if isinstance(facts, Facts):
        _check_withdrawn(log, facts)
    is_pinned = _is_pinned(log, super_root)
    first_use = log.key is not None and log.first_use and all(pin.note is not None for pin in log.pins)
    if log.key is None or facts.note is None:
        if is_pinned:
            return Trusted(None, None, first_use, False)
        missing = "no key of that log is" if log.key is None else "the proof carries no signed note: use ?note=1"
        raise Distrust(f"SuperRoot {super_root.sequence} of {log.origin} is not pinned, and {missing}")
    note, checkpoint = facts.note.note, facts.note.checkpoint
    _check_one_history(log, log.key, note, checkpoint)
    witnessed = False
    try:
        check_signed(note, checkpoint, log.key, log.policy)
        witnessed = log.policy.quorum is not None
    except NoteError:
        if not is_pinned:
            raise
    if is_pinned:
        return Trusted(None, None, first_use, witnessed)
    return Trusted(checkpoint.size, _is_joined(log, checkpoint.size), first_use, witnessed)


def _check_withdrawn(log: TrustedLog, facts: Facts) -> None:
    statement = facts.statement
    for profile in log.registry:
        if (profile.family, profile.chain_id) != (statement.family, statement.chain_id):
            continue
        start = profile.withdrawn_from()
        if log.pins and start is not None and start <= statement.number:
            newest = log.pins[-1].sequence
            reason = f"block {statement.number} of chain {statement.chain} was withdrawn by the log, says pin {newest}"
            raise Distrust(reason, is_contradiction=True)


def _is_pinned(log: TrustedLog, super_root: SuperRoot) -> bool:
    for pin in log.pins:
        if pin.sequence == super_root.sequence:
            if pin.super_root_hash == super_root.hash:
                return True
            got, pinned = super_root.hash.hex(), pin.super_root_hash.hex()
            reason = f"SuperRoot {pin.sequence} of {log.origin} is 0x{got}, pinned is 0x{pinned}"
            raise Distrust(reason, is_contradiction=True)
    return False


def _check_one_history(log: TrustedLog, key: VerifierKey, note: Note, checkpoint: Checkpoint) -> None:
    """A log signs one root a size, with witnesses or without."""
    own = log.note_of_size(checkpoint.size)
    if own is None:
        return
    try:
        check_signed(note, checkpoint, key, WitnessPolicy.none())
        pinned = Checkpoint.parse(Note.parse(own).text)
    except NoteError:
        return
    if pinned.root != checkpoint.root:
        raise Distrust(f"the key of {log.origin} signed two histories of one size", is_contradiction=True)


def _is_joined(log: TrustedLog, size: int) -> bool:
    if log.note_of_size(size) is not None:
        return True
    if log.pins and size <= log.pins[-1].sequence + 1:
        newest = log.pins[-1].sequence
        raise Distrust(
            f"the proof's note is of size {size}, no newer than SuperRoot {newest}, which you pinned, and was never "
            "compared with it: fetch the proof again, or judge by the key alone"
        )
    return False


def _member(row: Dict[str, Any], name: str, kind: type, default: Any) -> Any:
    value = row.get(name, default)
    if value is not default and type(value) is not kind:
        raise ValueError(f"{name} is of another kind")
    return value


def _members(row: Any, known: Tuple[str, ...]) -> Dict[str, Any]:
    if not isinstance(row, dict) or not set(row) <= set(known):
        raise ValueError("a table with unknown members")
    return row


class _Rows:
    """Reads the tables of a store, and refuses what ``superroot trust`` would not have written."""

    def __init__(self, rows: Dict[str, Any]) -> None:
        self.rows = _members(rows, ("log",))

    def store(self) -> TrustStore:
        rows = _member(self.rows, "log", list, [])
        logs: List[TrustedLog] = [self._log(row) for row in rows]
        if len(logs) > _LOGS_MAX or len({log.origin for log in logs}) != len(logs):
            raise ValueError("too many logs, or a log that occurs twice")
        return TrustStore(tuple(logs))

    def _log(self, row: Any) -> TrustedLog:
        row = _members(row, ("origin", "key", "first_use", "policy", "registry", "pin"))
        origin = _member(row, "origin", str, "")
        log_id(origin)
        if not set(origin) <= _PLAIN_ORIGIN:
            raise ValueError(f"the origin {origin!r} may be taken for another")
        policy_text = _member(row, "policy", str, None)
        key_text = _member(row, "key", str, None)
        key = None if key_text is None else VerifierKey.parse(key_text)
        policy = WitnessPolicy.none()
        if key is not None and policy_text is not None:
            policy = WitnessPolicy.parse(policy_text)
        if key is not None and (key.kind != LOG or key.name != origin or (policy.logs and key not in policy.logs)):
            raise ValueError(f"the key or policy of {origin} is of another log")
        registry = tuple(read_profile(_hex(text)) for text in _member(row, "registry", list, []))
        pins = tuple(self._pin(pin) for pin in _member(row, "pin", list, []))
        rises = all(one.sequence < following.sequence for one, following in zip(pins, pins[1:]))
        if not rises or len(pins) > PINS_MAX:
            raise ValueError(f"the pins of {origin} do not rise, or are too many")
        return TrustedLog(origin, key, _member(row, "first_use", bool, False), policy, registry, pins)

    def _pin(self, row: Any) -> Pin:
        row = _members(row, ("sequence", "super_root_hash", "note"))
        sequence, hashed = _member(row, "sequence", int, -1), _hex(_member(row, "super_root_hash", str, ""))
        if not 0 <= sequence <= SAFE_INTEGER_MAX or len(hashed) != 32:
            raise ValueError("a pin without sequence or hash")
        return Pin(sequence, hashed, _member(row, "note", str, None))


def _hex(text: Any) -> bytes:
    if not isinstance(text, str) or not text.startswith("0x"):
        raise ValueError("hex begins with 0x")
    return bytes.fromhex(text[2:])
