"""Which pools follow from a factory: docs/protocol/prices.md, "Factories"."""

from __future__ import annotations

from typing import List, NamedTuple, Optional, Tuple

from ..._hash import keccak256
from ._lists import FACTORIES
from ._rows import Factory
from .events import NO_ADDRESS, Created, Pool

#: Addresses of token 0 and token 1.
Pair = Tuple[str, str]
_USUAL_V4 = ((100, 1), (500, 10), (3000, 60), (10000, 200))
_SPACINGS = {200: 4, 300: 6, 400: 8, 500: 10, 2500: 50, 3000: 60, 10000: 200}
_CHANGING = ("solidly", "slipstream", "algebra")
_FEE_MAX = 1_000_000
_CLONE_BEFORE = bytes.fromhex("3d602d80600a3d3981f3363d3d373d3d3d363d73")
_CLONE_AFTER = bytes.fromhex("5af43d82803e903d91602b57fd5bf3")


class Kind(NamedTuple):
    """What distinguishes a factory's pools of two tokens."""

    fee: int
    spacing: int
    is_stable: bool


class Bound(NamedTuple):
    """A pool that follows from a factory."""

    dex: str
    fee: int
    fee_may_change: bool
    spacing: int
    is_stable: bool


def _spacing_of(fee: int) -> int:
    return _SPACINGS.get(fee, 1)


def _bytes(text: str) -> bytes:
    return bytes.fromhex(text[2:])


def _word(value: int) -> bytes:
    return value.to_bytes(32, "big", signed=True)


def _address_word(address: str) -> bytes:
    return bytes(12) + _bytes(address)


def _kinds(row: Factory) -> List[Kind]:
    kinds = []
    for at, fee in enumerate(row.fees):
        spacing = _spacing_of(fee) if row.form in ("v3", "event") else 1
        if at < len(row.tick_spacings):
            spacing = row.tick_spacings[at]
        kinds.append(Kind(fee, spacing, row.form == "solidly" and at == 1))
    return kinds


def _may_change(row: Factory) -> bool:
    return row.fees_change or row.form in _CHANGING


def _bound(row: Factory, kind: Kind) -> Bound:
    return Bound(row.dex, kind.fee, _may_change(row), kind.spacing, kind.is_stable)


def _salt(row: Factory, pair: Pair, kind: Kind) -> Optional[bytes]:
    """What distinguishes a contract pool among those of two tokens; ``None`` for a form without addresses."""
    packed = _bytes(pair[0]) + _bytes(pair[1])
    words = _address_word(pair[0]) + _address_word(pair[1])
    of_form = {
        "v2": packed, "v3": words + _word(kind.fee), "solidly": packed + bytes([kind.is_stable]),
        "slipstream": words + _word(kind.spacing), "algebra": words,
    }
    salted = of_form.get(row.form)
    return None if salted is None else keccak256(salted)


def _address_of(row: Factory, pair: Pair, kind: Kind) -> Optional[str]:
    """The address at which a factory makes a pool (EIP-1014)."""
    salt = _salt(row, pair, kind)
    if salt is None:
        return None
    if row.init_code_hash is not None:
        code = _bytes(row.init_code_hash)
    elif row.implementation is not None:
        code = keccak256(_CLONE_BEFORE + _bytes(row.implementation) + _CLONE_AFTER)
    else:
        return None
    return "0x" + keccak256(b"\xff" + _bytes(row.deployer or row.address) + salt + code)[12:].hex()


def _id_of(row: Factory, pair: Pair, fee: int, spacing: int) -> Optional[str]:
    """The id of a pool within a contract, without hooks; ``None`` for other forms."""
    words = _address_word(pair[0]) + _address_word(pair[1])
    if row.form == "v4":
        return "0x" + keccak256(words + _word(fee) + _word(spacing) + _word(0)).hex()
    if row.form != "infinity" or spacing < 0:
        return None
    key = words + _word(0) + _address_word(row.address) + _word(fee) + _word(spacing << 16)
    return "0x" + keccak256(key).hex()


def _rows_on(chain: str) -> List[Factory]:
    return [row for row in FACTORIES if chain in row.chains]


def _usual(row: Factory, pool: Pool, pair: Pair) -> Optional[Bound]:
    """The pool among those that follow from tokens and usual fees."""
    if row.form == "v4":
        if pool.id is None or pool.address != row.address:
            return None
        ids = (Kind(fee, spacing, False) for fee, spacing in _USUAL_V4 if _id_of(row, pair, fee, spacing) == pool.id)
        found = next(ids, None)
    elif pool.id is not None:
        return None
    else:
        found = next((kind for kind in _kinds(row) if _address_of(row, pair, kind) == pool.address), None)
    return None if found is None else _bound(row, found)


def bind_pool(chain: str, pool: Pool, pair: Pair, fee: int, spacing: int) -> Optional[Bound]:
    """The factory's pool of two tokens, if they and the named fee show that it is one."""
    rows = _rows_on(chain)
    for row in rows:
        found = _usual(row, pool, pair)
        if found is not None:
            return found
    kind = Kind(fee, _spacing_of(fee) if pool.id is None else spacing, False)
    if fee >= _FEE_MAX:
        return None
    for row in rows:
        if pool.id is None:
            follows = row.form == "v3" and _address_of(row, pair, kind) == pool.address
        else:
            is_within = row.form in ("v4", "infinity") and row.address == pool.address
            follows = is_within and _id_of(row, pair, fee, spacing) == pool.id
        if follows:
            return _bound(row, kind)
    return None


def _is_kind(row: Factory, kind: Kind, made: Created) -> bool:
    if row.form == "solidly":
        return kind.is_stable == made.is_stable
    if row.form == "slipstream":
        return kind.spacing == made.spacing
    return made.fee is None or made.fee == kind.fee


def made_by(chain: str, by: str, made: Created) -> Optional[Bound]:
    """The pool of a creation by a factory on the chain, with whatever hooks; ``None`` where none is known."""
    row = next((one for one in _rows_on(chain) if one.address == by), None)
    if row is None:
        return None
    kinds = _kinds(row)
    known = next((kind for kind in kinds if _is_kind(row, kind, made)), None)
    guess = kinds[0] if kinds and _may_change(row) else None
    usual = known or guess
    fee = made.fee if made.fee is not None else None if usual is None else usual.fee
    if fee is None or (fee >= _FEE_MAX and made.hooks == NO_ADDRESS):
        return None
    spacing = made.spacing if made.spacing is not None else 1 if known is None else known.spacing
    return Bound(row.dex, fee, _may_change(row), spacing, made.is_stable)
