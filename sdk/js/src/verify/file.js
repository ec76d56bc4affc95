// @ts-check
// Reads a `.srproof` file: docs/protocol/files.md. Bounded, and only in its one form. Nothing is believed yet.

import { fromUtf8, keccak256, same, utf8 } from "./hash.js";
import { FAMILIES, LEDGERS } from "./ledger/index.js";
import { Reader, need, needValue, within } from "./reader.js";
import { EMPTY, pathLength } from "./trees.js";

export { FAMILIES };

export const TWIG_HEIGHT = 11;
export const SUPER_ROOT_HEIGHT = 6;
const BYTES_MAX = 16 << 20;
const NOTE_BYTES_MAX = 64 << 10;
const [EVIDENCE_BYTES_MAX, LINK_BYTES_MAX, STEPS_BYTES_MAX] = [128 << 10, 96 << 10, 2 << 20];
/** Kinds of evidence of finality. */
const EVIDENCE_KINDS = [0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1b];
const PARTS = { transaction: 1, receipt: 2, header: 4, twig: 8, sealed: 16, open: 32, superRoot: 64, note: 128 };
/** @type {Subject["kind"][]} */
const SUBJECTS = ["block", "transaction", "event", "absence"];

/** @typedef {import("./ledger/index.js").Subject} Subject */
/** The whole header, and the block hash that is expected. @typedef {{ bytes: Uint8Array, hash: Uint8Array }} HeaderPart */
/** @typedef {{ siblings: Uint8Array[], root: Uint8Array }} TwigPart 11 siblings, the lowest first */
/** @typedef {{ index: bigint, count: bigint, siblings: Uint8Array[], root: Uint8Array }} SealedPart */
/** @typedef {{ start: bigint, number: bigint, blockHash: Uint8Array }} OpenPart of the chain's reference */
/** @typedef {{ siblings: Uint8Array[], preimage: Uint8Array, profile: Uint8Array, row: number, count: number,
 *   rowSiblings: Uint8Array[], registrySiblings: Uint8Array[] }} SuperRootPart 6 siblings each */
/** @typedef {{ text: string, siblings: Uint8Array[] }} NotePart a signed note, and the SuperRoot's path in its log */
/** Evidence of finality, its parts not read: `link` is one byte string, as each of the steps.
 * @typedef {{ evidence: Uint8Array, link: Uint8Array, steps: Uint8Array[] }} FinalityPart */
/** A proof, from a file or put together of JSON. `entry` is that of the family's ledger; exactly what a level stands on
 * is there, `sealed` and `open` never both.
 * @typedef {{ origin: string, family: number, chainId: bigint, number: bigint, subject: Subject, entry: any,
 *   header: HeaderPart | null, twig: TwigPart | null, sealed: SealedPart | null, open: OpenPart | null,
 *   superRoot: SuperRootPart | null, note: NotePart | null, finality: FinalityPart | null }} Proof */

/** Siblings in a perfect tree: those of empty trees are left out, and no other is.
 * @param {Reader} reader @param {number} height @returns {Uint8Array[]} */
function readPath(reader, height) {
  const mask = reader.number(2);
  need(mask < 2 ** height, "the proof is not in its one form");
  return Array.from({ length: height }, (_, level) => {
    if ((mask >> level) & 1) return EMPTY[level];
    const sibling = reader.hash();
    need(!same(sibling, EMPTY[level]), "the proof is not in its one form");
    return sibling;
  });
}

/** @param {Uint8Array} bytes @param {string} what @returns {string} */
const textOf = (bytes, what) => needValue(fromUtf8(bytes), `${what} is no text`);

/** Reads the file. @param {Uint8Array} bytes @returns {Proof} throws a Fault */
export function decode(bytes) {
  // also one of another realm, such as that of a test's window
  need(Object.prototype.toString.call(bytes) === "[object Uint8Array]", "a proof file is bytes, a Uint8Array");
  need(bytes.length <= BYTES_MAX, "the proof is too large");
  const reader = new Reader(bytes);
  need(same(reader.bytes(7), utf8("SRPROOF")), "not a proof file");
  const format = reader.u8();
  need(format === 1 || format === 2, "a proof file of another format");
  const origin = textOf(reader.bytes(reader.u8()), "the origin");
  const family = reader.u8();
  need(family < LEDGERS.length, "there is no such family");
  const [chainId, number] = [reader.u64(), reader.u64()];
  const kind = needValue(SUBJECTS[reader.u8()], "there is no such subject");
  const txIndex = kind === "block" ? 0 : reader.number(4);
  const subject = { kind, txIndex, logIndex: kind === "event" ? reader.number(4) : 0 };
  const check = keccak256(bytes.subarray(0, reader.at)).subarray(0, 4);
  need(same(reader.bytes(4), check), "the statement is damaged");
  const has = readFlags(reader);
  need(format === 1 || reader.u8() === 1, "the parts do not make a proof");
  const parts = { transaction: has("transaction"), receipt: has("receipt") };
  const isEntry = parts.transaction || parts.receipt;
  const entry = isEntry ? LEDGERS[family].readEntry(reader, subject, parts) : null;
  const header = has("header") ? { bytes: reader.long(), hash: reader.hash() } : null;
  const twig = has("twig") ? { siblings: readPath(reader, TWIG_HEIGHT), root: reader.hash() } : null;
  const sealed = has("sealed") ? readSealed(reader) : null;
  const open = has("open") ? { start: reader.u64(), number: reader.u64(), blockHash: reader.hash() } : null;
  const superRoot = has("superRoot") ? readSuperRoot(reader) : null;
  const note = has("note") ? readNote(reader) : null;
  const finality = format === 2 ? readFinality(reader.bytes(reader.left)) : null;
  reader.end();
  return { origin, family, chainId, number, subject, entry, header, twig, sealed, open, superRoot, note, finality };
}

