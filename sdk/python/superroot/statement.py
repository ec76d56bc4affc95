"""What a proof claims, and by which rules it is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, Mapping, Optional, Tuple

from . import _chains
from ._bytes import Reader
from ._hash import keccak256
from .errors import Refused, UnknownChain, need

#: Ids, numbers, counts, sequences and times are below 2^53.
SAFE_INTEGER_MAX = (1 << 53) - 1
TWIG_BLOCKS = 2048
ROWS_MAX = 45
WITHDRAWN = 0x0000
SOLANA = 0x0201
SOLANA_HEADER = 0x0202
#: From this height on rule 0201 shows the header alone.
SOLANA_WINDOW_END = 418_629_925

FAMILIES = ("evm", "bitcoin", "solana", "polkadot", "tron", "aptos", "sui", "icp", "cosmos")
EVM, BITCOIN, SOLANA_FAMILY, POLKADOT, TRON, APTOS, SUI, ICP, COSMOS = range(9)
_RULES = frozenset(
    (0, 1, 2, 3, 4, 5, 6, 0x0101, SOLANA, SOLANA_HEADER, 0x0301, 0x0401, 0x0501, 0x0601, 0x0701, 0x0801)
)
_BINDS_NUMBER = frozenset((EVM, POLKADOT, TRON, SUI, COSMOS))
#: ``White_Space`` of Unicode. ``str.isspace`` has four control characters more.
_WHITE_SPACE = frozenset(
    "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)

BLOCK, TRANSACTION, EVENT, ABSENCE = "block", "transaction", "event", "absence"


def has_white_space_or_plus(text: str) -> bool:
    return any(letter == "+" or letter in _WHITE_SPACE for letter in text)


def log_id(origin: str) -> bytes:
    """Id of a log: ``H(09 ‖ origin)``; refuses what is no origin."""
    encoded = origin.encode("utf-8", "surrogatepass")
    need(
        1 <= len(encoded) <= 255 and not has_white_space_or_plus(origin),
        "the origin is not 1 to 255 bytes without white space and plus sign",
    )
    return keccak256(b"\x09" + encoded)


def network_of(origin: str) -> str:
    """``live``, ``recorded`` or ``simulated``."""
    if origin.startswith("recorded/"):
        return "recorded"
    return "simulated" if origin.startswith("simulated/") else "live"


@dataclass(frozen=True)
class Subject:
    """What is claimed of the block: ``kind`` is ``block``, ``transaction``, ``event`` or ``absence``."""

    kind: str
    tx_index: Optional[int] = None
    log_index: Optional[int] = None

    def branch_index(self, tx_count: int) -> Optional[int]:
        """Transaction whose branch shows the subject; an absence is shown by the last one."""
        if self.kind == ABSENCE:
            return tx_count - 1 if tx_count else None
        return self.tx_index


@dataclass(frozen=True)
class Statement:
    """Chain, block number and subject."""

    family: int
    chain_id: int
    number: int
    subject: Subject

    @property
    def family_name(self) -> str:
        return FAMILIES[self.family]

    @property
    def chain(self) -> str:
        """``family:id``."""
        return f"{FAMILIES[self.family]}:{self.chain_id}"

    @property
    def binds_tx_index(self) -> bool:
        """Whether the ledger binds a transaction's position."""
        if self.family in (SOLANA_FAMILY, APTOS):
            return False
        return not (self.family == POLKADOT and self.subject.kind == EVENT)

    @property
    def binds_log_index(self) -> bool:
        """Whether the ledger binds an event's position."""
        return self.family not in (SOLANA_FAMILY, POLKADOT)

    @property
    def tx_index(self) -> Optional[int]:
        """Position of the transaction, where it is shown."""
        return self.subject.tx_index if self.binds_tx_index else None

    @property
    def log_index(self) -> Optional[int]:
        """Position of the event, where it is shown."""
        return self.subject.log_index if self.binds_log_index else None


def effective_rule(code: int, number: int) -> Optional[int]:
    """Rule behind a code at a number; ``None`` for a code that this verifier does not know."""
    if code not in _RULES:
        return None
    return SOLANA_HEADER if code == SOLANA and number >= SOLANA_WINDOW_END else code


