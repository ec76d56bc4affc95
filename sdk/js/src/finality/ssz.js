// @ts-check
// Merkle trees of SSZ, as far as light clients need them. Source: ethereum/consensus-specs `ssz/simple-serialize.md`,
// `ssz/merkle-proofs.md`.

import { concat, same, u64le } from "./bytes.js";
import { sha256 } from "./hash.js";

const ZERO = new Uint8Array(32);

/** @param {Uint8Array} left @param {Uint8Array} right */
export const node = (left, right) => sha256(left, right);

/** Leaf of a `uint64`. @param {bigint} value */
export const numberLeaf = (value) => concat(u64le(value), new Uint8Array(24));

/** Root over leaves, filled up with zero leaves to a power of two. @param {Uint8Array[]} leaves at least one */
export function rootOf(leaves) {
  let [row, zero] = [leaves, ZERO];
  while (row.length > 1) {
    const above = [];
    for (let at = 0; at < row.length; at += 2) above.push(node(row[at], row[at + 1] ?? zero));
    [row, zero] = [above, node(zero, zero)];
  }
  return row[0];
}

/** Siblings of a leaf with this generalised index. @param {number} index */
export const depthOf = (index) => Math.floor(Math.log2(index));

/** Whether a branch of the index's depth leads from a leaf to a root.
 * @param {Uint8Array} root @param {Uint8Array} leaf @param {number} index @param {Uint8Array[]} branch */
export function isUnder(root, leaf, index, branch) {
  const got = branch.reduce((below, sibling, height) =>
    (index >> height) & 1 ? node(sibling, below) : node(below, sibling), leaf);
  return branch.length === depthOf(index) && same(got, root);
}
