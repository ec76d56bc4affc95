"""The check, step by step as in docs/protocol.md, "What a verifier does"."""

from __future__ import annotations

from typing import Optional, Tuple

from . import ledgers
from ._bytes import Reader
from ._hash import keccak256, node, sha256_node, sha256_of
from ._trees import perfect_root, range_root
from .errors import NoteError, ProofError, Refused, at, need
from .facts import Facts, PlaceFacts, ShownNote, SuperRoot, TwigFacts
from .file import NotePath, OpenPart, ProofFile, RegistryOpening, SealedPart, SuperRootPart
from .note import Checkpoint, Note
from .statement import (
    BLOCK,
    CHAINS,
    ROWS_MAX,
    SAFE_INTEGER_MAX,
    TWIG_BLOCKS,
    Chains,
    Profile,
    Statement,
    binds_number,
    log_id,
    network_of,
    read_profile,
    rule_of,
)

_FIRST_REFERENCE_SLOT = 9
_REGISTRY_SLOT = 55


def _within(what: str, value: int) -> None:
    need(value <= SAFE_INTEGER_MAX, f"{what} is 2^53 or more")


def _same(what: str, got: bytes, expected: bytes) -> None:
    need(got == expected, f"{what} comes out as 0x{got.hex()}, expected 0x{expected.hex()}")


def _chain_bytes(statement: Statement) -> bytes:
    return bytes([statement.family]) + statement.chain_id.to_bytes(8, "big")


def _check_parts(proof: ProofFile) -> None:
    subject = proof.statement.subject
    if subject.kind == BLOCK:
        need(proof.entry is None, "a block's proof has no level 1")
        need(proof.header is not None, "there is no header")
    elif proof.entry is None:
        raise Refused("level 1 is missing")
    else:
        proof.entry.check_parts(subject)
    _within("chain id", proof.statement.chain_id)
    _within("block number", proof.statement.number)


def _check_statement(proof: ProofFile, chains: Chains) -> Tuple[bytes, int, Profile, Optional[Profile]]:
    """Log id, rule, the verifier's own row, and the opened profile."""
    own_log_id = log_id(proof.origin)
    _check_parts(proof)
    opened = None if proof.super_root is None else read_profile(proof.super_root.registry.profile)
    rule, known = rule_of(proof.statement, chains, opened)
    return own_log_id, rule, known, opened


def _check_header(proof: ProofFile, rule: int) -> Optional[ledgers.Header]:
    if proof.header is None or proof.block_hash is None:
        return None
    header = ledgers.read_header(rule, proof.header)
    _same("the block hash", header.block_hash, proof.block_hash)
    is_its = header.number is None or header.number == proof.statement.number
    need(is_its, f"the header's number is {header.number}, the statement's {proof.statement.number}")
    return header


def _check_entry(proof: ProofFile, rule: int, facts: Facts) -> None:
    if proof.entry is None:
        return
    ledgers.check_rule(rule)
    shown = proof.entry.check(proof.statement.subject, facts.header)
    facts.transactions_root, facts.receipts_root = shown.transactions_root, shown.receipts_root
    facts.transaction, facts.receipt = shown.transaction, shown.receipt
    facts.event, facts.tx_count = shown.event, shown.tx_count
    chain_id, number = proof.statement.chain_id, proof.statement.number
    facts.block_bound = proof.entry.shows_block(chain_id, number, facts.network)


