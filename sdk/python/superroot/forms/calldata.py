"""A proof in the form for contracts: docs/calldata.md. What can be computed is left out of it; here it is put back, and
the whole is checked as any proof."""

from __future__ import annotations

from typing import Callable, List, NamedTuple, Optional, Tuple, Union

from .._bytes import Reader
from .._hash import keccak256, node, sha256d
from .._member import is_hex
from .._trees import EMPTY, pair_path_length, perfect_root, range_path_length, range_root
from ..errors import Refused, at, need
from ..facts import Facts
from ..file import (
    FILE_BYTES_MAX,
    TWIG_HEIGHT,
    OpenPart,
    ProofFile,
    RegistryOpening,
    SealedPart,
    SuperRootPart,
    TwigPart,
)
from ..ledgers import Entry, read_header
from ..ledgers._rlp import index_key, nibbles
from ..ledgers.bitcoin import TX_COUNT_MAX, Branch, BranchEntry
from ..ledgers.evm import TrieEntry
from ..statement import (
    BITCOIN,
    BLOCK,
    CHAINS,
    EVENT,
    EVM,
    ROWS_MAX,
    TRANSACTION,
    TWIG_BLOCKS,
    WITHDRAWN,
    Chains,
    Profile,
    Statement,
    Subject,
    log_id,
    read_profile,
)
from ..trust import Trust, TrustedKey
from ..verifier import check_levels
from ._rlp import list_rlp, string_rlp

_LEAF_BYTES_MIN = 56
_LEVELS_MAX = 18
_OPEN = 4
_REGISTRY_SLOT = 55
_FIRST_REFERENCE_SLOT = 9
_SUPER_ROOT_HEIGHT = 6
_BITCOIN = 21_000_000
_KINDS = (BLOCK, TRANSACTION, EVENT)


def calldata_of(data: bytes) -> Optional[bytes]:
    """The bytes of the form, from bytes or from hex as ``superroot prove --calldata`` writes it; ``None`` for anything
    else."""
    if data[:1] in (b"\x01", b"\x02"):
        return data
    if not data[:256].lstrip().startswith((b"0x01", b"0x02")):
        return None
    digits = data.strip()[2:].decode("latin-1")
    return bytes.fromhex(digits) if is_hex(digits) else None


def _u24(reader: Reader) -> int:
    return int.from_bytes(reader.take(3), "big")


def _read_profile(reader: Reader, family: int) -> Tuple[Profile, bytes]:
    """The profile, and its bytes as the registry has them."""
    chain_id = reader.u64()
    name = f"eip155:{chain_id}"
    if family == BITCOIN:
        need(chain_id == _BITCOIN, "the chain has no form for contracts")
        name = CHAINS[BITCOIN, _BITCOIN].caip2
    count = reader.u8()
    rules = reader.take(10 * count)
    head = b"\x08" + bytes([family]) + chain_id.to_bytes(8, "big")
    raw = head + bytes([len(name)]) + name.encode("ascii") + bytes([count]) + rules
    return read_profile(raw), raw


def _read_subject(reader: Reader, code: int) -> Subject:
    need(code < len(_KINDS), "there is no such subject")
    if code == 0:
        return Subject(BLOCK)
    tx_index = reader.u32()
    return Subject(_KINDS[code], tx_index, reader.u32() if code == 2 else None)


def _packed(path: List[int], is_leaf: bool) -> bytes:
    """A path in hex-prefix form."""
    flag = 2 if is_leaf else 0
    whole = [flag + 1, *path] if len(path) % 2 else [flag, 0, *path]
    return bytes(whole[at] << 4 | whole[at + 1] for at in range(0, len(whole), 2))


def _branch(reader: Reader, mask: int, own: int, below: bytes) -> bytes:
    """A branch above a node that hangs at the key's nibble."""
    need(not mask >> own & 1, "a mask names the key's own child")
    children = b""
    for at_nibble in range(16):
        if at_nibble == own:
            children += string_rlp(below)
        else:
            children += string_rlp(reader.hash()) if mask >> at_nibble & 1 else b"\x80"
    return list_rlp(children + b"\x80")


