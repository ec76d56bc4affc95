"""Members of a price, with their types."""

from __future__ import annotations

import re
from typing import List, NamedTuple, Optional, Tuple

from .._member import Member, hexed
from ..errors import Refused
from .dex.quote import Rules

_POOLS_MAX = 1 << 16
_PROOFS_MAX = 4096
_ADDRESS = re.compile(r"(?:0x)?([0-9a-fA-F]{40})")


class Place(NamedTuple):
    """Where an event is, in the chain's order."""

    block: int
    tx_index: int
    log_index: int


class PricedToken(NamedTuple):
    """A token as it is said to be."""

    address: str
    symbol: Optional[str]
    decimals: int


class PricePool(NamedTuple):
    """A pool; texts as they are said. ``pool_id`` is ``None`` for a contract."""

    address: str
    pool_id: Optional[str]
    protocol: str
    pair: Tuple[str, str]
    fee: int
    spacing: int
    base: str
    reserves: Optional[Tuple[str, str]]
    root: Optional[str]
    tick: Optional[int]
    liquidity: Optional[str]
    price_base: Optional[str]
    price_usd: Optional[str]
    liquidity_usd: Optional[str]
    depth_usd: Optional[str]
    near: Optional[str]
    weight: float
    left_out: Optional[str]
    creation: Optional[Place]
    last: Place
    last_timestamp: int
    later: List[Place]


class PriceBase(NamedTuple):
    """A token in which pools are priced."""

    token: PricedToken
    price_usd: str
    is_configured: bool
    pools: List[PricePool]
    stables: List[PricedToken]


class Price(NamedTuple):
    """A price; ``proofs`` are files in hex."""

    chain_id: int
    token: PricedToken
    block_number: int
    block_timestamp: int
    price_usd: str
    rules: Rules
    pools: List[PricePool]
    bases: List[PriceBase]
    proofs: Optional[List[str]]


def address_of(text: str) -> str:
    """An address in lower case."""
    found = _ADDRESS.fullmatch(text)
    if found is None:
        raise Refused("a text is no address")
    return "0x" + found.group(1).lower()


def _text_or_none(member: Member, name: str) -> Optional[str]:
    found = member.optional(name)
    return None if found is None else found.text()


def _double(member: Member) -> float:
    value = member.value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise member.wrong("a number")
    try:
        return float(value)
    except OverflowError:
        raise member.wrong("a number") from None


def _signed(member: Member) -> int:
    """An integer of 32 bits with its sign."""
    value = member.value
    if isinstance(value, bool) or not isinstance(value, int) or not -(1 << 31) <= value < 1 << 31:
        raise member.wrong("an integer of 32 bits")
    return value


def _check_types(member: Member, texts: Tuple[str, ...], integers: Tuple[str, ...] = ()) -> None:
    """Members that are typed and not read further."""
    for name in texts:
        member.get(name).text()
    for name in integers:
        member.get(name).integer()


def _check_texts(member: Member, name: str) -> None:
    found = member.optional(name)
    if found is not None:
        found.list_of(_POOLS_MAX, Member.text)


def _read_token(member: Member) -> PricedToken:
    _check_types(member, ("metadata_evidence",))
    _check_texts(member, "metadata_nodes")
    block = member.optional("metadata_block")
    if block is not None:
        block.integer()
    return PricedToken(
        member.get("address").text(), _text_or_none(member, "symbol"), member.get("decimals").integer(255)
    )


def _read_place(member: Member) -> Place:
    _check_types(member, ("proof_url",))
    return Place(
        member.get("block_number").integer(), member.get("tx_index").position(), member.get("log_index").position()
    )


def _pair(member: Member) -> Tuple[str, str]:
    pair = member.list_of(2, Member.text)
    if len(pair) != 2:
        raise member.wrong("a list of two")
    return pair[0], pair[1]


