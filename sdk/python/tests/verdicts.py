"""Verdicts on many proofs, to compare with another verifier.

Reads JSON lines ``{"proof": base64, "trusted": "0x.."}`` on standard input and writes one line each:
``{"step": null}`` for a true proof, ``{"step": "<step>"}`` for a refused one, ``{"step": "panic: .."}`` where anything
but ProofError comes out.

    python sdk/python/tests/verdicts.py < proofs.jsonl > verdicts.jsonl
"""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path
from typing import Optional

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from superroot import ProofError, read_proof  # noqa: E402
from superroot.verifier import check_anchored, check_levels  # noqa: E402


def verdict(line: str) -> Optional[str]:
    """Step of one line; raises for a line that is no question."""
    asked = json.loads(line)
    data = base64.b64decode(asked["proof"], validate=True)
    trusted = bytes.fromhex(asked["trusted"][2:])
    try:
        check_anchored(check_levels(read_proof(data)), trusted)
    except ProofError as error:
        return error.step
    except Exception as error:  # what must not happen is what this program looks for
        return f"panic: {type(error).__name__}: {error}"
    return None


def main() -> None:
    for line in sys.stdin:
        if line.strip():
            print(json.dumps({"step": verdict(line)}))


if __name__ == "__main__":
    main()
