"""A proof in JSON: docs/protocol/files.md, "A proof in JSON". Its parts are read and checked, the answer is rendered
again from what they show, and every member is compared (docs/decisions/0004-json-verified-by-rendering.md)."""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Dict, List, Optional, Tuple, Union

from .._bytes import Reader
from .._member import MISSING, Limits, Member, compare, has_name, hexed, parse_json
from ..errors import at, need
from ..facts import Facts
from ..file import (
    FILE_BYTES_MAX,
    NOTE_BYTES_MAX,
    SUPER_ROOT_HEIGHT,
    TWIG_HEIGHT,
    NotePath,
    OpenPart,
    ProofFile,
    RegistryOpening,
    SealedPart,
    SuperRootPart,
    TwigPart,
    read_part,
)
from ..finality import FinalityEvidence, read_finality
from ..statement import ABSENCE, BLOCK, EVENT, TRANSACTION, Chains, Statement, Subject
from ..trust import Trust
from ..verifier import check_levels
from ._ledgers import FORMS, roots
from ._spelling import hex_list, null_hex, shown_hex

_RANGE_PATH_MAX = 64
_Json = Dict[str, Any]
#: JSON as bytes, or as ``json.loads`` made it (in which of members named twice the last is left).
Body = Union[bytes, Dict[str, Any]]

_LIMITS = Limits(
    # names of proven members: no answer has one of them without proof
    reserved=tuple(
        "block blockHash blockHeader blockNumber blockReference chainId family l1Superroot l2ChainHeader "
        "l3SuperrootProof l4BlockProof l5ChainEvent logId miniMmr network note numberBound origin proofBlob proofFormat "
        "proofKind proofLevel registry sequence siblings superRoot superRootHash superroot superrootHash treeRoot twig "
        "blockBound bloom coinbase effects encodedBlock event eventSiblings explorerHash explorerTransactionHash "
        "hashBefore header indexBound lastTransaction peaks rawContents rawEffects rawEvent rawEvents rawReceipt "
        "rawTransaction receipt receiptRoot receiptSiblings receiptsRoot signatureCount signatureIndex "
        "signatureSiblings stateRoot tailHashes transaction transactionCount transactionDigest transactionHash "
        "transactionIndex transactionInfo transactionSignature transactionsRoot txHash txid version".split()
    ),
    # objects of proven members alone
    closed=tuple(
        "blockReference miniMmr note registry superRoot twig bloom coinbase effects event header lastTransaction receipt "
        "transaction".split()
    ),
    free=("logIndexInBlock",),
    free_in_lists=("receipt.logs.transactionHash",),
)
#: Members that are only claimed where the proof does not show the position.
_CLAIMED_WITH_INDEX = ("transactionIndex", "signatureCount")
_FINALITY = ("finality_proof", "finalityProof")


@dataclass(frozen=True)
class AnswerFacts:
    """What a proof in JSON shows. ``unproven``: paths of members that no hash shows; what they say is the service's
    word."""

    facts: Facts
    unproven: List[str]


def shape_of(body: Any) -> Optional[str]:
    """``v5``, ``kv``, ``lambda`` or ``blob``; ``None`` where a body holds no proof."""
    if not isinstance(body, dict):
        return None
    if "proof_blob" in body:
        return "blob"
    if "chainId" in body:
        return "v5"
    if "chain_id" not in body:
        return None
    return "lambda" if "transactions_root" in body else "kv"


def _read_subject(root: Member) -> Subject:
    kind = root.get("proofKind").text()
    if kind not in (BLOCK, TRANSACTION, EVENT, ABSENCE):
        raise root.get("proofKind").wrong("block, transaction, event or absence")
    if kind == BLOCK:
        return Subject(BLOCK)
    log_index = root.get("event").get("logIndex").position() if kind == EVENT else None
    return Subject(kind, root.get("transactionIndex").position(), log_index)


