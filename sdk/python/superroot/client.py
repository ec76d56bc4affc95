"""Client of one service. Proofs are checked before they are returned; other answers are labelled as not proven."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Mapping, Optional, Sequence, Union
from urllib.parse import quote

from ._hash import sha256_of
from ._http import ServiceError, Transport, parse_object
from .errors import ProofError, UnknownChain
from .facts import Anchor, Facts
from .file import read_proof
from .scan import ScanFacts, ScanFilter, verify_scan
from .statement import ABSENCE, BITCOIN, BLOCK, CHAINS, EVENT, SOLANA_FAMILY, TRANSACTION, Chains, Profile, Subject
from .trust import Trust, parse_hash
from .verifier import check_levels

__all__ = ["Client", "ProvenAnswer", "ServiceAnswer", "ServiceError"]

_FILE = "application/octet-stream"
_JSON = "application/json"
WAIT_SECONDS_MAX = 15
Chain = Union[int, str]


@dataclass(frozen=True)
class ServiceAnswer:
    """An answer of the service. ``proven`` is always false: its content is the service's word."""

    content: Mapping[str, Any]
    proven: bool = False

    def __getitem__(self, name: str) -> Any:
        return self.content[name]


@dataclass(frozen=True)
class ProvenAnswer:
    """Facts of a proof that holds, and the bytes of its file."""

    facts: Facts
    data: bytes


