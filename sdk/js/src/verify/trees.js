// @ts-check
// The two trees of the commitment: docs/protocol.md, "Two trees".

import { keccak256 } from "./hash.js";
import { need } from "./reader.js";

/** @param {Uint8Array} left @param {Uint8Array} right @returns {Uint8Array} */
export function node(left, right) {
  return keccak256([1], left, right);
}

/** `Zk`, roots of empty trees by their height. @type {Uint8Array[]} */
export const EMPTY = [new Uint8Array(32)];
while (EMPTY.length <= 11) EMPTY.push(node(EMPTY[EMPTY.length - 1], EMPTY[EMPTY.length - 1]));

/** Hashes on the path of a leaf in a range: RFC 9162, 2.1.3. @param {bigint} index @param {bigint} count */
export function pathLength(index, count) {
  need(index < count, "there is no such leaf");
  let length = 0;
  for (let [position, last] = [index, count - 1n]; last > 0n; position >>= 1n, last >>= 1n) {
    if (position & 1n || position < last) length++;
  }
  return length;
}

/** The root that a leaf of a range leads to. @param {Uint8Array} leaf @param {bigint} index @param {bigint} count
 * @param {Uint8Array[]} path @param {(left: Uint8Array, right: Uint8Array) => Uint8Array} join
 * @returns {Uint8Array} */
export function rootOfRange(leaf, index, count, path, join) {
  need(path.length === pathLength(index, count), "a path of another length");
  let [position, last, hash] = [index, count - 1n, leaf];
  for (const sibling of path) {
    if (position & 1n || position === last) {
      hash = join(sibling, hash);
      while (!(position & 1n) && position !== 0n) [position, last] = [position >> 1n, last >> 1n];
    } else {
      hash = join(hash, sibling);
    }
    [position, last] = [position >> 1n, last >> 1n];
  }
  return hash;
}

/** The root that a slot of a perfect tree leads to. @param {Uint8Array} leaf @param {number} slot
 * @param {Uint8Array[]} siblings @param {number} height @returns {Uint8Array} */
export function rootOfPath(leaf, slot, siblings, height) {
  need(siblings.length === height && slot < 2 ** height, "a path of another length");
  return siblings.reduce((hash, sibling, level) =>
    (slot >> level) & 1 ? node(sibling, hash) : node(hash, sibling), leaf);
}
