// @ts-check
// Ranges that grow: RFC 9162, 2.1.3 and 2.1.4, over SHA-256 (history) or Keccak-256 (Mini-MMRs).

import { same } from "../verify/hash.js";
import { Fault } from "../verify/reader.js";
import { pathLength, rootOfRange } from "../verify/trees.js";

/** @typedef {(left: Uint8Array, right: Uint8Array) => Uint8Array} Join */

/** The largest power of two below a count of two or more. @param {bigint} count */
function split(count) {
  let size = 1n;
  while (size * 2n < count) size *= 2n;
  return size;
}

/** Throws unless the leaf is in the range. @param {Uint8Array} leaf @param {number} index @param {number} count
 * @param {Uint8Array[]} path @param {Uint8Array} root @param {Join} join @param {string} what */
export function checkInclusion(leaf, index, count, path, root, join, what) {
  if (index >= count) throw new Fault(`${what}: there is no leaf ${index} among ${count}`);
  const expected = pathLength(BigInt(index), BigInt(count));
  if (path.length !== expected) throw new Fault(`${what}: a path of ${path.length} hashes, expected ${expected}`);
  if (!same(rootOfRange(leaf, BigInt(index), BigInt(count), path, join), root)) throw new Fault(`${what}: another root`);
}

/** Hashes in a consistency path, for 0 < from < to. @param {number} from @param {number} to */
function consistencyLength(from, to) {
  let [old, size, length, isWhole] = [BigInt(from), BigInt(to), 0, true];
  while (old < size) {
    const left = split(size);
    length += 1;
    if (old <= left) size = left;
    else [size, old, isWhole] = [size - left, old - left, false];
  }
  return length + (isWhole ? 0 : 1);
}

/** The side of each sibling, lowest first, for 0 < from < to. @param {number} from @param {number} to
 * @returns {boolean[]} true: on the left, in both ranges */
function leftSides(from, to) {
  let [position, last] = [BigInt(from) - 1n, BigInt(to) - 1n];
  while (position & 1n) [position, last] = [position >> 1n, last >> 1n];
  const sides = [];
  while (last > 0n) {
    const isLeft = (position & 1n) === 1n || position === last;
    sides.push(isLeft);
    while (isLeft && !(position & 1n) && position !== 0n) [position, last] = [position >> 1n, last >> 1n];
    [position, last] = [position >> 1n, last >> 1n];
  }
  return sides;
}

/** @param {number} count */
const isPowerOfTwo = (count) => (BigInt(count) & (BigInt(count) - 1n)) === 0n;

/** Where the fold begins, and the rest of the path. @param {number} from @param {Uint8Array} fromRoot
 * @param {Uint8Array[]} path @returns {[Uint8Array, Uint8Array[]]} */
const seedOf = (from, fromRoot, path) => (isPowerOfTwo(from) ? [fromRoot, path] : [path[0], path.slice(1)]);

/** Throws unless the range of `to` leaves begins with the range of `from` leaves.
 * @param {number} from @param {number} to @param {Uint8Array} fromRoot @param {Uint8Array} toRoot
 * @param {Uint8Array[]} path @param {Join} join @param {Uint8Array} empty root of no leaves @param {string} what */
export function checkConsistency(from, to, fromRoot, toRoot, path, join, empty, what) {
  if (from > to) throw new Fault(`${what}: it shrank from ${from} to ${to} leaves`);
  const expected = from === 0 || from === to ? 0 : consistencyLength(from, to);
  if (path.length !== expected) throw new Fault(`${what}: a path of ${path.length} hashes, expected ${expected}`);
  const another = new Fault(`${what}: another root`);
  if (expected === 0) {
    if (from === 0 && !same(fromRoot, empty)) throw another;
    if (from === to && !same(fromRoot, toRoot)) throw another;
    return;
  }
  const [seed, rest] = seedOf(from, fromRoot, path);
  const sides = leftSides(from, to);
  let [old, now] = [seed, seed];
  rest.forEach((sibling, at) => {
    if (sides[at]) [old, now] = [join(sibling, old), join(sibling, now)];
    else now = join(now, sibling);
  });
  if (!same(old, fromRoot) || !same(now, toRoot)) throw another;
}

/** The peaks of a range, highest first: enough to append to it. */
export class Peaks {
  constructor() {
    this.count = 0;
    /** @type {Uint8Array[]} */
    this.hashes = [];
  }

  /** Peaks of the older range, from a path that was checked. @param {number} from @param {number} to
   * @param {Uint8Array} fromRoot @param {Uint8Array[]} path */
  static ofConsistency(from, to, fromRoot, path) {
    const peaks = new Peaks();
    if (from === 0 || from >= to) return peaks;
    const [seed, rest] = seedOf(from, fromRoot, path);
    const sides = leftSides(from, to);
    peaks.hashes = [seed, ...rest.filter((_, at) => sides[at])].reverse();
    peaks.count = from;
    return peaks;
  }

  /** @param {Uint8Array} leaf @param {Join} join */
  append(leaf, join) {
    let hash = leaf;
    for (let rest = BigInt(this.count); rest & 1n; rest >>= 1n) {
      hash = join(/** @type {Uint8Array} */ (this.hashes.pop()), hash);
    }
    this.hashes.push(hash);
    this.count += 1;
  }

  /** @param {Join} join @param {Uint8Array} empty */
  root(join, empty) {
    return this.hashes.length === 0 ? empty : this.hashes.reduceRight((right, left) => join(left, right));
  }
}

/** The root of a range over hashes. @param {Uint8Array[]} leaves @param {Join} join @param {Uint8Array} empty */
export function rangeRoot(leaves, join, empty) {
  const peaks = new Peaks();
  for (const leaf of leaves) peaks.append(leaf, join);
  return peaks.root(join, empty);
}
