"""Members of a JSON answer, read by path so that every error names the faulty one; and their comparison with what was
proven. Names are ``camelCase`` or ``snake_case``, as the answer has them."""

from __future__ import annotations

import json
from typing import Any, Callable, Dict, List, Optional, TypeVar

from .statement import FAMILIES, SAFE_INTEGER_MAX

BODY_BYTES_MAX = 32 << 20
_SHOWN_CHARS_MAX = 60
_DIGITS_MAX = 100
_HEX = frozenset("0123456789abcdefABCDEF")
Read = TypeVar("Read")


class BodyError(Exception):
    """An answer that is unreadable, or that contradicts itself."""


class Disagreement(BodyError):
    """A member that says something else than what was read from the others."""


def snake(name: str) -> str:
    """``snake_case`` of a ``camelCase`` name."""
    return "".join("_" + letter.lower() if letter.isupper() else letter for letter in name)


def _no_constant(name: str) -> None:
    raise BodyError(f"not JSON: {name}")


def bounded_integer(digits: str) -> int:
    """An integer of JSON. Longer ones would take time that grows with the square of their length."""
    if len(digits) > _DIGITS_MAX:
        raise ValueError(f"a number of {len(digits)} digits")
    return int(digits)


def _unique(pairs: List[Any]) -> Dict[str, Any]:
    """An object without a member that occurs twice."""
    read = dict(pairs)
    if len(read) != len(pairs):
        raise BodyError("a member occurs twice")
    return read


def parse_body(data: bytes) -> Dict[str, Any]:
    """A JSON object."""
    if len(data) > BODY_BYTES_MAX:
        raise BodyError(f"an answer above {BODY_BYTES_MAX} bytes")
    try:
        text = data.decode("utf-8")
        value = json.loads(
            text, object_pairs_hook=_unique, parse_constant=_no_constant, parse_int=bounded_integer
        )
    except (ValueError, RecursionError) as error:
        raise BodyError(f"not JSON: {error}") from None
    if not isinstance(value, dict):
        raise BodyError("the answer is no JSON object")
    return value


class Member:
    """A value with its path. Names are given in ``camelCase``."""

    def __init__(self, value: Any, is_snake: bool, path: str = "") -> None:
        self.value = value
        self._is_snake = is_snake
        self._path = path

    def wrong(self, expected: str) -> BodyError:
        return BodyError(f"{self._path or 'body'} is {str(self.value)[:_SHOWN_CHARS_MAX]!r}, expected {expected}")

    def optional(self, name: str) -> Optional["Member"]:
        if not isinstance(self.value, dict):
            raise self.wrong("an object")
        spelled = snake(name) if self._is_snake else name
        value = self.value.get(spelled)
        path = f"{self._path}.{spelled}" if self._path else spelled
        return None if value is None else Member(value, self._is_snake, path)

    def get(self, name: str) -> "Member":
        found = self.optional(name)
        if found is None:
            raise BodyError(f"member {name} of {self._path or 'the body'} is missing")
        return found

    def items(self, most: int) -> List["Member"]:
        if not isinstance(self.value, list) or len(self.value) > most:
            raise self.wrong(f"a list of at most {most}")
        return [Member(value, self._is_snake, f"{self._path}[{place}]") for place, value in enumerate(self.value)]

    def list_of(self, most: int, read: Callable[["Member"], Read]) -> List[Read]:
        return [read(item) for item in self.items(most)]

    def text(self) -> str:
        if not isinstance(self.value, str):
            raise self.wrong("a text")
        return self.value

    def integer(self) -> int:
        value = self.value
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= SAFE_INTEGER_MAX:
            raise self.wrong("an integer from 0 to 2^53 - 1")
        return value

    def raw(self) -> bytes:
        text = self.value if isinstance(self.value, str) else ""
        if text[:2] != "0x" or len(text) % 2 or not set(text[2:]) <= _HEX:
            raise self.wrong("0x and an even number of hex digits")
        return bytes.fromhex(text[2:])

    def hash(self) -> bytes:
        raw = self.raw()
        if len(raw) != 32:
            raise self.wrong("0x and 64 hex digits")
        return raw

    def hashes(self, most: int) -> List[bytes]:
        return self.list_of(most, Member.hash)

    def path_of(self, length: int) -> List[bytes]:
        """Exactly so many hashes."""
        hashes = self.hashes(length)
        if len(hashes) != length:
            raise self.wrong(f"a list of {length} hashes")
        return hashes

    def family(self) -> int:
        name = self.get("family").text()
        if name not in FAMILIES:
            raise self.get("family").wrong("the name of a ledger family")
        return FAMILIES.index(name)


def root_member(body: Dict[str, Any], camel: str) -> Member:
    """The body; ``camel`` is a name by which its spelling is told."""
    return Member(body, camel not in body and snake(camel) in body)


def hexed(data: bytes) -> str:
    return "0x" + data.hex()


def _same(said: Any, proven: Any) -> bool:
    if isinstance(said, str) and isinstance(proven, str):
        is_hex = said.startswith("0x") and proven.startswith("0x")
        return said.lower() == proven.lower() if is_hex else said == proven
    return type(said) is type(proven) and bool(said == proven)


def compare(said: Any, proven: Any, path: str = "") -> List[str]:
    """Names of members that were not proven. Names in ``proven`` are in ``camelCase``.

    Raises :class:`Disagreement` for a member that says something else.
    """
    if isinstance(said, dict) and isinstance(proven, dict):
        by_name = {**{snake(name): value for name, value in proven.items()}, **proven}
        unproven: List[str] = []
        for name, value in said.items():
            here = f"{path}.{name}" if path else name
            unproven += compare(value, by_name[name], here) if name in by_name else [here]
        return unproven
    if isinstance(said, list) and isinstance(proven, list) and len(said) == len(proven):
        pairs = enumerate(zip(said, proven))
        return [name for place, (one, other) in pairs for name in compare(one, other, f"{path}[{place}]")]
    if not _same(said, proven):
        shown = str(said)[:_SHOWN_CHARS_MAX], str(proven)[:_SHOWN_CHARS_MAX]
        raise Disagreement(f"member {path or 'body'} says {shown[0]!r}, proven is {shown[1]!r}")
    return []
