"""A price with its proofs: recomputed from proven events, to the same digits. docs/protocol/prices.md."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Set, Tuple

from .._member import Member
from ..errors import ProofError, Refused, at, need
from ..facts import Facts
from ..file import read_proof
from ..statement import CHAINS, EVENT, EVM, Chains
from ..trust import Trust
from ..verifier import check_levels
from ._price_body import Place, Price, PricedToken, PricePool, address_of, read_price
from ._price_shown import DIGITS, check_figures, check_kind, check_state
from ._steps import all_at, bytes_of_hex, check_said_anchor
from .answer import Body, parsed
from .dex import numbers
from .dex._lists import TOKENS
from .dex._rows import NATIVE, STABLE, Token
from .dex.events import NO_ADDRESS, Bin, Created, Liquidity, Pool, PoolEvent, SaidReserves, decode_event
from .dex.factories import Bound, Pair, bind_pool, made_by
from .dex.numbers import Decimal
from .dex.quote import Seen, price_by
from .dex.state import Bins, Reserves, Spot, State
from .dex.tick import tick_of_reserves

_NUMBER = re.compile(r"[0-9]{1,39}")
_I128 = 1 << 127
_U128 = 1 << 128
#: Bases by address: decimals and dollars.
_Bases = Dict[str, Tuple[int, Decimal]]


@dataclass(frozen=True)
class PriceFacts:
    """What a price shows. ``pools`` counts the judged ones, base pools included; ``said``: what the service claims without
    proof; ``admitted``: tokens that count as a dollar by ``stables`` alone; ``last`` is one of the proven events, all of
    which stand under its SuperRoot."""

    token: str
    symbol: Optional[str]
    chain_id: int
    block_number: int
    price_usd: str
    pools: int
    events: int
    said: List[str]
    admitted: List[str]
    last: Facts


def _lower(text: str) -> str:
    """Letters of ASCII alone."""
    return "".join(letter.lower() if "A" <= letter <= "Z" else letter for letter in text)


def slug_of(facts: Facts) -> Optional[str]:
    """The name of a chain in the lists; a simulated chain has Ethereum's."""
    if facts.network == "simulated":
        return "ethereum"
    row = CHAINS.get((facts.statement.family, facts.statement.chain_id))
    return row.words[0] if row is not None and row.family == EVM else None


def prove_event(blob: str, chains: Optional[Chains]) -> Facts:
    """A proof in hex, with its levels checked; whatever fails is the step ``proof``."""
    with all_at("proof"):
        return check_levels(read_proof(bytes_of_hex(blob)), chains)


def _place_of(facts: Facts) -> Place:
    subject = facts.statement.subject
    return Place(facts.statement.number, subject.tx_index or 0, subject.log_index or 0)


def _prove_events(price: Price, chains: Optional[Chains]) -> Dict[Place, Facts]:
    """Proven events by their places, all under one SuperRoot."""
    if not price.proofs:
        raise ProofError("no_proof", "the price carries no proofs: ask for it with proof=1")
    events: Dict[Place, Facts] = {}
    roots: Set[bytes] = set()
    for blob in price.proofs:
        facts = prove_event(blob, chains)
        with at("proof"):
            need(facts.statement.subject.kind == EVENT, "a proof is not of an event")
            is_its = facts.statement.chain_id == price.chain_id and facts.number_bound
            need(is_its, "a proof is of another chain")
        roots.add(b"" if facts.super_root is None else facts.super_root.hash)
        with at("super_roots"):
            need(b"" not in roots and len(roots) == 1, "the proofs lead to more than one SuperRoot, or to none")
        events[_place_of(facts)] = facts
    return events


