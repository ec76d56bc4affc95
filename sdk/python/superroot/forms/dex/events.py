"""Events of pools by their forms: docs/protocol/prices.md, "Events". What is not wholly of a form is no pool event."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Tuple, Union

from ..._hash import keccak256
from ...facts import EvmLog

NO_ADDRESS = "0x" + "00" * 20


class Pool(NamedTuple):
    """A pool: its contract, or one of many within a contract, by an id."""

    address: str
    id: Optional[str] = None


class SaidSpot(NamedTuple):
    """A price, its tick, and the liquidity where the event says it."""

    root: int
    tick: int
    liquidity: Optional[int]


@dataclass(frozen=True)
class Created:
    """A factory made the pool. ``spacing`` is negative for a pool with bins in the other order of tokens."""

    token0: str
    token1: str
    fee: Optional[int] = None
    spacing: Optional[int] = None
    is_stable: bool = False
    hooks: str = NO_ADDRESS
    spot: Optional[SaidSpot] = None


@dataclass(frozen=True)
class Initialized:
    """The first price of a pool."""

    spot: SaidSpot


@dataclass(frozen=True)
class Swapped:
    """A trade, and the price after it where the event says it."""

    spot: Optional[SaidSpot]


@dataclass(frozen=True)
class SaidReserves:
    """What a pool holds of both tokens."""

    reserves: Tuple[int, int]


@dataclass(frozen=True)
class Bin:
    """A trade of a pool with bins."""


@dataclass(frozen=True)
class Liquidity:
    """A change of liquidity, of a range where ``ticks`` and ``delta`` are there."""

    ticks: Optional[Tuple[int, int]]
    delta: Optional[int]
    adds: bool


PoolEvent = Union[Created, Initialized, Swapped, SaidReserves, Bin, Liquidity]
Decoded = Tuple[Pool, PoolEvent]
_Build = Callable[[str, Sequence[bytes], List[Any]], Optional[Decoded]]


def _hex(data: bytes) -> str:
    return "0x" + data.hex()


def _read(kind: str, word: bytes) -> Any:
    """A word within its type: a for an address, b a bool, u and i integers with their bits; ``None`` for another."""
    value = int.from_bytes(word, "big")
    if kind == "a":
        return _hex(word[12:]) if value < 1 << 160 else None
    if kind == "b":
        return value == 1 if value < 2 else None
    bits = int(kind[1:])
    if kind[0] == "u":
        return value if value < 1 << bits else None
    signed = value - (1 << 256) if value >> 255 else value
    return signed if -(1 << bits - 1) <= signed < 1 << bits - 1 else None


def _read_words(kinds: str, data: bytes) -> Optional[List[Any]]:
    names = kinds.split(" ")
    if len(data) != 32 * len(names):
        return None
    words = [_read(kind, data[32 * at : 32 * at + 32]) for at, kind in enumerate(names)]
    return None if any(word is None for word in words) else words


def _made(tokens: Sequence[bytes], **more: Any) -> Optional[Created]:
    token0, token1 = (_read("a", topic) for topic in tokens)
    return None if token0 is None or token1 is None else Created(token0, token1, **more)


def _created(pool: Pool, tokens: Sequence[bytes], **more: Any) -> Optional[Decoded]:
    event = _made(tokens, **more)
    return None if event is None else (pool, event)


def _reserves(contract: str, topics: Sequence[bytes], words: List[Any]) -> Optional[Decoded]:
    return Pool(contract), SaidReserves((words[0], words[1]))


def _swapped_in_and_out(contract: str, topics: Sequence[bytes], words: List[Any]) -> Optional[Decoded]:
    # amounts are signed words of 256 bits
    return (Pool(contract), Swapped(None)) if max(words) < 1 << 255 else None


def _amounts(adds: bool) -> _Build:
    """Liquidity without ranges."""
    return lambda contract, topics, words: (Pool(contract), Liquidity(None, None, adds))


def _swapped(contract: str, topics: Sequence[bytes], words: List[Any]) -> Optional[Decoded]:
    """Price, liquidity and tick after two amounts."""
    return Pool(contract), Swapped(SaidSpot(words[2], words[4], words[3]))


def _swapped_within(contract: str, topics: Sequence[bytes], words: List[Any]) -> Optional[Decoded]:
    return Pool(contract, _hex(topics[0])), Swapped(SaidSpot(words[2], words[4], words[3]))


def _ranged(place: int, is_taken: bool) -> _Build:
    """A range's liquidity: owner and ticks are topics, the amount is the word at the place."""

    def build(contract: str, topics: Sequence[bytes], words: List[Any]) -> Optional[Decoded]:
        low, high = _read("i24", topics[1]), _read("i24", topics[2])
        if low is None or high is None:
            return None
        delta = -words[place] if is_taken else words[place]
        return Pool(contract), Liquidity((low, high), delta, not is_taken and delta > 0)

    return build


