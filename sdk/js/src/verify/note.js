// @ts-check
// Signed notes (C2SP signed-note) over checkpoints (C2SP tlog-checkpoint): who says that a log has that size and that
// root. docs/protocol/log.md, "Notes" and "Keys".

import * as ed25519 from "./ed25519.js";
import { concat, fromBase64, sha256, toHex, utf8 } from "./hash.js";
import { Fault, need } from "./reader.js";

const BYTES_MAX = 64 << 10;
const SIGNATURES_MAX = 100;
const NAME = /^[^\p{White_Space}+\p{Cc}]+$/u;
const KINDS = /** @type {const} */ ({ 1: "log", 4: "witness" });

/** A log's key, whose name is the log's origin, or a witness's.
 * @typedef {{ name: string, id: string, kind: "log" | "witness", key: Uint8Array }} Key */
/** @typedef {{ name: string, id: string, signature: Uint8Array }} Signature */
/** @typedef {{ origin: string, size: bigint, root: Uint8Array }} Checkpoint */
/** @typedef {{ text: string, signatures: Signature[] }} SignedText */
/** @typedef {SignedText & Checkpoint} Note */

/** Reads a key as `name+id+base64`, of a log or of a witness. Splits at the first two `+`: base64 may hold more.
 * @param {string} text @returns {Key} throws a Fault */
export function parseAnyKey(text) {
  const [name, id, ...rest] = text.split("+");
  const bytes = fromBase64(rest.join("+"));
  if (!bytes || rest.length === 0 || !NAME.test(name) || !/^[0-9a-fA-F]{8}$/.test(id)) throw new Fault("not a key");
  const kind = KINDS[/** @type {1 | 4} */ (bytes[0])];
  need(kind !== undefined && ed25519.isKey(bytes.subarray(1)), "neither the key of a log nor of a witness");
  const fingerprint = toHex(sha256(utf8(`${name}\n`), bytes));
  need(fingerprint.slice(2, 10) === id.toLowerCase(), "the id is not that of this name and key");
  return { name, id: id.toLowerCase(), kind, key: bytes.subarray(1) };
}

/** Reads the key of a log. @param {string} text @returns {Key} throws a Fault */
export function parseKey(text) {
  const key = parseAnyKey(text);
  need(key.kind === "log", "the key is that of a witness, not of a log");
  return key;
}

/** SHA-256 over name and key: what people compare. @param {Key} key @returns {Uint8Array} */
export const fingerprintOf = ({ name, kind, key }) => sha256(utf8(`${name}\n`), [kind === "log" ? 1 : 4], key);

/** Splits a note into its text and signatures. Nothing in it is believed yet.
 * @param {string} note @returns {SignedText} throws a Fault */
export function splitNote(note) {
  // eslint-disable-next-line no-control-regex
  need(utf8(note).length <= BYTES_MAX && !/[\x00-\x09\x0b-\x1f\x7f]/.test(note), "not a note");
  const cut = note.lastIndexOf("\n\n");
  need(cut >= 0 && cut + 2 < note.length && note.endsWith("\n"), "not a note");
  const lines = note.slice(cut + 2, -1).split("\n");
  need(lines.length <= SIGNATURES_MAX, "a note with too many signatures");
  return { text: note.slice(0, cut + 1), signatures: lines.map(parseSignature) };
}

/** Reads a note and the checkpoint in it. @param {string} note @returns {Note} throws a Fault */
export function parseNote(note) {
  const split = splitNote(note);
  return { ...split, ...parseCheckpoint(split.text) };
}

/** @param {string} line @returns {Signature} */
function parseSignature(line) {
  const words = /^\u2014 ([^ ]+) ([^ ]+)$/.exec(line);
  const bytes = words && fromBase64(words[2]);
  if (!words || !bytes || bytes.length < 5 || !NAME.test(words[1])) throw new Fault("not a signature line");
  return { name: words[1], id: toHex(bytes.subarray(0, 4)).slice(2), signature: bytes.subarray(4) };
}

/** Reads the text of a note: origin, size, base64 of the root; further lines are not read.
 * @param {string} text @returns {Checkpoint} throws a Fault */
export function parseCheckpoint(text) {
  const lines = text.slice(0, -1).split("\n");
  const [origin, size, root] = lines;
  const isWhole = text.endsWith("\n") && lines.length >= 3 && lines.every((line) => line !== "");
  const bytes = isWhole ? fromBase64(root) : null;
  if (!bytes || bytes.length !== 32 || !/^(0|[1-9][0-9]{0,19})$/.test(size) || BigInt(size) >= 2n ** 64n) {
    throw new Fault("the note is no checkpoint");
  }
  return { origin, size: BigInt(size), root: bytes };
}

/** What a key says of a note. `time`: of a witness's cosignature, in Unix seconds, else null.
 * @typedef {{ state: "signed", time: bigint | null } | { state: "unsigned" | "false" }} Signed */

/** Whether the key signed the text. The first signature under its name and id decides.
 * @param {SignedText} note @param {Key} key @returns {Signed} */
export function signedBy(note, key) {
  const own = note.signatures.find((one) => one.name === key.name && one.id === key.id);
  if (!own) return { state: "unsigned" };
  let [signature, text, time] = [own.signature, note.text, /** @type {bigint | null} */ (null)];
  if (key.kind === "witness") {
    if (signature.length < 8) return { state: "false" };
    time = new DataView(signature.buffer, signature.byteOffset).getBigUint64(0);
    [signature, text] = [signature.subarray(8), `cosignature/v1\ntime ${time}\n${text}`];
  }
  return ed25519.verify(key.key, utf8(text), signature) ? { state: "signed", time } : { state: "false" };
}

/** Whether the log's key signed the note of its own log. @param {Note} note @param {Key} key @returns {boolean} */
export function isSignedBy(note, key) {
  return key.kind === "log" && note.origin === key.name && signedBy(note, key).state === "signed";
}

/** The leaf of an entry of a log (RFC 9162, 2.1.1, with SHA-256). @param {Uint8Array} entry @returns {Uint8Array} */
export function leafOf(entry) {
  return sha256(concat([0], entry));
}

/** @param {Uint8Array} left @param {Uint8Array} right @returns {Uint8Array} */
export function nodeOf(left, right) {
  return sha256([1], left, right);
}
