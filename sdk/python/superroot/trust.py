"""Whom a client trusts: a SuperRoot hash, a log's key, or the command line's trust store. docs/trust.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Union

from .errors import NotAnchored, NoteError, ProofError
from .facts import Anchor, Anchored, SuperRoot
from .keys import LOG, VerifierKey
from .note import check_signed
from .policy import WitnessPolicy
from .store import Distrust, TrustStore


def parse_hash(text: Union[str, bytes]) -> bytes:
    """32 bytes, or ``0x`` and 64 hex digits. Raises :class:`ValueError`."""
    if isinstance(text, bytes):
        raw = text
    else:
        digits = text[2:] if text.startswith("0x") else text
        is_hex = len(digits) == 64 and all(digit in "0123456789abcdefABCDEF" for digit in digits)
        raw = bytes.fromhex(digits) if is_hex else b""
    if len(raw) != 32:
        raise ValueError("a hash is 32 bytes, or 0x and 64 hex digits")
    return raw


@dataclass(frozen=True)
class TrustedSuperRoot:
    """Trusts one SuperRoot, by its hash from elsewhere than the service."""

    hash: bytes

    @classmethod
    def of(cls, text: Union[str, bytes]) -> "TrustedSuperRoot":
        return cls(parse_hash(text))

    def judge(self, facts: Anchored) -> Anchor:
        super_root = super_root_of(facts)
        if super_root.hash != self.hash:
            got, expected = super_root.hash.hex(), self.hash.hex()
            raise ProofError("anchor", f"the SuperRoot is 0x{got}, --superroot says 0x{expected}")
        return Anchor("superroot", note_fault=note_fault(facts, None))


@dataclass(frozen=True)
class TrustedKey:
    """Trusts every SuperRoot in a log that the key signed, together with the witnesses of the policy."""

    key: VerifierKey
    policy: WitnessPolicy

    @classmethod
    def of(cls, key: Union[str, VerifierKey], policy: Union[str, WitnessPolicy, None] = None) -> "TrustedKey":
        """Raises :class:`NoteError` for an invalid key or policy, or a key that is not a log's."""
        vkey = VerifierKey.parse(key) if isinstance(key, str) else key
        if vkey.kind != LOG:
            raise NoteError("key", "the key is that of a witness, not of a log")
        asked = WitnessPolicy.parse(policy) if isinstance(policy, str) else policy
        return cls(vkey, asked or WitnessPolicy.none())

    def judge(self, facts: Anchored) -> Anchor:
        super_root_of(facts)
        if facts.note is None:
            raise NotAnchored("the proof carries no signed note: ask the service for it with ?note=1")
        try:
            check_signed(facts.note.note, facts.note.checkpoint, self.key, self.policy)
        except NoteError as error:
            raise anchor_error(error) from None
        witnessed = self.policy.quorum is not None
        return Anchor("key", facts.note.checkpoint.size, witnessed=witnessed, source=str(self.key))


@dataclass(frozen=True)
class TrustedStore:
    """Trusts the pins and keys of a trust store."""

    store: TrustStore
    file: str = ""

    @classmethod
    def load(cls, path: str) -> "TrustedStore":
        """Reads the command line's ``trust.toml``. Raises :class:`TrustStoreError`."""
        return cls(TrustStore.load(path), path)

    def judge(self, facts: Anchored) -> Anchor:
        super_root_of(facts)
        try:
            trusted = self.store.judge(facts)
        except NoteError as error:
            raise anchor_error(error) from None
        except Distrust as distrust:
            if distrust.is_contradiction:
                raise ProofError("anchor", distrust.reason) from None
            raise NotAnchored(distrust.reason) from None
        log = self.store.log_of(facts)
        fault = note_fault(facts, None if log is None else log.key)
        by = "pin" if trusted.size is None else "store"
        return Anchor(by, trusted.size, trusted.joined, trusted.first_use, trusted.witnessed, fault, self.file)

    def contradiction(self, facts: Anchored) -> Optional[str]:
        """How a pin contradicts a proof that another trust judges."""
        try:
            self.store.judge(facts)
        except Distrust as distrust:
            return distrust.reason if distrust.is_contradiction else None
        except NoteError:
            return None
        return None


#: What a client may trust.
Trust = Union[TrustedSuperRoot, TrustedKey, TrustedStore]


def super_root_of(facts: Anchored) -> SuperRoot:
    """SuperRoot of a proof; raises :class:`NotAnchored` where the proof ends below level 5."""
    if facts.super_root is None:
        raise NotAnchored("the proof ends below level 5 and leads to no SuperRoot")
    return facts.super_root


def anchor_error(error: NoteError) -> ProofError:
    """A bad signature under the key's name makes a proof false; a missing or foreign one shows nothing."""
    if error.fault == "signature":
        return ProofError("anchor", error.reason)
    return NotAnchored(error.reason)


def note_fault(facts: Anchored, key: Optional[VerifierKey]) -> Optional[str]:
    """Why the proof's note does not count, where the SuperRoot is trusted without it."""
    if facts.note is None:
        return None
    if key is None:
        return "no key of the log is known here"
    try:
        check_signed(facts.note.note, facts.note.checkpoint, key, WitnessPolicy.none())
    except NoteError as error:
        return error.reason
    return None
