// @ts-check
// A tree whose header names no count of its leaves: docs/protocol/cosmos.md, "A tree whose header names no count".
// The path from the root down shows its own heights.

import { need } from "../reader.js";

/** The path from the root to a leaf: heights of the perfect subtrees left of it, root first; the leaf's place in the
 * subtree where the path leaves the right edge, and that subtree's height.
 * @typedef {{ peaks: number[], local: number, siblingCount: number }} MerklePath */
/** @typedef {(left: Uint8Array, right: Uint8Array) => Uint8Array} Join */

/** @param {number} index @param {number} count @returns {MerklePath} */
export function pathTo(index, count) {
  need(index < count, "there is no such transaction");
  /** @type {number[]} */
  const peaks = [];
  let [local, size] = [index, count];
  while (size > 1) {
    const height = 31 - Math.clz32(size - 1);
    const left = 2 ** height;
    if (local < left) return { peaks, local, siblingCount: height + 1 };
    peaks.push(height);
    [local, size] = [local - left, size - left];
  }
  return { peaks, local: 0, siblingCount: 0 };
}

/** The index whose path proves a subject: that of the transaction or, for an absence, the last. Null for an absence in
 * a block without transactions, and for a block.
 * @param {import("./index.js").Subject} subject @param {number} count @returns {number | null} */
export function indexOf(subject, count) {
  if (subject.kind === "block") return null;
  if (subject.kind !== "absence") return subject.txIndex;
  need(subject.txIndex >= count, "there is a transaction at that index");
  return count === 0 ? null : count - 1;
}

/** Root of a perfect subtree by its first leaf. @param {Uint8Array} first @param {Uint8Array[]} siblings
 * @param {Join} join */
export const peakRoot = (first, siblings, join) => siblings.reduce((node, sibling) => join(node, sibling), first);

/** Root from a leaf, its siblings and the roots of the peaks. @param {MerklePath} path @param {Uint8Array} leaf
 * @param {Uint8Array[]} siblings @param {Uint8Array[]} peaks @param {Join} join @returns {Uint8Array} */
export function rootOf({ local }, leaf, siblings, peaks, join) {
  const reached = siblings.reduce((node, sibling, height) =>
    (Math.floor(local / 2 ** height) % 2 ? join(sibling, node) : join(node, sibling)), leaf);
  return peaks.reduceRight((node, peak) => join(peak, node), reached);
}

/** That siblings and peaks are as many as index and count give. @param {MerklePath} path @param {Uint8Array[]} siblings
 * @param {{ siblings: Uint8Array[] }[]} peaks */
export function checkShape(path, siblings, peaks) {
  const isWhole = siblings.length === path.siblingCount && peaks.length === path.peaks.length &&
    peaks.every((peak, at) => peak.siblings.length === path.peaks[at]);
  need(isWhole, "branches or siblings are more or fewer than index and count give");
}