def _read_note(members: Member) -> Optional[NotePath]:
    note = members.optional("note")
    if note is None:
        return None
    text = note.get("text").text()
    need(len(text.encode("utf-8", "surrogatepass")) <= NOTE_BYTES_MAX, "a note of more than 64 KiB")
    return NotePath(text, note.get("siblings").hashes(_RANGE_PATH_MAX))


def _read_super_root(members: Member, super_root: Member) -> SuperRootPart:
    registry = members.get("registry")
    opening = RegistryOpening(
        registry.get("profile").raw(),
        registry.get("row").integer(255),
        registry.get("count").integer(255),
        registry.get("siblings").path_of(SUPER_ROOT_HEIGHT),
        registry.get("superRootSiblings").path_of(SUPER_ROOT_HEIGHT),
    )
    siblings = members.get("siblings").path_of(SUPER_ROOT_HEIGHT)
    return SuperRootPart(siblings, super_root.get("preimage").raw(), opening, _read_note(members))


def _read_place(members: Member) -> Tuple[Union[SealedPart, OpenPart, None], Optional[SuperRootPart]]:
    sealed, reference = members.optional("miniMmr"), members.optional("blockReference")
    if sealed is not None:
        if reference is not None:
            raise reference.wrong("nothing besides a Mini-MMR: a twig has one place")
        index, count = sealed.get("leafIndex").integer(), sealed.get("leafCount").integer()
        part = SealedPart(index, count, sealed.get("siblings").hashes(_RANGE_PATH_MAX), sealed.get("root").hash())
        super_root = members.optional("superRoot")
        return part, None if super_root is None else _read_super_root(members, super_root)
    if reference is None:
        return None, None
    start, number = reference.get("start").integer(), reference.get("number").integer()
    place = OpenPart(start, number, reference.get("hash").hash())
    return place, _read_super_root(members, members.get("superRoot"))


def _byte_count(part: Any) -> int:
    """Bytes in all parts."""
    if isinstance(part, bytes):
        return len(part)
    if isinstance(part, (list, tuple)):
        return sum(_byte_count(one) for one in part)
    if is_dataclass(part) and not isinstance(part, type):
        return sum(_byte_count(getattr(part, field.name)) for field in fields(part))
    return 0


def _read_proof(root: Member) -> ProofFile:
    """The parts of a proof; members that follow from them are compared later."""
    subject = _read_subject(root)
    statement = Statement(root.family(), root.get("chainId").integer(), root.get("blockNumber").integer(), subject)
    is_block = subject.kind == BLOCK
    entry = None if is_block else FORMS[statement.family].parse(root, subject)
    origin = root.get("origin").text()
    block = root if is_block else root.optional("block")
    header = None if block is None else block.optional("blockHeader")
    proof = ProofFile(origin, statement, entry, None, None, None, None, None, None)
    if block is not None and header is not None:
        raw, block_hash = header.raw(), block.get("blockHash").hash()
        twig = block.optional("twig")
        path, place, super_root = None, None, None
        if twig is not None:
            path = TwigPart(twig.get("siblings").path_of(TWIG_HEIGHT), twig.get("root").hash())
            place, super_root = _read_place(block)
        proof = ProofFile(origin, statement, entry, raw, block_hash, path, place, super_root, None)
    need(_byte_count(proof) <= FILE_BYTES_MAX, "the proof is too large")
    return proof


def _read_blob(root: Member) -> Tuple[ProofFile, bytes]:
    """A file in JSON; it has no finality in it."""
    data = root.get("proofBlob").raw()
    proof = read_part(data)
    need(data[7] == 1, "a proof file of another format")
    return proof, data


def _statement(facts: Facts, kind: str) -> _Json:
    statement = facts.statement
    return {
        "proofKind": kind, "chainId": statement.chain_id, "family": statement.family_name, "origin": facts.origin,
        "network": facts.network, "proofLevel": facts.level, "blockNumber": statement.number,
    }


