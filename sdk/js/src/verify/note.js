// @ts-check
// Signed notes (C2SP signed-note) over checkpoints (C2SP tlog-checkpoint): who says that a log has that
// size and that root. Only the signature of the log's own key is looked at.

import * as ed25519 from "./ed25519.js";
import { concat, fromBase64, sha256, toHex, utf8 } from "./hash.js";

const BYTES_MAX = 64 << 10;
const SIGNATURES_MAX = 100;
const NAME = /^[^\p{White_Space}+\p{Cc}]+$/u;

/** A log's key: its name is the log's origin. @typedef {{ name: string, id: string, key: Uint8Array }} Key */
/** @typedef {{ name: string, id: string, signature: Uint8Array }} Signature */
/** @typedef {{ text: string, signatures: Signature[], origin: string, size: number, root: Uint8Array }} Note */

/** Reads a key as `name+id+base64`.
 * @param {string} text @returns {Key} */
export function parseKey(text) {
  const [name, id, ...rest] = text.split("+");
  const bytes = fromBase64(rest.join("+"));
  if (!bytes || !NAME.test(name) || !/^[0-9a-f]{8}$/.test(id)) throw new Error("not a key");
  if (bytes[0] !== 1 || !ed25519.isKey(bytes.subarray(1))) throw new Error("not the key of a log");
  const fingerprint = toHex(sha256(utf8(`${name}\n`), bytes));
  if (fingerprint.slice(2, 10) !== id) throw new Error("the id is not that of this name and key");
  return { name, id, key: bytes.subarray(1) };
}

/** Reads a note and the checkpoint in it. Nothing in it is believed yet.
 * @param {string} note @returns {Note} */
export function parseNote(note) {
  // eslint-disable-next-line no-control-regex
  if (utf8(note).length > BYTES_MAX || /[\x00-\x09\x0b-\x1f\x7f]/.test(note)) throw new Error("not a note");
  const cut = note.lastIndexOf("\n\n");
  if (cut < 0 || !note.endsWith("\n")) throw new Error("not a note");
  const lines = note.slice(cut + 2, -1).split("\n");
  const signatures = lines.map(parseSignature);
  if (signatures.length > SIGNATURES_MAX) throw new Error("a note with too many signatures");
  const text = note.slice(0, cut + 1);
  return { text, signatures, ...parseCheckpoint(text) };
}

/** @param {string} line @returns {Signature} */
function parseSignature(line) {
  const words = /^\u2014 ([^ ]+) ([^ ]+)$/.exec(line);
  const bytes = words && fromBase64(words[2]);
  if (!words || !bytes || bytes.length < 5 || !NAME.test(words[1])) throw new Error("not a signature line");
  return { name: words[1], id: toHex(bytes.subarray(0, 4)).slice(2), signature: bytes.subarray(4) };
}

/** @param {string} text */
function parseCheckpoint(text) {
  const lines = text.slice(0, -1).split("\n");
  const [origin, size, root] = lines;
  const bytes = root ? fromBase64(root) : null;
  const isWhole = lines.length >= 3 && lines.every((line) => line !== "");
  if (!isWhole || !/^(0|[1-9][0-9]{0,15})$/.test(size) || bytes?.length !== 32) {
    throw new Error("the note is no checkpoint");
  }
  if (!Number.isSafeInteger(Number(size))) throw new Error("the size of the note is 2^53 or more");
  return { origin, size: Number(size), root: bytes };
}

/** Whether the key signed the note, under its own name. The first signature under its name and id decides.
 * @param {Note} note @param {Key} key @returns {boolean} */
export function isSignedBy(note, key) {
  const own = note.signatures.find((one) => one.name === key.name && one.id === key.id);
  return !!own && note.origin === key.name && ed25519.verify(key.key, utf8(note.text), own.signature);
}

/** The root that an entry of a log leads to (RFC 9162, 2.1.3, with SHA-256).
 * @param {Uint8Array} entry @returns {Uint8Array} */
export function leafOf(entry) {
  return sha256(concat([0], entry));
}

/** @param {Uint8Array} left @param {Uint8Array} right @returns {Uint8Array} */
export function nodeOf(left, right) {
  return sha256([1], left, right);
}