def _read_trie(reader: Reader, index: int) -> List[bytes]:
    """Nodes of a trie from the root down, put together from the leaf up."""
    leaf = reader.take(_u24(reader))
    need(len(leaf) >= _LEAF_BYTES_MIN, "a leaf is too short")
    key = nibbles(index_key(index))
    own, levels = reader.u8(), reader.u8()
    need(own <= len(key) and levels <= _LEVELS_MAX, "a path is too long")
    rest = len(key) - own
    nodes = [list_rlp(string_rlp(_packed(key[rest:], True)) + string_rlp(leaf))]
    for _ in range(levels):
        below = keccak256(nodes[0])
        mask = reader.u16()
        count = reader.u8() if mask == 0 else 1
        need(0 < count <= rest, "a path is too long")
        rest -= count
        if mask == 0:
            nodes.insert(0, list_rlp(string_rlp(_packed(key[rest : rest + count], False)) + string_rlp(below)))
        else:
            nodes.insert(0, _branch(reader, mask, key[rest], below))
    need(rest == 0, "a path is too short")
    return nodes


def _number_in(profile: Profile, header: bytes) -> int:
    """The number in a header, by the profile's rule that then is in force."""
    for _, code in profile.rules:
        if code >> 8 != EVM or code == WITHDRAWN:
            continue
        try:
            number = read_header(code, header).number
        except (Refused, KeyError):
            continue  # not of this layout
        if number is not None and profile.code_at(number) == code:
            return number
    raise Refused("the header is of no rule of the profile")


class _Block(NamedTuple):
    """Levels 1 and 2."""

    number: int
    subject: Subject
    entry: Optional[Entry]
    header: bytes
    block_hash: bytes


def _read_branches(reader: Reader, tx_index: int) -> BranchEntry:
    count = reader.u32()

    def branch(index: int) -> Branch:
        length = pair_path_length(index, count, TX_COUNT_MAX)
        return Branch(reader.take(_u24(reader)), reader.hashes(length))

    own = branch(tx_index)
    return BranchEntry(count, own, None if tx_index == 0 else branch(0))


def _read_bitcoin(reader: Reader, code: int) -> _Block:
    number = reader.u64()
    subject = _read_subject(reader, code)
    entry = None if subject.tx_index is None else _read_branches(reader, subject.tx_index)
    header = reader.take(80)
    return _Block(number, subject, entry, header, sha256d(header))


def _read_evm(reader: Reader, code: int, profile: Profile) -> _Block:
    subject = _read_subject(reader, code)
    entry: Optional[Entry] = None
    if subject.tx_index is not None:
        nodes = _read_trie(reader, subject.tx_index)
        entry = TrieEntry(None, nodes) if subject.kind == EVENT else TrieEntry(nodes, None)
    header = reader.take(reader.u16())
    return _Block(_number_in(profile, header), subject, entry, header, keccak256(header))


def _read_masked(reader: Reader, heights: List[int]) -> List[bytes]:
    """Siblings, those of empty trees left out."""
    mask = reader.u16()
    need(mask >> len(heights) == 0, "a mask names a sibling that is not there")
    siblings: List[bytes] = []
    for bit, height in enumerate(heights):
        if mask >> bit & 1:
            siblings.append(EMPTY[height])
            continue
        sibling = reader.hash()
        need(sibling != EMPTY[height], "an empty sibling is written")
        siblings.append(sibling)
    return siblings


def _join(own: bytes, sibling: bytes, place: int) -> bytes:
    return node(sibling, own) if place & 1 else node(own, sibling)


def _read_pair(reader: Reader, slot: int, value: bytes, registry: bytes) -> Tuple[List[bytes], List[bytes], bytes]:
    """The paths of a slot and of slot 55, which are shared where they have met; and the root."""
    heights: List[int] = []
    for height in range(_SUPER_ROOT_HEIGHT):
        one, other = slot >> height, _REGISTRY_SLOT >> height
        heights += [height] if one == other else [] if one ^ 1 == other else [height, height]
    given = iter(_read_masked(reader, heights))
    of_slot: List[bytes] = []
    of_registry: List[bytes] = []
    for height in range(_SUPER_ROOT_HEIGHT):
        one, other = slot >> height, _REGISTRY_SLOT >> height
        if one ^ 1 == other:
            first, second = registry, value
        else:
            first = next(given)
            second = first if one == other else next(given)
        of_slot.append(first)
        of_registry.append(second)
        value, registry = _join(value, first, one), _join(registry, second, other)
    return of_slot, of_registry, value