def _read_pool(member: Member) -> PricePool:
    _check_types(member, (), ("covered_seconds",))
    may_change, mean = member.optional("fee_may_change"), member.optional("mean_tick")
    if may_change is not None:
        may_change.boolean()
    if mean is not None:
        _signed(mean)
    for name in ("cost_to_move_2_percent_usd", "cost_reason"):
        _text_or_none(member, name)
    pool_id, reserves = member.optional("pool_id"), member.optional("reserves")
    tick, creation = member.optional("tick"), member.optional("creation_event")
    return PricePool(
        address=member.get("address").text(),
        pool_id=None if pool_id is None else hexed(pool_id.hash()),
        protocol=member.get("protocol").text(),
        pair=_pair(member.get("pair")),
        fee=member.get("fee_millionths").position(),
        spacing=_signed(member.get("tick_spacing")),
        base=member.get("base").text(),
        reserves=None if reserves is None else _pair(reserves),
        root=_text_or_none(member, "sqrt_price_x96"),
        tick=None if tick is None else _signed(tick),
        liquidity=_text_or_none(member, "liquidity"),
        price_base=_text_or_none(member, "price_base"),
        price_usd=_text_or_none(member, "price_usd"),
        liquidity_usd=_text_or_none(member, "liquidity_usd"),
        depth_usd=_text_or_none(member, "depth_usd"),
        near=_text_or_none(member, "near_liquidity"),
        weight=_double(member.get("weight")),
        left_out=_text_or_none(member, "left_out"),
        creation=None if creation is None else _read_place(creation),
        last=_read_place(member.get("last_event")),
        last_timestamp=member.get("last_event_timestamp").integer(),
        later=member.get("later_events").list_of(_POOLS_MAX, _read_place),
    )


def _read_base(member: Member) -> PriceBase:
    _text_or_none(member, "twap_usd")
    _check_texts(member, "disputed_by")
    return PriceBase(
        _read_token(member.get("token")),
        member.get("price_usd").text(),
        member.get("evidence").text() == "configured",
        member.get("pools").list_of(_POOLS_MAX, _read_pool),
        member.get("stables").list_of(_POOLS_MAX, _read_token),
    )


def _check_rest(root: Member) -> None:
    """Members of the whole on which no check rests."""
    confidence = root.get("confidence")
    _double(confidence.get("value"))
    for name in ("depth", "freshness", "agreement", "calm", "coverage"):
        _double(confidence.get("parts").get(name))
    twap = root.optional("twap")
    if twap is not None:
        _check_types(twap, ("price_usd",), ("window_seconds", "covered_seconds"))
    for name in ("price_native", "cost_to_move_2_percent_usd"):
        _text_or_none(root, name)
    block = root.get("block")
    _check_types(block, ("finality", "proof_url"), ("events_from",))
    block.get("hash").hash()
    age = block.optional("age_seconds")
    if age is not None:
        age.integer()
    _check_types(root.get("rules"), (), ("drift_percent_max",))


def _read_proof(member: Member) -> str:
    _read_place(member.get("event"))
    return member.get("proof_blob").text()


def read_price(root: Member) -> Price:
    """Reads the members of a price; refuses what is none."""
    _check_rest(root)
    block, rules, proofs = root.get("block"), root.get("rules"), root.optional("proof")
    return Price(
        chain_id=root.get("chain_id").integer(),
        token=_read_token(root.get("token")),
        block_number=block.get("number").integer(),
        block_timestamp=block.get("timestamp").integer(),
        price_usd=root.get("price_usd").text(),
        rules=Rules(
            rules.get("depth_usd_min").integer(), rules.get("stale_after_seconds").integer(),
            rules.get("outlier_percent_max").integer(),
        ),
        pools=root.get("pools").list_of(_POOLS_MAX, _read_pool),
        bases=root.get("bases").list_of(_POOLS_MAX, _read_base),
        proofs=None if proofs is None else proofs.list_of(_PROOFS_MAX, _read_proof),
    )