def _check_twig(proof: ProofFile, facts: Facts) -> None:
    if proof.twig is None or proof.block_hash is None:
        return
    number = proof.statement.number
    leaf = keccak256(b"\x00" + _chain_bytes(proof.statement) + number.to_bytes(8, "big") + proof.block_hash)
    slot = number % TWIG_BLOCKS
    _same("the twig root", perfect_root(leaf, slot, proof.twig.siblings), proof.twig.root)
    facts.twig = TwigFacts(number // TWIG_BLOCKS, slot, proof.twig.root)
    facts.level = 3


def _place_sealed(proof: ProofFile, sealed: SealedPart, facts: Facts) -> Tuple[int, bytes]:
    """Slot in the SuperRoot and its value."""
    if facts.twig is None:
        raise Refused("there is no twig")
    _within("leaf count", sealed.leaf_count)
    twig = facts.twig.index.to_bytes(8, "big") + facts.twig.root
    leaf = keccak256(b"\x02" + _chain_bytes(proof.statement) + twig)
    root = range_root(leaf, sealed.leaf_index, sealed.leaf_count, sealed.siblings, node)
    family = proof.statement.family
    got = keccak256(b"\x03" + bytes([family]) + sealed.leaf_count.to_bytes(8, "big") + root)
    _same("the Mini-MMR root", got, sealed.root)
    facts.place = PlaceFacts(True, sealed.leaf_index, sealed.leaf_count, got)
    facts.level = 4
    return family, got


def _place_open(proof: ProofFile, reference: OpenPart, opened: Optional[Profile], facts: Facts) -> Tuple[int, bytes]:
    """Slot in the SuperRoot and its value."""
    if facts.twig is None or opened is None or proof.super_root is None:
        raise Refused("there is no twig or no profile")
    number = proof.statement.number
    _within("reference number", reference.number)
    is_open = facts.twig.index == (reference.number + 1) // TWIG_BLOCKS
    need(
        reference.start <= number <= reference.number and is_open,
        f"block {number} is not in the open twig of the run {reference.start} to {reference.number}",
    )
    may_start = opened.may_start_at(reference.start)
    need(may_start, "the run's start is neither a multiple of 2,048 nor the ledger's first number")
    is_other = number != reference.number or reference.block_hash == proof.block_hash
    need(is_other, "the run's last block has another hash than the proof's block of that number")
    run = reference.start.to_bytes(8, "big") + reference.number.to_bytes(8, "big")
    value = keccak256(b"\x04" + _chain_bytes(proof.statement) + run + reference.block_hash + facts.twig.root)
    row = proof.super_root.registry.row
    facts.place = PlaceFacts(False, row=row, start=reference.start, number=reference.number)
    return _FIRST_REFERENCE_SLOT + row, value


def read_preimage(preimage: bytes) -> SuperRoot:
    """SuperRoot of ``07 ‖ 05 ‖ log_id ‖ sequence ‖ timestamp ‖ tree_root``."""
    need(len(preimage) == 82 and preimage[0] == 0x07, "a SuperRoot preimage has 82 bytes and begins with 07")
    need(preimage[1] == 5, f"SuperRoot version {preimage[1]}, this verifier knows version 5 only")
    reader = Reader(preimage)
    reader.take(2)
    own_log_id, sequence, timestamp = reader.hash(), reader.u64(), reader.u64()
    return SuperRoot(keccak256(preimage), own_log_id, sequence, timestamp, reader.hash())


def _check_opening(opening: RegistryOpening, tree_root: bytes) -> None:
    need(opening.row < opening.count <= ROWS_MAX, "no registry has such a row")
    registry = perfect_root(keccak256(opening.profile), opening.row, opening.row_siblings)
    root = keccak256(b"\x06" + opening.count.to_bytes(2, "big") + registry)
    got = perfect_root(root, _REGISTRY_SLOT, opening.siblings)
    _same("the SuperRoot's tree root over the registry", got, tree_root)


def _check_super_root(part: SuperRootPart, own_log_id: bytes, slot: int, value: bytes, facts: Facts) -> None:
    super_root = read_preimage(part.preimage)
    _within("sequence", super_root.sequence)
    _within("timestamp", super_root.timestamp)
    _same("the log id of the origin", own_log_id, super_root.log_id)
    _same("the SuperRoot's tree root", perfect_root(value, slot, part.siblings), super_root.tree_root)
    _check_opening(part.registry, super_root.tree_root)
    facts.super_root = super_root
    facts.level = 5
    if part.note is not None:
        facts.note = _check_note(part.note, part.preimage, super_root.sequence, facts.origin)


def _check_note(part: NotePath, preimage: bytes, sequence: int, origin: str) -> ShownNote:
    """The note is of this log, and its log includes the SuperRoot. Its signatures are judged at the anchor."""
    try:
        note = Note.parse(part.note)
        checkpoint = Checkpoint.parse(note.text)
    except NoteError as error:
        raise Refused(error.reason) from None
    need(checkpoint.origin == origin, f"the note is of {checkpoint.origin!r}, expected {origin!r}")
    _within("size of the note", checkpoint.size)
    need(checkpoint.size > sequence, f"the note of size {checkpoint.size} does not hold SuperRoot {sequence}")
    leaf = sha256_of(b"\x00" + preimage)
    root = range_root(leaf, sequence, checkpoint.size, part.siblings, sha256_node)
    _same("the root of the note's log", root, checkpoint.root)
    return ShownNote(note, checkpoint)


def check_levels(proof: ProofFile, chains: Optional[Chains] = None) -> Facts:
    """Checks a proof up to its own level, and judges no anchor.

    Raises :class:`ProofError`; its ``step`` is the first that fails.
    """
    with at("statement"):
        own_log_id, rule, known, opened = _check_statement(proof, CHAINS if chains is None else chains)
    statement = proof.statement
    name = known.name or known.caip2
    facts = Facts(statement, proof.origin, network_of(proof.origin), name, rule, finality=proof.finality)
    facts.number_bound = binds_number(rule)
    facts.index_bound = statement.binds_tx_index or statement.family == 3
    with at("block"):
        facts.header = _check_header(proof, rule)
    if facts.header is not None:
        facts.level = 2
        facts.transactions_root, facts.receipts_root = facts.header.transactions_root, facts.header.receipts_root
    with at("entry"):
        _check_entry(proof, rule, facts)
    if facts.header is not None:
        with at("block"):
            ledgers.check_chain(rule, facts.header, known.caip2)
    with at("twig"):
        _check_twig(proof, facts)
    slot, value = 0, b""
    if isinstance(proof.place, SealedPart):
        with at("mini_mmr"):
            slot, value = _place_sealed(proof, proof.place, facts)
    elif isinstance(proof.place, OpenPart):
        with at("super_root"):
            slot, value = _place_open(proof, proof.place, opened, facts)
    if proof.super_root is not None:
        with at("super_root"):
            _check_super_root(proof.super_root, own_log_id, slot, value, facts)
    return facts


def check_anchored(facts: Facts, trusted: bytes) -> None:
    """Raises :class:`ProofError` with the step ``anchor`` unless the SuperRoot has the trusted hash."""
    if facts.super_root is None:
        raise ProofError("anchor", "the proof ends below level 5 and leads to no SuperRoot")
    if facts.super_root.hash != trusted:
        got, expected = facts.super_root.hash.hex(), trusted.hex()
        raise ProofError("anchor", f"the SuperRoot is 0x{got}, expected 0x{expected}")