class _PriceCheck:
    """A running check of a price."""

    def __init__(self, price: Price, events: Dict[Place, Facts], slug: Optional[str], stables: Sequence[str]) -> None:
        self.price = price
        self.events = events
        self.slug = slug
        self.stables = {address.lower() for address in stables}
        self.pools = 0
        self.said: Set[str] = set()
        self.admitted: List[str] = []

    def _chain(self) -> str:
        if self.slug is None:
            raise ProofError("no_price", "its chain is not known here")
        return self.slug

    def _tokens(self) -> Sequence[Token]:
        return TOKENS.get(self._chain(), ())

    def _listed(self, address: str) -> Optional[Token]:
        return next((one for one in self._tokens() if one.address == address), None)

    def _known(self, token: PricedToken) -> str:
        """A token that is well known has its symbol and digits, and no other token has the symbol of one."""
        with at("no_price"):
            address = address_of(token.address)
            listed = self._listed(address)
            if listed is not None:
                is_it = listed.decimals == token.decimals and token.symbol in (None, listed.symbol)
                need(is_it, f"{address} is {listed.symbol} and has {listed.decimals} digits behind the point")
                return address
            symbols = {_lower(one.symbol) for one in self._tokens()}
            is_impostor = token.symbol is not None and _lower(token.symbol) in symbols
            need(not is_impostor, f"{address} has the symbol of another token that is well known on its chain")
        symbol = "without a symbol" if token.symbol is None else token.symbol
        self.said.add(f"that {address} is {symbol} and has {token.decimals} digits behind the point")
        return address

    def _dollar(self, token: PricedToken) -> str:
        address = self._known(token)
        listed = self._listed(address)
        if listed is None or not listed.roles & STABLE:
            with at("no_price"):
                is_admitted = address in self.stables
                need(is_admitted, f"{address} is taken for a dollar, and is no stablecoin that is known here on its chain")
            if address not in self.admitted:
                self.admitted.append(address)
        self.said.add(f"that one {token.symbol or 'token'} ({address}) is worth one US dollar")
        return address

    def compare(self, usd: Decimal, said: str, address: str) -> None:
        """Refuses another price than the one that follows."""
        text = numbers.to_text(usd, DIGITS)
        with at("price"):
            need(text == said, f"the price of {address} follows as {text}, and another is said")

    def bases(self) -> _Bases:
        bases: _Bases = {}
        for base in (one for one in self.price.bases if one.is_configured):
            address = self._dollar(base.token)
            self.compare(numbers.ONE, base.price_usd, address)
            bases[address] = base.token.decimals, numbers.ONE
        for base in (one for one in self.price.bases if not one.is_configured):
            own = dict(bases)
            for stable in base.stables:
                own[self._dollar(stable)] = stable.decimals, numbers.ONE
            usd = self.token(base.token, base.pools, own)
            self.compare(usd, base.price_usd, base.token.address)
            bases[address_of(base.token.address)] = base.token.decimals, usd
        return bases

    def token(self, token: PricedToken, pools: List[PricePool], bases: _Bases) -> Decimal:
        """The price of a token by pools."""
        address = self._known(token)
        judged = [pool for pool in pools if pool.left_out in (None, "outlier")]
        met: Set[Tuple[str, Optional[str]]] = set()
        seen = []
        for pool in judged:
            with at("no_price"):
                key = address_of(pool.address), pool.pool_id
            with at("pool"):
                need(key not in met, f"pool {key[0]} is listed twice")
            met.add(key)
            self.pools += 1
            seen.append(self._see(pool, address, token.decimals, bases))
        said, usd, why = price_by(seen, self.price.rules)
        with at("shown"):
            check_figures(judged, said)
        if usd is None:
            raise ProofError("price", f"the price of {address} follows as {why}")
        return usd

    def _see(self, pool: PricePool, token: str, decimals: int, bases: _Bases) -> Seen:
        """A pool from its proven events."""
        with at("no_price"):
            pair = address_of(pool.pair[0]), address_of(pool.pair[1])
            own, base_address = Pool(address_of(pool.address), pool.pool_id), address_of(pool.base)
        with at("pool"):
            base = bases.get(base_address)
            if base is None:
                raise Refused(f"pool {own.address}: its base is not among the bases")
            side = self._side(own, pair, token, base_address)
            bound = self._bind(pool, own, pair)
        with at("shown"):
            check_kind(pool, bound)
        with at("pool"):
            state, timestamp = self._state(pool, own)
        with at("shown"):
            check_state(pool, state, bound.is_stable)
        with at("pool"):
            near = self._near(pool, state)
        both = (decimals, base[0]) if side == 0 else (base[0], decimals)
        age = max(0, self.price.block_timestamp - timestamp)
        return Seen(bound, side, both, state, age, base[1], near)

    def _side(self, pool: Pool, pair: Pair, token: str, base: str) -> int:
        native = next((one.address for one in self._tokens() if one.roles & NATIVE), None)

        def is_it(one: str, meant: str) -> bool:
            return one == meant or (pool.id is not None and one == NO_ADDRESS and native == meant)

        if is_it(pair[0], token) and is_it(pair[1], base) and pair[0] != base:
            return 0
        need(is_it(pair[1], token) and is_it(pair[0], base), f"pool {pool.address} is of other tokens")
        return 1

    def _bind(self, pool: PricePool, own: Pool, pair: Pair) -> Bound:
        if pool.creation is None:
            bound = bind_pool(self._chain(), own, pair, pool.fee, pool.spacing)
            if bound is None:
                raise Refused(f"pool {own.address} follows from no factory known here")
            return bound
        by, event, _ = self._event(pool.creation, own)
        if not isinstance(event, Created):
            raise Refused(f"what is said to have made pool {own.address} is no creation")
        need((event.token0, event.token1) == pair, f"pool {own.address} was made of other tokens")
        bound = made_by(self._chain(), by, event) if event.hooks == NO_ADDRESS else None
        if bound is None:
            raise Refused(f"pool {own.address} was made by no factory known here")
        return bound

    def _event(self, place: Place, own: Pool) -> Tuple[str, PoolEvent, Facts]:
        """Emitter, event and its proof."""
        facts = self.events.get(place)
        if facts is None:
            raise Refused(f"an event of pool {own.address} has no proof")
        need(place.block <= self.price.block_number, f"an event of pool {own.address} is after the block")
        log = facts.log
        decoded = None if log is None else decode_event(log)
        if log is None or decoded is None or decoded[0] != own:
            raise Refused(f"an event is not of pool {own.address}")
        return "0x" + log.address.hex(), decoded[1], facts

    def _state(self, pool: PricePool, own: Pool) -> Tuple[State, int]:
        """The last event, and the changes of liquidity after it; and when the last event was."""
        _, event, facts = self._event(pool.last, own)
        timestamp = None if facts.header is None else facts.header.timestamp
        at_time = pool.last_timestamp if timestamp is None else timestamp
        if isinstance(event, SaidReserves):
            return Reserves(event.reserves, tick_of_reserves(*event.reserves)), at_time
        if isinstance(event, Bin):
            return Bins(), at_time
        spot = None if isinstance(event, Liquidity) else event.spot
        if spot is None:
            raise Refused(f"the last event of pool {own.address} says no price")
        liquidity, before = spot.liquidity or 0, pool.last
        for later in pool.later:
            need(later > before, f"later events of pool {own.address} do not follow each other")
            before = later
            liquidity += self._delta(later, own, spot.tick)
            need(0 <= liquidity < _U128, f"changes of pool {own.address} do not add up")
        return Spot(spot.root, spot.tick, liquidity), at_time

    def _delta(self, place: Place, own: Pool, tick: int) -> int:
        _, event, _ = self._event(place, own)
        if not isinstance(event, Liquidity):
            raise Refused(f"a later event of pool {own.address} changes no liquidity")
        if event.ticks is None or event.delta is None or not -_I128 <= event.delta < _I128:
            raise Refused(f"changes of pool {own.address} do not add up")
        need(event.ticks[0] <= tick < event.ticks[1], f"changes of pool {own.address} do not add up")
        return event.delta

    def _near(self, pool: PricePool, state: State) -> Optional[int]:
        """The service's word on the liquidity next to the price: no more than is in force."""
        if pool.near is None:
            return None
        most = state.liquidity if isinstance(state, Spot) else -1
        is_number = _NUMBER.fullmatch(pool.near) is not None
        need(is_number and int(pool.near) <= most, f"near_liquidity of pool {pool.address} is none")
        self.said.add(
            f"that pool {pool.address} has a mean liquidity of {pool.near} within a hundredth of its price, which is its "
            "weight"
        )
        return int(pool.near)


