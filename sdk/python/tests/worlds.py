"""A signed log over a valid proof, made in the test: keys, notes, trust stores and files of format 02."""

from __future__ import annotations

import base64
from hashlib import sha256
from pathlib import Path
from typing import Dict, List, Optional, Tuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from superroot import read_proof
from superroot._hash import keccak256
from vectors import rows

_STORE_LINE = "# superroot trust store; sha256 of the lines below: 0x"


class Signer:
    """A key of a log (kind 1) or of a witness (kind 4)."""

    def __init__(self, name: str, kind: int = 1, seed: int = 1) -> None:
        self.name = name
        self._kind = kind
        self._private = Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32)
        raw = bytes([kind]) + self._private.public_key().public_bytes_raw()
        self._id = sha256(name.encode() + b"\n" + raw).digest()[:4]
        self.vkey = f"{name}+{self._id.hex()}+{base64.b64encode(raw).decode()}"

    def line(self, text: str, time: int = 1_700_000_000) -> str:
        """Signature line under the text."""
        stamp = b""
        message = text
        if self._kind == 4:
            stamp, message = time.to_bytes(8, "big"), f"cosignature/v1\ntime {time}\n{text}"
        signature = stamp + self._private.sign(message.encode())
        return f"\u2014 {self.name} {base64.b64encode(self._id + signature).decode()}\n"


def head_end(data: bytes) -> int:
    """Where the statement's check begins."""
    at = 8 + 1 + data[8]
    return at + 17 + {0: 1, 1: 5, 2: 9, 3: 5}[data[at + 17]]


def proof() -> Tuple[bytes, str, bytes]:
    """A valid proof without note, its origin and the SuperRoot's hash."""
    row = rows("valid/ledgers.json")[0]
    data = bytes.fromhex(row["proof"])
    read = read_proof(data)
    if read.super_root is None or read.super_root.note is not None:
        raise ValueError("the proof is no longer one without note")
    return data, read.origin, bytes.fromhex(row["trusted"][2:])


def checkpoint_text(origin: str, size: int, root: bytes) -> str:
    return f"{origin}\n{size}\n{base64.b64encode(root).decode()}\n"


def with_note(data: bytes, note: str, path: List[bytes]) -> bytes:
    """The proof with a note behind its SuperRoot."""
    at = head_end(data) + 4
    raw = note.encode()
    part = len(raw).to_bytes(4, "big") + raw + bytes([len(path)]) + b"".join(path)
    return data[:at] + bytes([data[at] | 0x80]) + data[at + 1 :] + part


def noted(signers: List[Signer], origin: Optional[str] = None) -> bytes:
    """The proof with a note of the log that ends in its SuperRoot; entries before it are synthetic."""
    data, own, _ = proof()
    read = read_proof(data)
    if read.super_root is None:
        raise ValueError("no SuperRoot")
    sequence = int.from_bytes(read.super_root.preimage[34:42], "big")
    leaf = sha256(b"\x00" + read.super_root.preimage).digest()
    # the last of sequence + 1 leaves: one sibling for each perfect subtree on its left
    path = [bytes([height]) * 32 for height in range(64) if sequence >> height & 1]
    root = leaf
    for sibling in path:
        root = sha256(b"\x01" + sibling + root).digest()
    text = checkpoint_text(origin or own, sequence + 1, root)
    note = text + "\n" + "".join(signer.line(text) for signer in signers)
    return with_note(data, note, path)


def with_finality(data: bytes, finality: bytes) -> bytes:
    """The proof as a file of format 02."""
    end = head_end(data)
    head = data[:7] + b"\x02" + data[8:end]
    return head + keccak256(head)[:4] + data[end + 4 : end + 5] + b"\x01" + data[end + 5 :] + finality


def store(path: Path, rest: str) -> str:
    """Writes a trust store with its checksum."""
    path.write_text(f"{_STORE_LINE}{sha256(rest.encode()).hexdigest()}\n{rest}", encoding="utf-8")
    return str(path)


def log_rows(origin: str, key: Optional[str] = None, pins: Optional[Dict[int, bytes]] = None, more: str = "") -> str:
    """A log in the store's form."""
    lines = ["[[log]]", f'origin = "{origin}"']
    lines += [] if key is None else [f'key = "{key}"']
    lines += [more] if more else []
    for sequence, hashed in (pins or {}).items():
        lines += ["", "[[log.pin]]", f"sequence = {sequence}", f'super_root_hash = "0x{hashed.hex()}"']
    return "\n".join(lines) + "\n"