/** Which parts there are: each stands on the one below it. @param {Reader} reader */
function readFlags(reader) {
  const flags = reader.u8();
  /** @param {keyof typeof PARTS} part */
  const has = (part) => (flags & PARTS[part]) !== 0;
  const isPlaced = has("sealed") || has("open");
  const isSound = (!has("twig") || has("header")) && (!isPlaced || has("twig")) &&
    !(has("sealed") && has("open")) && (!has("superRoot") || isPlaced) &&
    (!has("open") || has("superRoot")) && (!has("note") || has("superRoot"));
  need(isSound, "the parts do not make a proof");
  return has;
}

/** @param {Reader} reader @returns {SealedPart} */
function readSealed(reader) {
  const [index, count] = [reader.u64(), reader.u64()];
  return { index, count, siblings: reader.hashes(pathLength(index, count)), root: reader.hash() };
}

/** @param {Reader} reader @returns {SuperRootPart} */
function readSuperRoot(reader) {
  const [siblings, preimage] = [readPath(reader, SUPER_ROOT_HEIGHT), reader.bytes(82)];
  const profile = reader.bytes(reader.number(2));
  const [row, count] = [reader.u8(), reader.u8()];
  const [rowSiblings, registrySiblings] = [readPath(reader, SUPER_ROOT_HEIGHT), readPath(reader, SUPER_ROOT_HEIGHT)];
  return { siblings, preimage, profile, row, count, rowSiblings, registrySiblings };
}

/** @param {Reader} reader @returns {NotePart} */
function readNote(reader) {
  const text = textOf(reader.long(NOTE_BYTES_MAX), "the note");
  return { text, siblings: reader.hashes(reader.u8()) };
}

/** Reads evidence of finality, as it stands at the end of a file and in `finality_proof` of JSON. Who signed it is
 * checked elsewhere. @param {Uint8Array} bytes @returns {FinalityPart} throws a Fault */
export function readFinality(bytes) {
  const reader = new Reader(bytes, "evidence of finality");
  const evidence = reader.long(EVIDENCE_BYTES_MAX);
  checkEvidence(evidence);
  const link = reader.long(LINK_BYTES_MAX);
  checkLink(link);
  need(reader.left <= STEPS_BYTES_MAX, "the steps of finality are too long");
  const steps = [];
  for (let left = reader.number(2); left > 0; left--) steps.push(reader.long());
  reader.end();
  return { evidence, link, steps };
}

/** @param {Uint8Array} bytes */
function checkEvidence(bytes) {
  const reader = new Reader(bytes, "evidence of finality");
  need(EVIDENCE_KINDS.includes(reader.u8()), "evidence of an unknown kind");
  need(reader.long().length >= 40, "the evidence of finality is cut short");
  reader.end();
}

/** Headers, each with an ancestor behind it or not. @param {Uint8Array} bytes */
function checkLink(bytes) {
  const reader = new Reader(bytes, "link of finality");
  let mayHaveAncestor = false;
  while (reader.left > 0) {
    const isHeader = reader.long().length > 0;
    if (!isHeader) {
      need(mayHaveAncestor, "an ancestor without a header");
      checkAncestor(reader.long());
    }
    mayHaveAncestor = isHeader;
  }
}

/** @param {Uint8Array} bytes */
function checkAncestor(bytes) {
  const reader = new Reader(bytes, "link of finality");
  reader.u64();
  for (let lists = 0; lists < 2; lists++) for (let left = reader.u8(); left > 0; left--) reader.long();
  reader.end();
}

/** A chain's profile: what a log says of it. Rules are `[from, code]` in the order of addition.
 * @typedef {{ family: number, id: number, caip2: string, rules: [number, number][] }} Profile */

/** Reads a profile in its one form. @param {Uint8Array} bytes @returns {Profile} throws a Fault */
export function readProfile(bytes) {
  const reader = new Reader(bytes, "profile");
  need(reader.u8() === 8, "malformed profile");
  const [family, id] = [reader.u8(), within(reader.u64(), "chain id")];
  const caip2 = textOf(reader.bytes(reader.u8()), "the name of a chain");
  const rules = Array.from({ length: reader.u8() }, () =>
    /** @type {[number, number]} */ ([within(reader.u64(), "rule"), reader.number(2)]));
  reader.end();
  const read = rules.filter(([, code]) => code !== 0);
  const isRising = read.every(([from], place) => place === 0 || read[place - 1][0] < from);
  const isWhole = family < LEDGERS.length && caip2.length > 0 && rules.length > 0;
  need(isWhole && rules[0][1] !== 0 && isRising, "malformed profile");
  return { family, id, caip2, rules };
}