def is_price(body: Any) -> bool:
    return isinstance(body, dict) and "price_usd" in body and "pools" in body and "bases" in body


def check_price(body: Any, chains: Optional[Chains] = None, stables: Sequence[str] = ()) -> PriceFacts:
    """Checks a price with its proofs, and judges no anchor. ``stables``: addresses of tokens that you take for a dollar
    besides the well-known ones.

    Raises :class:`ProofError`: ``no_price``, ``no_proof``, ``proof``, ``super_roots``, ``said``, ``pool``, ``shown`` or
    ``price``.
    """
    with at("no_price"):
        price = read_price(Member(body, True))
    events = _prove_events(price, chains)
    first = events[min(events)]
    with at("said"):
        check_said_anchor(body, first)
    check = _PriceCheck(price, events, slug_of(first), stables)
    usd = check.token(price.token, price.pools, check.bases())
    check.compare(usd, price.price_usd, price.token.address)
    number = price.block_number
    said = check.said | {
        "all other members of the answer: only price_usd, its bases and what the pools behind it are, hold, say and weigh are "
        "computed again",
        f"that no later event of these pools came up to block {number}, and that no pool was left out which should count",
        f"that block {number} is the one of this hash, its time and finality, and how thin, old or far apart pools may be "
        "(rules)",
    }
    return PriceFacts(
        address_of(price.token.address), price.token.symbol, price.chain_id, number, price.price_usd, check.pools,
        len(events), sorted(said), check.admitted, first,
    )


def verify_price(
    body: Body, trust: Trust, chains: Optional[Chains] = None, stables: Sequence[str] = ()
) -> PriceFacts:
    """Checks a price with its proofs up to a SuperRoot that the client trusts. Raises :class:`ProofError`: ``encoding``, a
    step of :func:`check_price`, or ``anchor``."""
    shown = check_price(parsed(body), chains, stables)
    shown.last.anchor = trust.judge(shown.last)
    return shown
