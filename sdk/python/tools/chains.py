"""Writes superroot/_chains.py from crates/chain/chains.toml; with --check, compares instead (exit code 1 if it differs).

    python sdk/python/tools/chains.py [--check]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HERE = Path(__file__).resolve().parent
TABLE = HERE.parents[2] / "crates" / "chain" / "chains.toml"
MODULE = HERE.parent / "superroot" / "_chains.py"
FAMILIES = ["evm", "bitcoin", "solana", "polkadot", "tron", "aptos", "sui", "icp", "cosmos"]

HEAD = '''"""Chains that this verifier knows. Written by tools/chains.py from crates/chain/chains.toml: do not edit."""

from __future__ import annotations

from typing import Tuple

#: (family, chain id, name, CAIP-2 name, rules as (first number, code), words that lead to the row)
Row = Tuple[int, int, str, str, Tuple[Tuple[int, int], ...], Tuple[str, ...]]

ROWS: Tuple[Row, ...] = (
'''


def text(words: str) -> str:
    """A Python string literal in double quotes."""
    return json.dumps(words, ensure_ascii=True)


def items(parts: list[str]) -> str:
    """A tuple literal."""
    return "(" + ", ".join(parts) + ("," if len(parts) == 1 else "") + ")"


def row(chain: dict[str, Any]) -> str:
    rules = items([f"({rule['from']}, 0x{rule['code']:04x})" for rule in chain["rules"]])
    words = items([text(str(word)) for word in [chain["slug"], *chain.get("aliases", [])]])
    family = FAMILIES.index(chain["family"])
    return f"    ({family}, {chain['id']}, {text(chain['name'])}, {text(chain['caip2'])}, {rules}, {words}),\n"


def render() -> str:
    with TABLE.open("rb") as file:
        chains = tomllib.load(file)["chain"]
    return HEAD + "".join(row(chain) for chain in chains) + ")\n"


def main() -> int:
    made = render()
    if "--check" in sys.argv[1:]:
        if MODULE.read_text(encoding="utf-8") == made:
            return 0
        print(f"{MODULE} is not what {TABLE} gives: run {sys.argv[0]}", file=sys.stderr)
        return 1
    MODULE.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
