"""Members of a JSON answer, read by path so that every error names the faulty one; and their comparison with what was
proven. Names are ``camelCase`` or ``snake_case``, as the answer has them."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional, Tuple, TypeVar

from .errors import Refused
from .statement import FAMILIES, SAFE_INTEGER_MAX

BODY_BYTES_MAX = 64 << 20
_VALUES_MAX = 1 << 18
_DEPTH_MAX = 127
_SHOWN_CHARS_MAX = 60
_DIGITS_MAX = 100
_HEX = frozenset("0123456789abcdefABCDEF")
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_]{1,80}")
#: A member that an answer does not have, where ``None`` would be JSON's null.
MISSING: Any = object()
Read = TypeVar("Read")


class BodyError(Refused):
    """An answer that is unreadable, or that contradicts itself."""


class Disagreement(BodyError):
    """A member that says something else than what was read from the others."""


def snake(name: str) -> str:
    """``snake_case`` of a ``camelCase`` name."""
    return "".join("_" + letter.lower() if letter.isupper() else letter for letter in name)


def camel(name: str) -> str:
    """``camelCase`` of a ``snake_case`` name."""
    return re.sub(r"_([a-z])", lambda found: found.group(1).upper(), name)


def shown(value: Any) -> str:
    """A value in an error: short, whatever it is."""
    if isinstance(value, dict):
        return "{..}" if value else "{}"
    if isinstance(value, list):
        return f"[{len(value)} items]"
    return ascii(value)[:_SHOWN_CHARS_MAX]


def is_hex(text: str) -> bool:
    """Whether a text is an even number of hex digits."""
    return len(text) % 2 == 0 and set(text) <= _HEX


def _no_constant(name: str) -> None:
    raise BodyError(f"not JSON: {name}")


def bounded_integer(digits: str) -> Any:
    """An integer of JSON. Longer ones would take time that grows with the square of their length. ``-0`` is none."""
    if len(digits) > _DIGITS_MAX:
        raise ValueError(f"a number of {len(digits)} digits")
    return -0.0 if digits == "-0" else int(digits)


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError("a number out of range")
    return value


def _unique(pairs: List[Any]) -> Dict[str, Any]:
    """An object without a member that occurs twice."""
    read = dict(pairs)
    if len(read) != len(pairs):
        raise BodyError("a member occurs twice")
    return read


def _check_bounds(value: Any) -> None:
    """Refuses more values or depth than any answer has, and halves of characters."""
    left: List[Tuple[Any, int]] = [(value, 0)]
    count = 0
    while left:
        one, depth = left.pop()
        count += 1
        if count > _VALUES_MAX or depth > _DEPTH_MAX:
            raise BodyError("not JSON that is read here: too many values, or nested too deep")
        texts: List[str] = []
        if isinstance(one, dict):
            left += [(inner, depth + 1) for inner in one.values()]
            texts += one
        elif isinstance(one, list):
            left += [(inner, depth + 1) for inner in one]
        elif isinstance(one, str):
            texts.append(one)
        for text in texts:
            if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
                raise BodyError("not JSON that is read here: half of a character")


def parse_json(data: bytes) -> Any:
    """JSON, read strictly: no member twice, integers without fraction as ``int``, all other numbers as ``float``."""
    if len(data) > BODY_BYTES_MAX:
        raise BodyError(f"an answer above {BODY_BYTES_MAX} bytes")
    if data.count(b",") + data.count(b"[") + data.count(b"{") > 4 * _VALUES_MAX:
        raise BodyError("not JSON that is read here: too many values")
    try:
        text = data.decode("utf-8")
        value = json.loads(
            text, object_pairs_hook=_unique, parse_constant=_no_constant, parse_int=bounded_integer,
            parse_float=_finite,
        )
    except (ValueError, RecursionError) as error:
        raise BodyError(f"not JSON: {error}") from None
    _check_bounds(value)
    return value


def parse_body(data: bytes) -> Dict[str, Any]:
    """A JSON object."""
    value = parse_json(data)
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
        return BodyError(f"{self._path or 'body'} is {shown(self.value)}, expected {expected}")

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

    def integer(self, most: int = SAFE_INTEGER_MAX) -> int:
        value = self.value
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
            raise self.wrong(f"an integer from 0 to {most}")
        return value

    def position(self) -> int:
        """An integer from 0 to 2^32 - 1."""
        return self.integer(0xFFFF_FFFF)

    def wide(self) -> int:
        """An integer from 0 to 2^64 - 1."""
        return self.integer((1 << 64) - 1)

    def boolean(self) -> bool:
        if not isinstance(self.value, bool):
            raise self.wrong("true or false")
        return self.value

    def fixed(self, length: int) -> bytes:
        """``0x`` and the hex digits of so many bytes."""
        raw = self.raw()
        if len(raw) != length:
            raise self.wrong(f"0x and {2 * length} hex digits")
        return raw

    def raw(self) -> bytes:
        text = self.value if isinstance(self.value, str) else ""
        if text[:2] != "0x" or not is_hex(text[2:]):
            raise self.wrong("0x and an even number of hex digits")
        return bytes.fromhex(text[2:])

    def hash(self) -> bytes:
        raw = self.raw()
        if len(raw) != 32:
            raise self.wrong("0x and 64 hex digits")
        return raw

    def hashes(self, most: int) -> List[bytes]:
        return self.list_of(most, Member.hash)

    def byte_strings(self, most: int) -> List[bytes]:
        return self.list_of(most, Member.raw)

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


@dataclass(frozen=True)
class Limits:
    """Members that a body may not have beyond its proof; names in ``camelCase``.

    ``reserved``: names of proven members; ``closed``: objects of proven members alone; ``free``: names that may stand in
    a closed object; ``free_in_lists``: paths that each item of a list may have, without positions.
    """

    reserved: Tuple[str, ...] = ()
    closed: Tuple[str, ...] = ()
    free: Tuple[str, ...] = ()
    free_in_lists: Tuple[str, ...] = ()


_NO_LIMITS = Limits()


def has_name(names: Tuple[str, ...], name: str) -> bool:
    """Whether a name in either spelling is among names in ``camelCase``."""
    return name in names or camel(name) in names


def _join(path: str, name: str) -> str:
    plain = name if _PLAIN_NAME.fullmatch(name) else ascii(name[:80])
    return f"{path}.{plain}" if path else plain


def _same(said: Any, proven: Any) -> bool:
    if isinstance(said, str) and isinstance(proven, str):
        is_hex = said.startswith("0x") and proven.startswith("0x") and said.isascii() and proven.isascii()
        return said.lower() == proven.lower() if is_hex else said == proven
    return type(said) is type(proven) and bool(said == proven)


def _compare_members(said: Any, proven: Any, path: str, limits: Limits, is_closed: bool) -> List[str]:
    unproven: List[str] = []
    for name, value in said.items():
        here = _join(path, name)
        found = [key for key in (name, camel(name), snake(name)) if proven.get(key, MISSING) is not MISSING]
        if found:
            is_inner_closed = is_closed or has_name(limits.closed, name)
            unproven += _compare(value, proven[found[0]], here, limits, is_inner_closed)
        elif value is None or (has_name(limits.free, name) if is_closed else not has_name(limits.reserved, name)):
            unproven.append(here)
        else:
            plain = camel(re.sub(r"\[[^\]]*\]", "", here))
            if plain not in limits.free_in_lists:
                raise Disagreement(f"member {here} says {shown(value)}, proven is nothing")
            unproven.append(plain)
    return unproven


def _compare(said: Any, proven: Any, path: str, limits: Limits, is_closed: bool) -> List[str]:
    if isinstance(said, dict) and isinstance(proven, dict):
        return _compare_members(said, proven, path, limits, is_closed)
    if isinstance(said, list) and isinstance(proven, list) and len(said) == len(proven):
        unproven: List[str] = []
        for place, (one, other) in enumerate(zip(said, proven)):
            unproven += _compare(one, other, f"{path}[{place}]", limits, is_closed)
        return unproven
    if not _same(said, proven):
        raise Disagreement(f"member {path or 'body'} says {shown(said)}, proven is {shown(proven)}")
    return []


def compare(said: Any, proven: Any, limits: Limits = _NO_LIMITS) -> List[str]:
    """Paths of members that were not proven, each once. Names in ``proven`` are in ``camelCase``.

    A member that only the body has is refused where its name is reserved or its object closed, because a reader would
    take it as proven. Raises :class:`Disagreement` for it, and for a member that says something else.
    """
    return list(dict.fromkeys(_compare(said, proven, "", limits, False)))
