"""Rules that each kind of evidence has. Checks raise ``Shortfall`` or ``Refusal``, and nothing else."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Optional

U64_MAX = (1 << 64) - 1


@dataclass(frozen=True)
class SetSignature:
    """A checked signature: its time in seconds since 1970 where it is shown, and who signed, in words."""

    at: Optional[int]
    by: str


class FinalitySet(ABC):
    """Who may sign, read and checked: made by ``read_set`` and ``advance`` alone."""

    kind: str
    verdict = "shown"

    @property
    @abstractmethod
    def id(self) -> bytes:
        """Id for pins, 32 bytes."""

    @property
    @abstractmethod
    def number(self) -> int:
        """A period on Bitcoin, a day on Tron, a count of sets elsewhere."""

    @property
    @abstractmethod
    def begins(self) -> Optional[int]:
        """Seconds since 1970 at which the set begins to sign, if known."""

    @property
    @abstractmethod
    def trusted_until(self) -> Optional[int]:
        """Last second of trust; ``None`` for ever."""

    @abstractmethod
    def check(self, number: int, block_hash: bytes, body: bytes, now: int) -> SetSignature:
        """Checks evidence about a block. Raises ``Shortfall`` or ``Refusal``."""

    @abstractmethod
    def next_set(self, step: bytes, now: int) -> "FinalitySet":
        """Checks a step: the set behind this one. Raises ``Shortfall`` or ``Refusal``."""


class FinalityParams(ABC):
    """A chain's constants, the client's own."""

    kind: str

    @abstractmethod
    def decode_set(self, data: bytes) -> FinalitySet:
        """Reads a set. Raises ``Shortfall`` or ``Refusal``."""


def least_above_two_thirds(total: int) -> int:
    """Least weight above two thirds of a total."""
    return 0 if total == 0 else total - (total - 1) // 3
