// @ts-check
// RLP, read in its one form (Ethereum yellow paper, appendix B), and written.

import { concat } from "../verify/hash.js";
import { Fault } from "../verify/reader.js";

/** An item: the payload, and the whole with its prefix. @typedef {{ isList: boolean, payload: Uint8Array, whole: Uint8Array }} Item */

/** @param {Uint8Array} bytes @param {number} at @returns {Item} */
function item(bytes, at) {
  const first = bytes[at];
  if (first === undefined) throw new Fault("RLP is cut short");
  if (first < 0x80) return { isList: false, payload: bytes.subarray(at, at + 1), whole: bytes.subarray(at, at + 1) };
  const isList = first >= 0xc0;
  let [start, length] = [at + 1, first - (isList ? 0xc0 : 0x80)];
  if (length > 55) {
    const digits = bytes.subarray(start, start + length - 55);
    if (digits.length !== length - 55 || digits[0] === 0 || digits.length > 6) throw new Fault("malformed RLP");
    start += digits.length;
    length = digits.reduce((value, byte) => value * 256 + byte, 0);
    if (length < 56) throw new Fault("an RLP length in a longer form");
  }
  const payload = bytes.subarray(start, start + length);
  if (payload.length !== length) throw new Fault("RLP is cut short");
  if (!isList && length === 1 && payload[0] < 0x80) throw new Fault("a byte in a longer form");
  return { isList, payload, whole: bytes.subarray(at, start + length) };
}

/** The items that some bytes hold. @param {Uint8Array} bytes @returns {Item[]} */
export function readItems(bytes) {
  const all = [];
  for (let at = 0; at < bytes.length;) {
    const next = item(bytes, at);
    all.push(next);
    at += next.whole.length;
  }
  return all;
}

/** The items of the one list that the bytes hold. @param {Uint8Array} bytes @returns {Item[]} */
export function readList(bytes) {
  const all = readItems(bytes);
  if (all.length !== 1 || !all[0].isList) throw new Fault("not one RLP list");
  return readItems(all[0].payload);
}

/** The bytes of an item, of that length where one is named. @param {Item | undefined} field @param {number} [length] */
export function bytesOf(field, length) {
  if (!field || field.isList || (length !== undefined && field.payload.length !== length)) throw new Fault("malformed field");
  return field.payload;
}

/** A number of at most that many bytes. @param {Item | undefined} field @param {number} max @returns {bigint} */
export function numberOf(field, max) {
  const bytes = bytesOf(field);
  if (bytes.length > max || bytes[0] === 0) throw new Fault("malformed number");
  return bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);
}

/** The items of a list in a list. @param {Item | undefined} field @returns {Item[]} */
export function itemsOf(field) {
  if (!field?.isList) throw new Fault("malformed list");
  return readItems(field.payload);
}

/** The digits of a number, the highest first, without leading zeros. @param {number | bigint} value */
export function digitsOf(value) {
  if (BigInt(value) === 0n) return new Uint8Array();
  const text = value.toString(16);
  const even = text.length % 2 ? `0${text}` : text;
  return Uint8Array.from(even.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

/** @param {number} length @param {number} base @returns {Uint8Array} */
function prefix(length, base) {
  if (length <= 55) return Uint8Array.of(base + length);
  const digits = digitsOf(length);
  return concat([base + 55 + digits.length], digits);
}

/** @param {Uint8Array} bytes */
export const writeBytes = (bytes) =>
  (bytes.length === 1 && bytes[0] < 0x80 ? bytes : concat(prefix(bytes.length, 0x80), bytes));

/** A list of items that are written. @param {...Uint8Array} items */
export function writeList(...items) {
  const payload = concat(...items);
  return concat(prefix(payload.length, 0xc0), payload);
}