def binds_number(rule: int) -> bool:
    """Whether the block hash shows the number."""
    return rule >> 8 in _BINDS_NUMBER


@dataclass(frozen=True)
class Profile:
    """A chain's CAIP-2 name and rules, in the order added: (first number, code)."""

    family: int
    chain_id: int
    caip2: str
    rules: Tuple[Tuple[int, int], ...]
    name: str = ""
    words: Tuple[str, ...] = ()

    def code_at(self, number: int) -> Optional[int]:
        """Rule code at a number; a withdrawal that covers the number wins."""
        covers = [code for start, code in self.rules if start <= number]
        if not covers:
            return None
        return WITHDRAWN if WITHDRAWN in covers else covers[-1]

    def may_start_at(self, start: int) -> bool:
        """Whether a run may start there: the ledger's first number, or a multiple of 2,048 above it."""
        first = self.rules[0][0]
        return start == first or (start > first and start % TWIG_BLOCKS == 0)

    def withdrawn_from(self) -> Optional[int]:
        """First number that a withdrawal covers."""
        return min((start for start, code in self.rules if code == WITHDRAWN), default=None)


def read_profile(data: bytes) -> Profile:
    """Reads ``08 ‖ family ‖ chain_id ‖ length ‖ caip2 ‖ count ‖ rules``, in its one encoding."""
    reader = Reader(data)
    need(reader.u8() == 0x08, "a profile begins with 08")
    family = reader.u8()
    need(family < len(FAMILIES), "no such ledger family")
    chain_id = reader.u64()
    try:
        caip2 = reader.take(reader.u8()).decode("utf-8")
    except UnicodeDecodeError:
        raise Refused("a CAIP-2 name that is not UTF-8") from None
    rules = tuple((reader.u64(), reader.u16()) for _ in range(reader.u8()))
    reader.finish("profile")
    need(chain_id <= SAFE_INTEGER_MAX, "a chain id of 2^53 or more")
    need(bool(caip2) and bool(rules), "a profile without name or rules")
    need(all(start <= SAFE_INTEGER_MAX for start, _ in rules), "a rule from 2^53 or above")
    need(rules[0][1] != WITHDRAWN, "the first rule is a withdrawal")
    read = [start for start, code in rules if code != WITHDRAWN]
    need(all(one < following for one, following in zip(read, read[1:])), "the rules do not rise")
    return Profile(family, chain_id, caip2, rules)


Chains = Mapping[Tuple[int, int], Profile]


def _builtin() -> Dict[Tuple[int, int], Profile]:
    return {
        (family, chain_id): Profile(family, chain_id, caip2, rules, name, words)
        for family, chain_id, name, caip2, rules, words in _chains.ROWS
    }


#: Chains that this package knows, by (family, chain id).
CHAINS: Chains = _builtin()


def rule_of(statement: Statement, chains: Chains, opened: Optional[Profile]) -> Tuple[int, Profile]:
    """Rule and row for the statement. The proof's opened profile must agree with the verifier's own row."""
    number = statement.number
    known = chains.get((statement.family, statement.chain_id))
    if known is None:
        raise UnknownChain(f"chain {statement.chain} is not in the registry of this verifier")
    if opened is not None:
        is_its = (opened.family, opened.chain_id) == (statement.family, statement.chain_id)
        need(is_its, "the opened profile is of another chain")
    opened_code = None if opened is None else _code_at(opened, statement)
    code = _code_at(known, statement)
    rule = effective_rule(code, number)
    if opened is not None and opened_code is not None:
        read = effective_rule(opened_code, number)
        is_same = opened_code == code or (read is not None and read == rule)
        need(is_same and opened.caip2 == known.caip2, "the opened profile has another name or rule than the known one")
    if rule is None or rule >> 8 != statement.family:
        raise Refused(f"no rule for block {number} of chain {statement.chain}")
    return rule, known


def _code_at(profile: Profile, statement: Statement) -> int:
    code = profile.code_at(statement.number)
    if code is None:
        raise Refused(f"no rule for block {statement.number} of chain {statement.chain}")
    need(code != WITHDRAWN, f"block {statement.number} of chain {statement.chain} was withdrawn by the log")
    return code
