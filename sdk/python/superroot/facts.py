"""Facts of a proof that holds: every value comes from bytes that were hashed during the check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, Optional, Tuple, Union

from .finality import FinalityEvidence
from .ledgers import Event, Header, Transaction
from .note import Checkpoint, Note
from .statement import ABSENCE, BITCOIN, BLOCK, EVENT, EVM, Statement


@dataclass(frozen=True)
class EvmLog:
    """A log as emitted. ``log_count`` is the number of logs in its transaction's receipt."""

    address: bytes
    topics: Tuple[bytes, ...]
    data: bytes
    log_count: int


@dataclass(frozen=True)
class TwigFacts:
    """Level 3: the block is in ``slot`` of the twig ``index``."""

    index: int
    slot: int
    root: bytes


@dataclass(frozen=True)
class PlaceFacts:
    """Where the twig is. ``sealed``: leaf of its family's Mini-MMR (level 4); otherwise the chain's open twig, with
    the run of blocks that the SuperRoot commits to."""

    sealed: bool
    leaf_index: Optional[int] = None
    leaf_count: Optional[int] = None
    root: Optional[bytes] = None
    row: Optional[int] = None
    start: Optional[int] = None
    number: Optional[int] = None


@dataclass(frozen=True)
class SuperRoot:
    """Level 5. ``timestamp`` (Unix seconds) is the service's word."""

    hash: bytes
    log_id: bytes
    sequence: int
    timestamp: int
    tree_root: bytes


@dataclass(frozen=True)
class ShownNote:
    """A note whose log includes the SuperRoot. Who signed it is judged by what the client trusts."""

    note: Note
    checkpoint: Checkpoint


@dataclass(frozen=True)
class Anchor:
    """Why a SuperRoot is trusted: ``by`` is ``superroot``, ``key``, ``pin`` or ``store``.

    ``size`` is the signed log's size; ``joined`` is false for a signed log past the newest pin, not compared with it
    yet; ``first_use``: the key was taken from the service and never confirmed.
    """

    by: str
    size: Optional[int] = None
    joined: Optional[bool] = None
    first_use: bool = False
    witnessed: bool = False
    note_fault: Optional[str] = None
    source: str = ""


@dataclass
class Facts:
    """What a proof shows.

    ``level`` is 1 to 5. ``number_bound``: the block hash shows the number; ``index_bound``: the transaction's position
    is shown; ``block_bound``: the transaction is in this block, and not merely in the chain by it. ``finality`` is
    evidence as read: ``superroot.check_finality`` checks it.
    """

    statement: Statement
    origin: str
    network: str
    chain_name: str
    rule: int
    level: int = 1
    transactions_root: Optional[bytes] = None
    receipts_root: Optional[bytes] = None
    transaction: Optional[Transaction] = None
    receipt: Optional[Mapping[str, Any]] = None
    event: Optional[Event] = None
    tx_count: Optional[int] = None
    header: Optional[Header] = None
    number_bound: bool = False
    index_bound: bool = False
    block_bound: bool = True
    twig: Optional[TwigFacts] = None
    place: Optional[PlaceFacts] = None
    super_root: Optional[SuperRoot] = None
    note: Optional[ShownNote] = None
    finality: Optional[FinalityEvidence] = None
    anchor: Optional[Anchor] = None

    @property
    def block_hash(self) -> Optional[bytes]:
        return None if self.header is None else self.header.block_hash

    @property
    def log(self) -> Optional[EvmLog]:
        """The proven log of an EVM chain."""
        if self.event is None or self.event.kind != "log":
            return None
        fields = self.event.fields
        return EvmLog(fields["address"], fields["topics"], fields["data"], fields["log_count"])

    @property
    def sentence(self) -> str:
        """The statement in words."""
        return statement_words(self.statement, self.chain_name, self.block_bound)


@dataclass
class RootFacts:
    """A SuperRoot that an answer is about, without a statement on a chain. ``note`` publishes it, and ``origin`` is the
    note's; without one only the log's id is known."""

    super_root: SuperRoot
    note: Optional[ShownNote] = None
    anchor: Optional[Anchor] = None

    @property
    def origin(self) -> Optional[str]:
        return None if self.note is None else self.note.checkpoint.origin


#: What may be anchored.
Anchored = Union[Facts, RootFacts]


def statement_words(statement: Statement, chain_name: str, block_bound: bool) -> str:
    """The statement in words."""
    block = f"block {statement.number} of {chain_name} ({statement.chain})"
    kind = statement.subject.kind
    if kind == BLOCK:
        return block
    if kind == ABSENCE:
        trees = "in the tries of the header" if statement.family == EVM else "in the tree of transactions"
        return f"no leaf at index {statement.subject.tx_index} {trees} of {block}"
    transaction = f"transaction {statement.tx_index} of {block}"
    if statement.tx_index is None:
        transaction = f"a transaction of {block}" if block_bound else f"a transaction in the chain by {block}"
    if kind != EVENT:
        return transaction
    if statement.log_index is None:
        return f"an event of {block}"
    noun = {EVM: "log", BITCOIN: "output"}.get(statement.family, "event")
    return f"{noun} {statement.log_index} of {transaction}"