def _read_super_root(
    reader: Reader, profile: bytes, origin: str, place: Callable[[int], Tuple[int, bytes]]
) -> SuperRootPart:
    """``place`` gives the slot and its value, by the row."""
    times = reader.take(16)
    row, count = reader.u8(), reader.u8()
    need(row < count <= ROWS_MAX, "no registry has such a row")
    row_siblings = [
        reader.hash() if (row >> height ^ 1) << height < count else EMPTY[height] for height in range(_SUPER_ROOT_HEIGHT)
    ]
    registry = keccak256(b"\x06\x00" + bytes([count]) + perfect_root(keccak256(profile), row, row_siblings))
    slot, value = place(row)
    of_slot, of_registry, tree_root = _read_pair(reader, slot, value, registry)
    preimage = b"\x07\x05" + log_id(origin) + times + tree_root
    return SuperRootPart(of_slot, preimage, RegistryOpening(profile, row, count, row_siblings, of_registry), None)


def _read_place(
    reader: Reader, is_open: bool, chain: bytes, number: int, twig_root: bytes
) -> Tuple[Union[SealedPart, OpenPart], Callable[[int], Tuple[int, bytes]]]:
    """Where the twig is; and its slot and value, by the row."""
    family = chain[0]
    if is_open:
        run = reader.take(16)
        block_hash = reader.hash()
        value = keccak256(b"\x04" + chain + run + block_hash + twig_root)
        start, last = int.from_bytes(run[:8], "big"), int.from_bytes(run[8:], "big")
        return OpenPart(start, last, block_hash), lambda row: (_FIRST_REFERENCE_SLOT + row, value)
    index, count = reader.u64(), reader.u64()
    path = reader.hashes(range_path_length(index, count))
    leaf = keccak256(b"\x02" + chain + (number // TWIG_BLOCKS).to_bytes(8, "big") + twig_root)
    inner = range_root(leaf, index, count, path, node)
    root = keccak256(b"\x03" + bytes([family]) + count.to_bytes(8, "big") + inner)
    return SealedPart(index, count, path, root), lambda row: (family, root)


def decode_calldata(data: bytes, origin: str) -> ProofFile:
    """Reads the form. It does not name its log: ``origin`` does. Raises :class:`ProofError` with the step ``form``."""
    with at("form"):
        need(len(data) <= FILE_BYTES_MAX, "the proof is too large")
        log_id(origin)
        reader = Reader(bytes(data))
        form, flags = reader.u8(), reader.u8()
        need(form in (1, 2), "there is no such form")
        family = EVM if form == 1 else BITCOIN
        profile, raw_profile = _read_profile(reader, family)
        code = flags & ~_OPEN
        block = _read_bitcoin(reader, code) if family == BITCOIN else _read_evm(reader, code, profile)
        siblings = _read_masked(reader, list(range(TWIG_HEIGHT)))
        chain = bytes([family]) + profile.chain_id.to_bytes(8, "big")
        leaf = keccak256(b"\x00" + chain + block.number.to_bytes(8, "big") + block.block_hash)
        twig = TwigPart(siblings, perfect_root(leaf, block.number % TWIG_BLOCKS, siblings))
        place, slot_of = _read_place(reader, bool(flags & _OPEN), chain, block.number, twig.root)
        super_root = _read_super_root(reader, raw_profile, origin, slot_of)
        reader.finish("proof")
        statement = Statement(family, profile.chain_id, block.number, block.subject)
        return ProofFile(
            origin, statement, block.entry, block.header, block.block_hash, twig, place, super_root, None
        )


def verify_calldata(
    data: bytes, trust: Trust, origin: Optional[str] = None, chains: Optional[Chains] = None
) -> Facts:
    """Checks a proof in the form for contracts, as bytes or as hex. ``origin`` names its log, by default that of a trusted
    key.

    Raises :class:`ProofError`: ``form``, or a step of the proof.
    """
    with at("form"):
        raw = calldata_of(data)
        if raw is None:
            raise Refused("there is no such form")
        named = trust.key.name if origin is None and isinstance(trust, TrustedKey) else origin
        if named is None:
            raise Refused("a proof for contracts does not name its log: name its origin")
    facts = check_levels(decode_calldata(raw, named), chains)
    facts.anchor = trust.judge(facts)
    return facts
