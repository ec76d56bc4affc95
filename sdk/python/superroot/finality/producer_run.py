"""Headers of Tron in a row, each the child of the one before, with their signatures: docs/protocol/validators.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import List, Optional

from .._bytes import Reader
from .._hash import sha256_of
from .._secp256k1 import is_canonical, recover_signer
from ..errors import need
from ..ledgers.tron import read_header
from .verdict import bad_header, bad_signature, reading

_ADDRESS_BYTES = 20
_ADDRESS_MARK = 0x41
_SIGNATURE_BYTES = 65


@dataclass(frozen=True)
class RunBlock:
    """A header with a signature that is not checked yet. ``producer`` is ``None`` where it is no address."""

    block_hash: bytes
    parent_hash: bytes
    number: int
    timestamp_ms: int
    producer: Optional[bytes]
    digest: bytes
    signature: bytes

    @property
    def seconds(self) -> int:
        return self.timestamp_ms // 1_000


def _read_raw(reader: Reader, parent: Optional[RunBlock]) -> bytes:
    """The next raw header: whole at first, then without the parent's id at its first place."""
    if parent is None:
        return reader.take(reader.u16())
    place = reader.u8()
    rest = reader.take(reader.u16())
    need(place <= len(rest), "the parent is past the header's end")
    raw = rest[:place] + parent.block_hash + rest[place:]
    need(raw.find(parent.block_hash) == place, "the parent is not at its first place")
    return raw


def _producer_of(witness: bytes) -> Optional[bytes]:
    is_address = len(witness) == _ADDRESS_BYTES + 1 and witness[0] == _ADDRESS_MARK
    return witness[1:] if is_address else None


def _read_block(reader: Reader, parent: Optional[RunBlock]) -> RunBlock:
    raw = _read_raw(reader, parent)
    signature = reader.take(_SIGNATURE_BYTES)
    fields = read_header(0, raw).fields
    number: int = fields.get("number", 0)
    digest = sha256_of(raw)
    producer = _producer_of(fields.get("witness_address", b""))
    block_hash = number.to_bytes(8, "big") + digest[8:]
    time = fields.get("timestamp", 0)
    return RunBlock(block_hash, fields["parentHash"], number, time, producer, digest, signature)


def _check_child(block: RunBlock, parent: RunBlock) -> None:
    if parent.number + 1 != block.number:
        raise bad_header(block.number, "the number does not follow")
    if block.parent_hash != parent.block_hash:
        raise bad_header(block.number, "the parent is another")
    if block.timestamp_ms <= parent.timestamp_ms:
        raise bad_header(block.number, "the time does not rise")


def read_run(data: bytes, most: int) -> List[RunBlock]:
    """Up to ``most`` headers, each the child of the one before and later. Raises ``Refusal``."""
    reader = Reader(data)
    blocks: List[RunBlock] = []
    while not reader.is_empty():
        parent = blocks[-1] if blocks else None
        with reading("headers"):
            need(len(blocks) < most, f"more than {most} headers")
            block = _read_block(reader, parent)
        if parent is not None:
            _check_child(block, parent)
        if not is_canonical(block.signature):
            raise bad_signature()
        blocks.append(block)
    return blocks


def signer_of(block: RunBlock) -> bytes:
    """Address of the signing key. Raises ``Refusal``."""
    address = recover_signer(block.digest, block.signature)
    if address is None:
        raise bad_signature()
    return address
