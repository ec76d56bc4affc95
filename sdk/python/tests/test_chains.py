"""The table of chains is that of the repository."""

from __future__ import annotations

import subprocess
import sys
import unittest
from pathlib import Path

from superroot import CHAINS

TOOL = Path(__file__).resolve().parents[1] / "tools" / "chains.py"


class Chains(unittest.TestCase):
    def test_the_table_follows_chains_toml(self) -> None:
        done = subprocess.run([sys.executable, str(TOOL), "--check"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_rows(self) -> None:
        self.assertEqual(CHAINS[0, 100].rules, ((0, 0x0002), (25349537, 0x0001)))
        self.assertEqual({family for family, _ in CHAINS}, set(range(9)))


if __name__ == "__main__":
    unittest.main()