def _render_place(proof: ProofFile, facts: Facts) -> _Json:
    family, place = facts.statement.family_name, proof.place
    if isinstance(place, SealedPart):
        mini_mmr = {
            "family": family, "leafIndex": place.leaf_index, "leafCount": place.leaf_count,
            "siblings": hex_list(place.siblings), "root": hexed(place.root),
        }
        return {"miniMmr": mini_mmr}
    if place is None or facts.twig is None:
        return {}
    reference = {
        "chainId": facts.statement.chain_id, "family": family, "start": place.start, "number": place.number,
        "hash": hexed(place.block_hash), "openTwigIndex": facts.twig.index, "openTwigRoot": hexed(facts.twig.root),
    }
    return {"blockReference": reference}


def _render_super_root(proof: ProofFile, facts: Facts) -> _Json:
    part, root = proof.super_root, facts.super_root
    if part is None or root is None:
        return {}
    opening = part.registry
    siblings = hex_list(part.siblings)
    members: _Json = {
        "superRoot": {
            "version": 5, "logId": hexed(root.log_id), "sequence": root.sequence, "timestamp": root.timestamp,
            "treeRoot": hexed(root.tree_root),
            "index": 9 + opening.row if isinstance(proof.place, OpenPart) else facts.statement.family,
            "preimage": hexed(part.preimage), "siblings": siblings,
        },
        "superRootHash": hexed(root.hash),
        "siblings": siblings,
        "registry": {
            "profile": hexed(opening.profile), "row": opening.row, "count": opening.count,
            "siblings": hex_list(opening.row_siblings), "superRootSiblings": hex_list(opening.siblings),
        },
    }
    if part.note is not None and facts.note is not None:
        path = hex_list(part.note.siblings)
        members["note"] = {"text": part.note.note, "size": facts.note.checkpoint.size, "siblings": path}
    return members


def _render_levels(proof: ProofFile, facts: Facts) -> _Json:
    """Levels 2 to 5."""
    if proof.header is None or facts.header is None:
        return {}
    members: _Json = {
        "numberBound": facts.number_bound, "blockHash": hexed(facts.header.block_hash),
        "blockHeader": hexed(proof.header), "header": FORMS[facts.statement.family].header(facts.header),
    }
    if proof.twig is not None and facts.twig is not None:
        members["twig"] = {
            "index": facts.twig.index, "slot": facts.twig.slot, "siblings": hex_list(proof.twig.siblings),
            "root": hexed(facts.twig.root),
        }
    return {**members, **_render_place(proof, facts), **_render_super_root(proof, facts)}


def _render_file(proof: ProofFile, facts: Facts, data: bytes) -> _Json:
    """The portable form: the file, and its layers."""
    leaf = None if facts.transaction is None else facts.transaction.raw
    if facts.log is not None and facts.receipt is not None:
        leaf = facts.receipt["raw"]
    part = proof.super_root
    path = [] if proof.twig is None else list(proof.twig.siblings)
    if isinstance(proof.place, SealedPart):
        path += proof.place.siblings
    return {
        **_statement(facts, facts.statement.subject.kind),
        "blockHash": null_hex(facts.block_hash),
        "superRootHash": null_hex(None if facts.super_root is None else facts.super_root.hash),
        "proofBlob": hexed(data), "proofFormat": "srproof/1",
        "l1Superroot": null_hex(None if part is None else part.preimage), "l2ChainHeader": null_hex(proof.header),
        "l3SuperrootProof": hex_list([] if part is None else part.siblings), "l4BlockProof": hex_list(path),
        "l5ChainEvent": null_hex(leaf),
    }


def _render_entry(proof: ProofFile, facts: Facts, block: _Json) -> _Json:
    form, subject = FORMS[facts.statement.family], facts.statement.subject
    members: _Json = {
        **_statement(facts, subject.kind),
        "block": MISSING if facts.header is None else block,
        "transactionIndex": subject.tx_index,
        "superRootHash": shown_hex(None if facts.super_root is None else facts.super_root.hash),
        **form.entry(proof.entry, facts),
    }
    if subject.kind == EVENT:
        members.update(form.event(proof.entry, facts))
    if form.no_receipts is not None:
        members.update(receiptRoot=None, receiptRootReason=form.no_receipts)
    return members


