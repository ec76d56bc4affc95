// @ts-check
// The root of the trie over all leaves of a block, leaf i under `rlp(i)`: Ethereum yellow paper, appendix D. Leaves
// here have 256 bytes and more, so every node but the root of none is hashed.

import { concat, keccak256 } from "../verify/hash.js";
import { digitsOf, writeBytes, writeList } from "./rlp.js";

/** @typedef {{ key: Uint8Array, leaf: Uint8Array }} Item key in nibbles */

/** @param {number} index @returns {Uint8Array} nibbles */
function keyOf(index) {
  const bytes = index === 0 ? Uint8Array.of(0x80) : writeBytes(digitsOf(index));
  return Uint8Array.from({ length: 2 * bytes.length }, (_, at) => (at % 2 ? bytes[at >> 1] & 15 : bytes[at >> 1] >> 4));
}

/** A path in hex-prefix form. @param {Uint8Array} nibbles @param {boolean} isLeaf */
function pack(nibbles, isLeaf) {
  const isOdd = nibbles.length % 2 === 1;
  const flag = (isLeaf ? 2 : 0) + (isOdd ? 1 : 0);
  const whole = isOdd ? concat([flag], nibbles) : concat([flag, 0], nibbles);
  return Uint8Array.from({ length: whole.length / 2 }, (_, at) => whole[2 * at] * 16 + whole[2 * at + 1]);
}

/** The hash of the node over items that rise by key and differ from `depth` on. @param {Item[]} items
 * @param {number} depth @returns {Uint8Array} */
function hashOf(items, depth) {
  const [first] = items;
  const last = items[items.length - 1];
  if (items.length === 1) {
    return keccak256(writeList(writeBytes(pack(first.key.subarray(depth), true)), writeBytes(first.leaf)));
  }
  let end = depth;
  while (first.key[end] === last.key[end]) end += 1;
  if (end > depth) {
    return keccak256(writeList(writeBytes(pack(first.key.subarray(depth, end), false)), writeBytes(hashOf(items, end))));
  }
  const children = Array.from({ length: 16 }, (_, nibble) => {
    const below = items.filter(({ key }) => key[depth] === nibble);
    return below.length === 0 ? Uint8Array.of(0x80) : writeBytes(hashOf(below, depth + 1));
  });
  return keccak256(writeList(...children, Uint8Array.of(0x80)));
}

/** @param {Uint8Array[]} leaves of at least 32 bytes each @returns {Uint8Array} */
export function rootOfLeaves(leaves) {
  if (leaves.length === 0) return keccak256([0x80]);
  const items = leaves.map((leaf, index) => ({ key: keyOf(index), leaf }));
  items.sort((one, other) => compareBytes(one.key, other.key));
  return hashOf(items, 0);
}

/** @param {Uint8Array} one @param {Uint8Array} other @returns {number} below 0 where the one comes first */
export function compareBytes(one, other) {
  for (let at = 0; at < one.length && at < other.length; at++) if (one[at] !== other[at]) return one[at] - other[at];
  return one.length - other.length;
}