class Client:
    """Fetches proofs from the service at ``url`` and checks them by ``trust``, never by the service's word.

    ``api_key`` is needed for some routes. ``timeout`` is in seconds for each try; at most ``tries`` are made where the
    service says that a later one may succeed. ``chains`` are the rows that the client knows.
    """

    def __init__(
        self,
        url: str,
        api_key: Optional[str] = None,
        trust: Optional[Trust] = None,
        *,
        timeout: float = 30.0,
        tries: int = 4,
        chains: Chains = CHAINS,
    ) -> None:
        self._transport = Transport(url, api_key, timeout, tries)
        self._trust = trust
        self._chains = chains

    def prove_block(self, chain: Chain, block: int, *, wait: Optional[int] = None) -> Facts:
        """Proof of a block.

        Raises :class:`ProofError` if what came back is not true of that block, :class:`ServiceError` if nothing came.
        """
        return self.fetch_block(chain, block, wait=wait).facts

    def prove_transaction(self, chain: Chain, tx_hash: str, *, wait: Optional[int] = None) -> Facts:
        """Proof of a transaction by its hash: see :func:`transaction_hash` for its spellings."""
        return self.fetch_transaction(chain, tx_hash, wait=wait).facts

    def prove_event(
        self,
        chain: Chain,
        *,
        log_index: int,
        tx: Optional[str] = None,
        block: Optional[int] = None,
        tx_index: Optional[int] = None,
        wait: Optional[int] = None,
    ) -> Facts:
        """Proof of an event by its transaction's hash ``tx``, or by ``block`` and ``tx_index``; ``log_index`` counts in
        the transaction's receipt."""
        return self.fetch_event(
            chain, log_index=log_index, tx=tx, block=block, tx_index=tx_index, wait=wait
        ).facts

    def prove_absence(self, chain: Chain, block: int, tx_index: int, *, wait: Optional[int] = None) -> Facts:
        """Proof that the block has no transaction at the index."""
        row = self._row(chain)
        answer = self._fetch(f"/v5/proof/absence/{_chain(chain)}/{_number(block)}/{_number(tx_index)}", wait)
        return self._check(row, answer, Subject(ABSENCE, tx_index), block).facts

    def fetch_block(self, chain: Chain, block: int, *, wait: Optional[int] = None) -> ProvenAnswer:
        """As :meth:`prove_block`, with the file's bytes to keep."""
        row = self._row(chain)
        answer = self._fetch(f"/v5/proof/{_chain(chain)}/{_number(block)}", wait)
        return self._check(row, answer, Subject(BLOCK), block)

    def fetch_transaction(self, chain: Chain, tx_hash: str, *, wait: Optional[int] = None) -> ProvenAnswer:
        """As :meth:`prove_transaction`, with the file's bytes to keep."""
        row = self._row(chain)
        asked = transaction_hash(tx_hash, row.family)
        answer = self._fetch(f"/v5/proof/tx/{_chain(chain)}/0x{asked.hex()}", wait)
        return _of_transaction(self._check(row, answer, None, None), TRANSACTION, asked, None)

    def fetch_event(
        self,
        chain: Chain,
        *,
        log_index: int,
        tx: Optional[str] = None,
        block: Optional[int] = None,
        tx_index: Optional[int] = None,
        wait: Optional[int] = None,
    ) -> ProvenAnswer:
        """As :meth:`prove_event`, with the file's bytes to keep."""
        row = self._row(chain)
        if tx is not None:
            if block is not None or tx_index is not None:
                raise ValueError("an event is named by tx, or by block and tx_index")
            asked = transaction_hash(tx, row.family)
            answer = self._fetch(f"/v5/event/{_chain(chain)}/0x{asked.hex()}/{_number(log_index)}", wait)
            proven = self._check(row, answer, None, None)
            return _of_transaction(proven, EVENT, asked, log_index)
        if block is None or tx_index is None:
            raise ValueError("an event is named by tx, or by block and tx_index")
        place = f"{_number(block)}/{_number(tx_index)}/{_number(log_index)}"
        answer = self._fetch(f"/v5/proof/event/{_chain(chain)}/{place}", wait)
        return self._check(row, answer, Subject(EVENT, tx_index, log_index), block)

    def scan(
        self,
        chain: Chain,
        first: int,
        last: int,
        *,
        addresses: Sequence[str] = (),
        topics: Sequence[Sequence[str]] = (),
        anywhere: Sequence[str] = (),
    ) -> ScanFacts:
        """One page of all events in blocks ``first`` to ``last`` that pass the filter.

        An event passes with one of ``addresses``, at each position one of ``topics``, and all of ``anywhere`` at any
        position. A page ends after 2,048 blocks at the latest: the next begins at ``.last + 1``.
        """
        row = self._row(chain)
        asked = _filter(addresses, topics, anywhere)
        query: Dict[str, object] = {"fromBlock": _number(first), "toBlock": _number(last), "note": 1}
        query.update({"address": _listed(asked.addresses), "topic": _listed(asked.anywhere)})
        query.update({f"topic{place}": _listed(listed) for place, listed in enumerate(asked.topics)})
        if self._trust is None:
            raise ValueError("a client proves nothing without trust: give Client(.., trust=..)")
        facts = verify_scan(self._transport.get(f"/v5/scan/{_chain(chain)}", query, _FILE), self._trust, self._chains)
        is_its = (facts.family, facts.chain_id, facts.first) == (row.family, row.chain_id, first)
        if not is_its or facts.last > last or facts.filter != asked:
            raise ProofError("statement", "the service answered with a scan of something else")
        return facts

    def _row(self, chain: Chain) -> Profile:
        word = str(chain).lower()
        for row in self._chains.values():
            names = (str(row.chain_id), row.name, row.caip2, *row.words)
            if any(word == name.lower() for name in names):
                return row
        raise UnknownChain(f"chain {chain!r} is not in the registry of this client")

    def _judge(self, facts: Facts) -> Anchor:
        if self._trust is None:
            raise ValueError("a client proves nothing without trust: give Client(.., trust=..)")
        return self._trust.judge(facts)

    def _fetch(self, path: str, wait: Optional[int]) -> bytes:
        if wait is not None and not 0 <= wait <= WAIT_SECONDS_MAX:
            raise ValueError(f"wait is 0 to {WAIT_SECONDS_MAX} seconds")
        if self._trust is None:
            raise ValueError("a client proves nothing without trust: give Client(.., trust=..)")
        return self._transport.get(path, {"note": 1, "wait": wait}, _FILE)

    def _check(self, row: Profile, data: bytes, subject: Optional[Subject], block: Optional[int]) -> ProvenAnswer:
        """Checks the file, that it is of what was asked for, and its anchor."""
        facts = check_levels(read_proof(data), self._chains)
        statement = facts.statement
        is_its = (statement.family, statement.chain_id) == (row.family, row.chain_id)
        is_its = is_its and (subject is None or statement.subject == subject)
        if not is_its or (block is not None and statement.number != block):
            raise ProofError("statement", "the service answered with a proof of something else")
        facts.anchor = self._judge(facts)
        return ProvenAnswer(facts, data)

    def price(self, chain: Chain, token: str, **query: object) -> ServiceAnswer:
        """Price of a token, not proven here. ``superroot verify`` computes one with ``proof=1`` again."""
        return self._plain(f"/price/{_chain(chain)}/{_part(token)}", query)

    def order(self, order_id: str, **query: object) -> ServiceAnswer:
        """An order across chains, not proven here; its ``proof_url`` members lead to proofs."""
        return self._plain(f"/events/{_part(order_id)}", query)

    def logs(self, chain: Chain, **query: object) -> ServiceAnswer:
        """Events that match a filter (``address``, ``topic0``, ``fromBlock``, ..), not proven. :meth:`scan` proves."""
        return self._plain("/v5/logs", {"chain": chain, **query})

    def gas(self, chain: Chain, **query: object) -> ServiceAnswer:
        """Gas figures, not proven."""
        return self._plain("/search-api/v5/gas", {"chain_id": chain, **query})

    def status(self) -> ServiceAnswer:
        """State of the service, not proven."""
        return self._plain("/api/v1/status", {})

    def _plain(self, path: str, query: Mapping[str, object]) -> ServiceAnswer:
        body = self._transport.get(path, query, _JSON)
        try:
            content: Dict[str, Any] = parse_object(body)
        except ValueError as error:
            raise ServiceError(200, "unreadable", str(error)) from None
        return ServiceAnswer(content)


