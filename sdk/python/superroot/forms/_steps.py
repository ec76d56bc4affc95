"""Steps of forms that hold whole proofs, and what an answer says besides its proofs."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any, Dict, Iterator

from .._member import hexed, is_hex, shown
from ..errors import ProofError, Refused, UnknownChain, need
from ..facts import Facts


@contextmanager
def all_at(step: str) -> Iterator[None]:
    """Names the step of whatever fails inside, also of a proof's own step."""
    try:
        yield
    except Refused as refused:
        raise ProofError(step, str(refused)) from None
    except UnknownChain as error:
        raise UnknownChain(error.reason, step) from None
    except ProofError as error:
        raise ProofError(step, error.reason) from None


def bytes_of_hex(text: str) -> bytes:
    """Hex digits, with or without 0x."""
    digits = text[2:] if text.startswith("0x") else text
    need(is_hex(digits), "a text is no hex")
    return bytes.fromhex(digits)


def check_said(said: Any, path: str, proven: Dict[str, Any]) -> None:
    """Refuses members that are there and say something else: JSON values, exactly."""
    if not isinstance(said, dict):
        return
    for name, value in proven.items():
        if name in said:
            is_same = type(said[name]) is type(value) and said[name] == value
            need(is_same, f"member {path}{name} says {shown(said[name])}, proven is {shown(value)}")


def check_said_anchor(body: Dict[str, Any], facts: Facts) -> None:
    """Compares the SuperRoot that an answer names with the proven one."""
    root = facts.super_root
    if root is None:
        return
    for name, hash_name in (("v5Anchor", "superRootHash"), ("v5_anchor", "super_root_hash")):
        proven = {"sequence": root.sequence, hash_name: hexed(root.hash), "timestamp": root.timestamp}
        check_said(body.get(name), f"{name}.", proven)
