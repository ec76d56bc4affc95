// @ts-check
// Writes a `.srproof` file from its parts: docs/protocol/files.md. A proof in JSON is checked as the file that it is.

import { concat, keccak256, same, u64, utf8 } from "../verify/hash.js";
import { EMPTY } from "../verify/trees.js";

const PARTS = { header: 4, twig: 8, sealed: 16, open: 32, superRoot: 64, note: 128 };
const KINDS = ["block", "transaction", "event", "absence"];

/** Level 1 in a file: bits 0 and 1 of the parts, and the bytes. @typedef {{ bits: number, bytes: Uint8Array }} EntryBytes */
/** @typedef {{ siblings: Uint8Array[], preimage: Uint8Array, profile: Uint8Array, row: number, count: number,
 *   rowSiblings: Uint8Array[], registrySiblings: Uint8Array[] }} SuperRootParts */
/** @typedef {{ origin: string, family: number, chainId: number, number: number,
 *   subject: { kind: string, txIndex: number, logIndex: number }, entry: EntryBytes | null,
 *   header: { bytes: Uint8Array, hash: Uint8Array } | null, twig: { siblings: Uint8Array[], root: Uint8Array } | null,
 *   sealed: { index: number, count: number, siblings: Uint8Array[], root: Uint8Array } | null,
 *   open: { start: number, number: number, blockHash: Uint8Array } | null, superRoot: SuperRootParts | null,
 *   note: { text: string, siblings: Uint8Array[] } | null }} Parts */

/** @param {number} value @param {number} length @returns {Uint8Array} */
export function uint(value, length) {
  return u64(value).subarray(8 - length);
}

/** Bytes behind their length in four bytes. @param {Uint8Array} bytes */
export const long = (bytes) => concat(uint(bytes.length, 4), bytes);

/** Siblings in a perfect tree: those of empty trees are left out. @param {Uint8Array[]} siblings */
function path(siblings) {
  const isEmpty = siblings.map((sibling, level) => same(sibling, EMPTY[level]));
  const mask = isEmpty.reduce((bits, empty, level) => bits + (empty ? 2 ** level : 0), 0);
  return concat(uint(mask, 2), ...siblings.filter((_, level) => !isEmpty[level]));
}

/** @param {Parts} parts @returns {Uint8Array} */
export function encode(parts) {
  const { origin, subject, entry, header, twig, sealed, open, superRoot, note } = parts;
  const name = utf8(origin);
  const statement = concat(utf8("SRPROOF"), [1, name.length], name, [parts.family], u64(parts.chainId), u64(parts.number),
    [KINDS.indexOf(subject.kind)], subject.kind === "block" ? [] : uint(subject.txIndex, 4),
    subject.kind === "event" ? uint(subject.logIndex, 4) : []);
  let flags = entry?.bits ?? 0;
  for (const [part, bit] of Object.entries(PARTS)) {
    if (parts[/** @type {keyof typeof PARTS} */ (part)]) flags |= bit;
  }
  return concat(statement, keccak256(statement).subarray(0, 4), [flags], entry?.bytes ?? [],
    header ? concat(long(header.bytes), header.hash) : [],
    twig ? concat(path(twig.siblings), twig.root) : [],
    sealed ? concat(u64(sealed.index), u64(sealed.count), ...sealed.siblings, sealed.root) : [],
    open ? concat(u64(open.start), u64(open.number), open.blockHash) : [],
    superRoot ? concat(path(superRoot.siblings), superRoot.preimage, uint(superRoot.profile.length, 2), superRoot.profile,
      [superRoot.row, superRoot.count], path(superRoot.rowSiblings), path(superRoot.registrySiblings)) : [],
    note ? concat(long(utf8(note.text)), [note.siblings.length], ...note.siblings) : []);
}