def _infinity(contract: str, topics: Sequence[bytes], words: List[Any]) -> Optional[Decoded]:
    hooks, fee, parameters = words[:3]
    calls, spacing = parameters & 0xFFFF, parameters >> 16
    if (calls != 0 and hooks == NO_ADDRESS) or not 1 <= spacing < 1 << 23:
        return None
    spot = SaidSpot(words[3], words[4], None) if len(words) == 5 else None
    return _created(Pool(contract, _hex(topics[0])), topics[1:], fee=fee, spacing=spacing, hooks=hooks, spot=spot)


def _liquidity_book(contract: str, topics: Sequence[bytes], words: List[Any]) -> Optional[Decoded]:
    step = _read("u16", topics[2])
    event = None if step is None else _made(topics[:2])
    if event is None:
        return None
    first, second = event.token0, event.token1
    token0, token1 = (first, second) if first < second else (second, first)
    return Pool(words[0]), replace(event, token0=token0, token1=token1, spacing=step if first == token0 else -step)


def _solidly_with_topic(contract: str, topics: Sequence[bytes], words: List[Any]) -> Optional[Decoded]:
    is_stable = _read("b", topics[2])
    return None if is_stable is None else _created(Pool(words[0]), topics[:2], is_stable=is_stable)


def _with_fee(contract: str, topics: Sequence[bytes], words: List[Any]) -> Optional[Decoded]:
    fee = _read("u24", topics[2])
    return None if fee is None else _created(Pool(words[1]), topics[:2], fee=fee, spacing=words[0])


def _with_spacing(contract: str, topics: Sequence[bytes], words: List[Any]) -> Optional[Decoded]:
    spacing = _read("i24", topics[2])
    return None if spacing is None else _created(Pool(words[0]), topics[:2], spacing=spacing)


def _made_within(contract: str, topics: Sequence[bytes], words: List[Any]) -> Optional[Decoded]:
    fee, spacing, hooks, root, tick = words
    spot = SaidSpot(root, tick, None)
    return _created(Pool(contract, _hex(topics[0])), topics[1:], fee=fee, spacing=spacing, hooks=hooks, spot=spot)


def _modified(contract: str, topics: Sequence[bytes], words: List[Any]) -> Optional[Decoded]:
    lower, upper, delta, _ = words
    return Pool(contract, _hex(topics[0])), Liquidity((lower, upper), delta, delta > 0)