def _of_transaction(proven: ProvenAnswer, kind: str, asked: bytes, log_index: Optional[int]) -> ProvenAnswer:
    """Refuses a proof of another transaction, or of another event in it."""
    facts = proven.facts
    hashed = None if facts.transaction is None else facts.transaction.hash
    if facts.event is not None and facts.event.kind == "move_event":
        hashed = facts.event["transaction_hash"]
    subject = facts.statement.subject
    if (subject.kind, hashed, subject.log_index) != (kind, asked, log_index):
        raise ProofError("statement", "the service answered with a proof of something else")
    return proven


def _filter(addresses: Sequence[str], topics: Sequence[Sequence[str]], anywhere: Sequence[str]) -> ScanFilter:
    """The filter in its one form: lists rise, nothing is there twice."""
    if len(topics) > 4:
        raise ValueError("an event has at most four topics")
    lists = [[_hex(topic, 32) for topic in listed] for listed in [*topics, anywhere]]
    positions = [tuple(sorted(set(listed))) for listed in lists[:-1]]
    positions += [()] * (4 - len(positions))
    own = tuple(sorted({_hex(address, 20) for address in addresses}))
    return ScanFilter(own, tuple(positions), tuple(sorted(set(lists[-1]))))


def _hex(text: str, length: int) -> bytes:
    raw = bytes.fromhex(text[2:]) if text.startswith("0x") else b""
    if len(raw) != length:
        raise ValueError(f"expected 0x and {2 * length} hex digits")
    return raw


def _listed(items: Sequence[bytes]) -> Optional[str]:
    return ",".join("0x" + item.hex() for item in items) or None


def _part(text: str) -> str:
    """One segment of a path."""
    if not text or text in (".", ".."):
        raise ValueError("an empty part of a path")
    return quote(text, safe=":")


def _chain(chain: Chain) -> str:
    return _part(str(chain))


def _number(number: int) -> str:
    if isinstance(number, bool) or not isinstance(number, int) or number < 0:
        raise ValueError("a number or index is an integer of 0 or more")
    return str(number)



def transaction_hash(text: str, family: int) -> bytes:
    """Hash of a transaction as the service names it: ``0x`` and 64 hex digits as hashed, or as the ledger's explorers
    write it (Bitcoin: reversed hex without ``0x``; Solana: the signature in base58; Sui: the digest in base58).

    Raises :class:`ValueError`.
    """
    if len(text) in (64, 66) and (text.startswith("0x") or len(text) == 64):
        try:
            hashed = parse_hash(text)
            return hashed[::-1] if family == BITCOIN and not text.startswith("0x") else hashed
        except ValueError:
            pass
    raw = _base58(text)
    if family == SOLANA_FAMILY and len(raw) == 64:
        return sha256_of(b"\x00" + raw)
    return parse_hash(raw)


_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def _base58(text: str) -> bytes:
    if not 32 <= len(text) <= 88 or any(letter not in _BASE58 for letter in text):
        raise ValueError("a transaction hash is 0x and 64 hex digits, or in the form of the ledger's explorers")
    value = 0
    for letter in text:
        value = value * 58 + _BASE58.index(letter)
    zeros = len(text) - len(text.lstrip("1"))
    return bytes(zeros) + value.to_bytes((value.bit_length() + 7) // 8, "big")
