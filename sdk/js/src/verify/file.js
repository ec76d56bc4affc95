// @ts-check
// Reads a `.srproof` file: docs/protocol.md, "The proof file". Bounded, and only in its one form. Nothing is
// believed yet.

import { siblingCount } from "./bitcoin.js";
import { keccak256, same, utf8 } from "./hash.js";
import { EMPTY, need, pathLength } from "./trees.js";

export const FAMILIES = ["evm", "bitcoin", "solana", "polkadot", "tron", "aptos", "sui", "icp", "cosmos"];
const [EVM, BITCOIN] = [0, 1];
const TWIG_HEIGHT = 11;
const SUPER_ROOT_HEIGHT = 6;
const TRIE_NODES_MAX = 20;
const BYTES_MAX = 16 << 20;
const NOTE_BYTES_MAX = 64 << 10;
const PARTS = { transaction: 1, receipt: 2, header: 4, twig: 8, sealed: 16, open: 32, superRoot: 64, note: 128 };

/** @typedef {{ leaf: Uint8Array, siblings: Uint8Array[] }} Branch */
/** @typedef {{ kind: "block" | "transaction" | "event" | "absence", txIndex: number, logIndex: number }} Subject */
/** @typedef {ReturnType<typeof decode>} Proof */

/** Bytes read from the front; too few are an error. */
export class Reader {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.all = bytes;
    this.at = 0;
  }

  /** @param {number} length */
  bytes(length) {
    need(this.at + length <= this.all.length, "the proof is cut short");
    this.at += length;
    return this.all.subarray(this.at - length, this.at);
  }

  /** A number of that many bytes. @param {number} length @returns {number} */
  number(length) {
    return this.bytes(length).reduce((value, byte) => value * 256 + byte, 0);
  }

  /** @returns {bigint} */
  u64() {
    return this.bytes(8).reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);
  }

  hash() {
    return this.bytes(32);
  }

  /** @param {number} count */
  hashes(count) {
    return Array.from({ length: count }, () => this.hash());
  }

  /** Bytes behind their length. */
  long() {
    return this.bytes(this.number(4));
  }

  /** Siblings in a perfect tree: those of empty trees are left out, and no other is.
   * @param {number} height */
  path(height) {
    const mask = this.number(2);
    need(mask < 2 ** height, "the proof is not in its one form");
    return Array.from({ length: height }, (_, level) => {
      if ((mask >> level) & 1) return EMPTY[level];
      const sibling = this.hash();
      need(!same(sibling, EMPTY[level]), "the proof is not in its one form");
      return sibling;
    });
  }
}

/** @param {Uint8Array} bytes @returns {string} */
const textOf = (bytes) => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);

/** Reads the file. @param {Uint8Array} bytes */
export function decode(bytes) {
  need(bytes.length <= BYTES_MAX, "the proof is too large");
  const reader = new Reader(bytes);
  need(same(reader.bytes(7), utf8("SRPROOF")), "not a proof file");
  const format = reader.number(1);
  need(format < 3 && format > 0, "a proof file of another format");
  const origin = textOf(reader.bytes(reader.number(1)));
  const family = reader.number(1);
  need(family < FAMILIES.length, "there is no such family");
  const [chainId, number] = [reader.u64(), reader.u64()];
  const kind = /** @type {Subject["kind"]} */ (["block", "transaction", "event", "absence"][reader.number(1)]);
  need(kind !== undefined, "there is no such subject");
  const txIndex = kind === "block" ? 0 : reader.number(4);
  const subject = { kind, txIndex, logIndex: kind === "event" ? reader.number(4) : 0 };
  const check = keccak256(bytes.subarray(0, reader.at)).subarray(0, 4);
  need(same(reader.bytes(4), check), "the statement is damaged");
  const flags = reader.number(1);
  const has = checkFlags(flags);
  need(format === 1 || reader.number(1) === 1, "the parts do not make a proof");
  const entry = readEntry(reader, family, subject, has);
  const header = has("header") ? { bytes: reader.long(), hash: reader.hash() } : null;
  const twig = has("twig") ? { siblings: reader.path(TWIG_HEIGHT), root: reader.hash() } : null;
  const sealed = has("sealed") ? readSealed(reader) : null;
  const open = has("open") ? { start: reader.u64(), number: reader.u64(), blockHash: reader.hash() } : null;
  const superRoot = has("superRoot") ? readSuperRoot(reader) : null;
  const note = has("note") ? readNote(reader) : null;
  if (format === 2) skipMore(reader);
  need(reader.at === bytes.length, "bytes follow the proof");
  return { origin, family, chainId, number, subject, entry, header, twig, sealed, open, superRoot, note };
}

