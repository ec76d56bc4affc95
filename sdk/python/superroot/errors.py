"""Errors of a check. Whatever bytes come in, nothing but these comes out."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Iterator, Tuple, Type

#: Steps of a check, in their order: docs/protocol/vectors.md.
STEPS = ("encoding", "statement", "block", "entry", "twig", "mini_mmr", "super_root", "anchor")


class ProofError(Exception):
    """A proof that is not true.

    ``step`` is the first failing step, one of :data:`STEPS`; ``reason`` is in words.
    """

    def __init__(self, step: str, reason: str) -> None:
        super().__init__(f"{step}: {reason}")
        self.step = step
        self.reason = reason

    def __reduce__(self) -> Tuple[Type[Exception], Tuple[str, ...]]:
        return type(self), (self.step, self.reason)


class UnknownChain(ProofError):
    """The verifier has no row for the proof's chain, so it judged nothing. The step is ``statement``, or ``proof`` for a
    proof inside another form."""

    def __init__(self, reason: str, step: str = "statement") -> None:
        super().__init__(step, reason)

    def __reduce__(self) -> Tuple[Type[Exception], Tuple[str, ...]]:
        return type(self), (self.reason, self.step)


class NotAnchored(ProofError):
    """Every level holds, but nothing that the client trusts leads to the SuperRoot. The step is ``anchor``.

    A proof that *contradicts* what the client trusts is a plain :class:`ProofError` of the same step.
    """

    def __init__(self, reason: str) -> None:
        super().__init__("anchor", reason)

    def __reduce__(self) -> Tuple[Type[Exception], Tuple[str, ...]]:
        return type(self), (self.reason,)


class NoteError(Exception):
    """A note, key or policy that does not count.

    ``fault`` is ``policy``, ``key``, ``note``, ``unsigned``, ``signature``, ``checkpoint``, ``origin`` or ``quorum``.
    """

    def __init__(self, fault: str, reason: str) -> None:
        super().__init__(f"{fault}: {reason}")
        self.fault = fault
        self.reason = reason

    def __reduce__(self) -> Tuple[Type[Exception], Tuple[str, ...]]:
        return type(self), (self.fault, self.reason)


class Refused(Exception):
    """Why a part does not hold. Internal: :func:`at` turns it into a :class:`ProofError`."""


def need(holds: bool, reason: str) -> None:
    """Raises :class:`Refused` with the reason if the condition does not hold."""
    if not holds:
        raise Refused(reason)


@contextmanager
def at(step: str) -> Iterator[None]:
    """Names the step of every refusal inside."""
    try:
        yield
    except Refused as refused:
        raise ProofError(step, str(refused)) from None