#: Signature, further topics, types of the words, and what the event says.
_FORMS: Tuple[Tuple[str, int, str, _Build], ...] = (
    ("PairCreated(address,address,address,uint256)", 2, "a u256", lambda _, t, w: _created(Pool(w[0]), t)),
    ("Sync(uint112,uint112)", 0, "u112 u112", _reserves),
    ("Swap(address,uint256,uint256,uint256,uint256,address)", 2, "u256 u256 u256 u256", _swapped_in_and_out),
    ("Mint(address,uint256,uint256)", 1, "u256 u256", _amounts(True)),
    ("Burn(address,uint256,uint256,address)", 2, "u256 u256", _amounts(False)),
    ("PairCreated(address,address,bool,address,uint256)", 2, "b a u256",
     lambda _, t, w: _created(Pool(w[1]), t, is_stable=w[0])),
    ("PoolCreated(address,address,bool,address,uint256)", 3, "a u256", _solidly_with_topic),
    ("Sync(uint256,uint256)", 0, "u256 u256", _reserves),
    ("Swap(address,address,uint256,uint256,uint256,uint256)", 2, "u256 u256 u256 u256", _swapped_in_and_out),
    ("Burn(address,address,uint256,uint256)", 2, "u256 u256", _amounts(False)),
    ("PoolCreated(address,address,uint24,int24,address)", 3, "i24 a", _with_fee),
    ("PoolCreated(address,address,int24,address)", 3, "a", _with_spacing),
    ("Pool(address,address,address)", 2, "a", lambda _, t, w: _created(Pool(w[0]), t)),
    ("Initialize(uint160,int24)", 0, "u160 i24",
     lambda contract, _, w: (Pool(contract), Initialized(SaidSpot(w[0], w[1], None)))),
    ("Swap(address,address,int256,int256,uint160,uint128,int24)", 2, "i256 i256 u160 u128 i24", _swapped),
    ("Swap(address,address,int256,int256,uint160,uint128,int24,uint128,uint128)", 2, "i256 i256 u160 u128 i24 u128 u128",
     _swapped),
    ("Swap(address,address,int256,int256,uint160,uint128,int24,uint24,uint24)", 2, "i256 i256 u160 u128 i24 u24 u24",
     _swapped),
    ("Mint(address,address,int24,int24,uint128,uint256,uint256)", 3, "a u128 u256 u256", _ranged(1, False)),
    ("Mint(address,address,uint256,int24,int24,uint128,uint256,uint256)", 3, "a u256 u128 u256 u256", _ranged(2, False)),
    ("Burn(address,int24,int24,uint128,uint256,uint256)", 3, "u128 u256 u256", _ranged(0, True)),
    ("Burn(address,int24,int24,uint128,uint256,uint256,uint24)", 3, "u128 u256 u256 u24", _ranged(0, True)),
    ("Initialize(bytes32,address,address,uint24,int24,address,uint160,int24)", 3, "u24 i24 a u160 i24", _made_within),
    ("Swap(bytes32,address,int128,int128,uint160,uint128,int24,uint24)", 2, "i128 i128 u160 u128 i24 u24",
     _swapped_within),
    ("ModifyLiquidity(bytes32,address,int24,int24,int256,bytes32)", 2, "i24 i24 i256 u256", _modified),
    ("Initialize(bytes32,address,address,address,uint24,bytes32,uint160,int24)", 3, "a u24 u256 u160 i24", _infinity),
    ("Swap(bytes32,address,int128,int128,uint160,uint128,int24,uint24,uint16)", 2, "i128 i128 u160 u128 i24 u24 u16",
     _swapped_within),
    ("Initialize(bytes32,address,address,address,uint24,bytes32,uint24)", 3, "a u24 u256 u24", _infinity),
    ("Swap(bytes32,address,int128,int128,uint24,uint24,uint16)", 2, "i128 i128 u24 u24 u16",
     lambda contract, t, _: (Pool(contract, _hex(t[0])), Bin())),
    ("LBPairCreated(address,address,uint256,address,uint256)", 3, "a u256", _liquidity_book),
    ("Swap(address,address,uint24,bytes32,bytes32,uint24,bytes32,bytes32)", 2, "u24 u256 u256 u24 u256 u256",
     lambda contract, _, __: (Pool(contract), Bin())),
)
_BY_TOPIC = {keccak256(form[0].encode("ascii")): form for form in _FORMS}


def decode_event(log: EvmLog) -> Optional[Decoded]:
    """What an event says of a pool; ``None`` unless it is wholly of a known form."""
    if not log.topics:
        return None
    form = _BY_TOPIC.get(log.topics[0])
    if form is None or len(log.topics) - 1 != form[1]:
        return None
    words = _read_words(form[2], log.data)
    return None if words is None else form[3](_hex(log.address), log.topics[1:], words)