def render_answer(proof: ProofFile, facts: Facts, shape: str = "v5") -> _Json:
    """The answer of a route for a proof that was checked, without what the service says besides. Names are in
    ``camelCase``; a member whose value is ``MISSING`` is none."""
    block = {**_statement(facts, BLOCK), **_render_levels(proof, facts)}
    if shape == "lambda":
        transactions_root, receipts_root = roots(facts.header)
        of_header = {"transactionsRoot": null_hex(transactions_root), "receiptsRoot": null_hex(receipts_root)}
        return {**block, "header": MISSING, **of_header}
    if shape == "kv" or facts.statement.subject.kind == BLOCK:
        return block
    return _render_entry(proof, facts, block)


def _unhashed(body: _Json, facts: Facts) -> List[str]:
    """Paths of compared members that no hash shows."""
    unhashed: List[str] = []
    if facts.tx_count is None:
        unhashed += [name for name in body if has_name(("transactionCount",), name)]
    if facts.statement.subject.kind != BLOCK and not facts.statement.binds_tx_index:
        unhashed += [name for name in body if has_name(_CLAIMED_WITH_INDEX, name)]
    if "event" in body:
        unhashed += FORMS[facts.statement.family].unshown_of_events
    return unhashed


def _finality(body: _Json) -> Optional[FinalityEvidence]:
    """Evidence that is read with its bounds, and not checked yet."""
    name = next((one for one in _FINALITY if one in body), None)
    if name is None:
        return None
    value = body[name]
    digits = value[2:] if isinstance(value, str) and value.startswith("0x") else value
    reader = Reader(Member(f"0x{digits}" if isinstance(digits, str) else None, True, name).raw())
    evidence = read_finality(reader)
    reader.finish("finality")
    return evidence


def check_answer(body: Any, chains: Optional[Chains] = None) -> AnswerFacts:
    """Checks a proof in JSON, as :func:`parse_json` made it, up to its own level, and judges no anchor. Below level 5
    nothing can be trusted, and no member is compared.

    Raises :class:`ProofError`: ``encoding`` where no proof is read, a step of the proof, or ``body`` where a member
    contradicts it.
    """
    shape = shape_of(body)
    data: Optional[bytes] = None
    with at("encoding"):
        need(shape is not None, "member chain_id, chainId or proof_blob is missing")
        root = Member(body, shape != "v5")
        if shape == "blob":
            proof, data = _read_blob(root)
        else:
            proof = _read_proof(root)
    facts = check_levels(proof, chains)
    if facts.super_root is None:
        return AnswerFacts(facts, [])
    with at("body"):
        rendered = _render_file(proof, facts, data) if data is not None else render_answer(proof, facts, shape or "")
        root_of = facts.super_root
        rendered["v5Anchor"] = {
            "version": 5, "sequence": root_of.sequence, "superRootHash": hexed(root_of.hash),
            "timestamp": root_of.timestamp, "chainId": facts.statement.chain_id,
        }
        unproven = compare(body, rendered, _LIMITS)
    with at("encoding"):
        facts.finality = _finality(body)
    named = [path for path in unproven if path not in _FINALITY] + _unhashed(body, facts)
    return AnswerFacts(facts, list(dict.fromkeys(named)))


def parsed(body: Body) -> Any:
    """The value of a body. Raises :class:`ProofError` with the step ``encoding``."""
    with at("encoding"):
        return parse_json(body) if isinstance(body, (bytes, bytearray)) else body


def verify_answer(body: Body, trust: Trust, chains: Optional[Chains] = None) -> AnswerFacts:
    """Checks a proof in JSON up to a SuperRoot that the client trusts. Raises :class:`ProofError`, see
    :func:`check_answer`."""
    shown = check_answer(parsed(body), chains)
    shown.facts.anchor = trust.judge(shown.facts)
    return shown
