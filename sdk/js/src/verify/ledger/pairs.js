// @ts-check
// A tree whose rows are paired, an odd row's last node with itself: docs/protocol/bitcoin.md, "Header and tree". Copies
// are not sent, so index and count give the length of a path.

import { same } from "../hash.js";
import { need } from "../reader.js";

/** Rows on the way from a leaf up to the root: which side the node is on, and whether it is paired with itself.
 * @param {number} index @param {number} count */
function rowsTo(index, count) {
  need(index >= 0 && index < count, "there is no such leaf");
  const rows = [];
  for (let [at, length] = [index, count]; length > 1; at >>= 1, length = Math.ceil(length / 2)) {
    rows.push({ isRight: at % 2 === 1, isAlone: at % 2 === 0 && at + 1 >= length });
  }
  return rows;
}

/** Siblings of a path. @param {number} index @param {number} count */
export const siblingCount = (index, count) => rowsTo(index, count).filter((row) => !row.isAlone).length;

/** The root that a leaf's hash and its siblings, from the leaf upward, lead to.
 * @param {Uint8Array} leaf @param {number} index @param {number} count @param {Uint8Array[]} siblings
 * @param {(left: Uint8Array, right: Uint8Array) => Uint8Array} join @returns {Uint8Array} */
export function rootOf(leaf, index, count, siblings, join) {
  need(siblings.length === siblingCount(index, count), "a path of another length than index and count give");
  let [node, next] = [leaf, 0];
  for (const { isRight, isAlone } of rowsTo(index, count)) {
    const sibling = isAlone ? node : siblings[next++];
    need(isAlone || !same(sibling, node), "a node is paired with a copy of itself");
    node = isRight ? join(sibling, node) : join(node, sibling);
  }
  return node;
}
