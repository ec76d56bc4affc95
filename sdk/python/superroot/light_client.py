"""Sets of signers that ``superroot trust light-client pin`` keeps beside ``trust.toml``, one file a chain. They are read here,
and written by the command line alone.

    "SRTRUST" ‖ 01 ‖ family:u8 ‖ chain_id:u64 ‖ kind:u8 ‖ pinned_at:u64 ‖ pin:32 ‖ id:32 ‖ length:u32 ‖ set
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Dict, Optional

from ._bytes import Reader
from .errors import Refused, need
from .statement import Profile
from .store import TrustStoreError

#: Largest file of a set, and of the ids of the sets that were passed since its pin (at most 12,000).
SET_FILE_BYTES_MAX, PASSED_BYTES_MAX = 1 << 20, 2 << 20
_FOLDER = "light-clients"
_MAGIC = b"SRTRUST\x01"


@dataclass(frozen=True)
class PinnedSigners:
    """A set as it is in a file: nothing of it is checked before ``read_set``.

    ``kind``: its byte in evidence. ``pin``: id that somebody pinned, at ``pinned_at`` in seconds since 1970; checked steps
    led from there to the set with ``set_id``.
    """

    kind: int
    pinned_at: int
    pin: bytes
    set_id: bytes
    set_bytes: bytes


def folder_beside(trust_store: str) -> str:
    """Folder of the sets beside a trust store's file."""
    return os.path.join(os.path.dirname(trust_store), _FOLDER)


def _path(folder: str, chain: Profile, network: str, ending: str) -> str:
    # recorded blocks are those of the live chain
    name = "simulated" if network == "simulated" else "live"
    return os.path.join(folder, f"{name}-{chain.words[0]}.{ending}")


def _read_file(path: str, most: int) -> Optional[bytes]:
    """``None`` where there is no such file. Raises :class:`TrustStoreError`."""
    try:
        with open(path, "rb") as file:
            data = file.read(most + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise TrustStoreError(f"{path}: {error}") from None
    if len(data) > most:
        raise TrustStoreError(f"{path}: larger than {most} bytes")
    return data


def _decode(data: bytes, chain: Profile) -> PinnedSigners:
    reader = Reader(data)
    need(reader.take(len(_MAGIC)) == _MAGIC, "another format")
    need((reader.u8(), reader.u64()) == (chain.family, chain.chain_id), "another chain's set")
    kind, pinned_at, pin, set_id = reader.u8(), reader.u64(), reader.hash(), reader.hash()
    set_bytes = reader.long()
    reader.finish("set")
    return PinnedSigners(kind, pinned_at, pin, set_id, set_bytes)


def read_pinned(folder: str, chain: Profile, network: str) -> Optional[PinnedSigners]:
    """The pinned set of a chain, not checked yet; ``None`` where nobody pinned one. Raises :class:`TrustStoreError`."""
    path = _path(folder, chain, network, "set")
    data = _read_file(path, SET_FILE_BYTES_MAX)
    if data is None:
        return None
    try:
        return _decode(data, chain)
    except Refused:
        raise TrustStoreError(f"{path} holds no trusted set of signers") from None


def read_passed(folder: str, chain: Profile, network: str) -> Dict[int, bytes]:
    """Ids of the sets from the pin on, by number. Raises :class:`TrustStoreError`."""
    path = _path(folder, chain, network, "passed")
    data = _read_file(path, PASSED_BYTES_MAX)
    passed: Dict[int, bytes] = {}
    for line in (data or b"").splitlines():
        number, _, text = line.partition(b" ")
        is_row = number.isdigit() and len(number) <= 20 and text.startswith(b"0x") and len(text) == 66
        try:
            passed[int(number)] = bytes.fromhex(text[2:].decode("ascii") if is_row else "?")
        except ValueError:
            raise TrustStoreError(f"{path} holds no ids of sets of signers") from None
    return passed