/** @param {Reader} reader */
function skipMore(reader) {
  need(reader.long().length <= 131072 && reader.long().length <= 65536, "too long");
  for (let left = reader.number(2); left > 0; left -= 1) reader.long();
}

/** Which parts there are: each stands on the one below it. @param {number} flags */
function checkFlags(flags) {
  /** @param {keyof typeof PARTS} part */
  const has = (part) => (flags & PARTS[part]) !== 0;
  const isPlaced = has("sealed") || has("open");
  const isSound = (!has("twig") || has("header")) && (!isPlaced || has("twig")) &&
    !(has("sealed") && has("open")) && (!has("superRoot") || isPlaced) &&
    (!has("open") || has("superRoot")) && (!has("note") || has("superRoot"));
  need(isSound, "the parts do not make a proof");
  return has;
}

/** @param {Reader} reader @param {number} family @param {Subject} subject
 * @param {ReturnType<typeof checkFlags>} has */
function readEntry(reader, family, subject, has) {
  if (!has("transaction") && !has("receipt")) return null;
  if (family === EVM) {
    const trie = () => {
      const count = reader.number(1);
      need(count <= TRIE_NODES_MAX, "a trie proof of too many nodes");
      return Array.from({ length: count }, () => reader.long());
    };
    const transaction = has("transaction") ? trie() : null;
    return { tries: { transaction, receipt: has("receipt") ? trie() : null } };
  }
  need(family === BITCOIN, "this page does not read level 1 of that ledger");
  need(!has("receipt"), "Bitcoin has no receipts");
  const count = reader.number(4);
  const index = subject.kind === "absence" ? count - 1 : subject.txIndex;
  need(subject.kind !== "block" && index >= 0, "a branch of no transaction");
  /** @param {number} place @returns {Branch} */
  const branch = (place) => {
    const leaf = reader.long();
    return { leaf, siblings: reader.hashes(siblingCount(place, count)) };
  };
  const own = branch(index);
  return { branches: { count, index, own, coinbase: index === 0 ? null : branch(0) } };
}

/** @param {Reader} reader */
function readSealed(reader) {
  const [index, count] = [reader.u64(), reader.u64()];
  return { index, count, siblings: reader.hashes(pathLength(index, count)), root: reader.hash() };
}

/** @param {Reader} reader */
function readSuperRoot(reader) {
  const [siblings, preimage] = [reader.path(SUPER_ROOT_HEIGHT), reader.bytes(82)];
  const profile = reader.bytes(reader.number(2));
  const [row, count] = [reader.number(1), reader.number(1)];
  const rowSiblings = reader.path(SUPER_ROOT_HEIGHT);
  return { siblings, preimage, profile, row, count, rowSiblings, registrySiblings: reader.path(SUPER_ROOT_HEIGHT) };
}

/** @param {Reader} reader */
function readNote(reader) {
  const bytes = reader.long();
  need(bytes.length <= NOTE_BYTES_MAX, "the note is too long");
  return { text: textOf(bytes), siblings: reader.hashes(reader.number(1)) };
}

/** A chain's profile: what the log says of it. @param {Uint8Array} bytes */
export function readProfile(bytes) {
  const reader = new Reader(bytes);
  need(reader.number(1) === 8, "malformed profile");
  const [family, id] = [reader.number(1), within(reader.u64(), "chain id")];
  const caip2 = textOf(reader.bytes(reader.number(1)));
  const rules = Array.from({ length: reader.number(1) }, () =>
    /** @type {[number, number]} */ ([within(reader.u64(), "rule"), reader.number(2)]));
  const read = rules.filter(([, code]) => code !== 0);
  const isRising = read.every(([from], place) => place === 0 || read[place - 1][0] < from);
  const isWhole = reader.at === bytes.length && caip2.length > 0 && isRising;
  need(isWhole && rules.length > 0 && rules[0][1] !== 0, "malformed profile");
  return { family, id, caip2, rules };
}

/** @param {bigint} value @param {string} what @returns {number} */
export function within(value, what) {
  need(value < 2n ** 53n, `the ${what} is 2^53 or more`);
  return Number(value);
}
