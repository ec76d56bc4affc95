// @ts-check
// CBOR as the Internet Computer writes certificates: numbers, bytes, text, lists and maps of definite length, and a
// self-description tag in front. Other values are not in certificates, and malformed here.

import { need, Reader, textOf, toNumber } from "./bytes.js";

/** Deepest nesting. */
const DEPTH_MAX = 128;
const [NUMBER, BYTES, TEXT, LIST, MAP, TAG] = [0, 2, 3, 4, 5, 6];
const SELF_DESCRIBED = 55_799n;

/** @typedef {bigint | Uint8Array | string | CborList | CborMap} CborValue */
/** @typedef {CborValue[]} CborList */
/** @typedef {Map<CborValue, CborValue>} CborMap */

/** Major type, and a number in any width. @param {Reader} reader */
function readHead(reader) {
  const first = reader.u8();
  const [major, info] = [first >> 5, first & 31];
  need(info < 28);
  return { major, value: info < 24 ? BigInt(info) : toNumber(reader.bytes(2 ** (info - 24))) };
}

/** @param {Reader} reader @param {number} depth @returns {CborValue} */
function readValue(reader, depth) {
  need(depth <= DEPTH_MAX);
  const { major, value } = readHead(reader);
  if (major === NUMBER) return value;
  if (major === BYTES) return reader.bytes(value);
  if (major === TEXT) {
    const text = textOf(reader.bytes(value));
    need(text !== null);
    return text;
  }
  if (major === LIST) {
    need(value <= reader.left);
    return Array.from({ length: Number(value) }, () => readValue(reader, depth + 1));
  }
  need(major === MAP && value <= reader.left);
  const map = new Map();
  for (let left = value; left > 0n; left--) {
    const name = readValue(reader, depth + 1);
    need(!map.has(name));
    map.set(name, readValue(reader, depth + 1));
  }
  return map;
}

/** Reads one value, with or without the tag. @param {Uint8Array} bytes @returns {CborValue} */
export function readCbor(bytes) {
  const reader = new Reader(bytes);
  const { major, value } = readHead(reader);
  if (major === TAG) need(value === SELF_DESCRIBED);
  else reader.at = 0;
  const read = readValue(reader, 1);
  reader.end();
  return read;
}

/** @param {CborValue | undefined} value @returns {Uint8Array} */
export function bytesOf(value) {
  need(value instanceof Uint8Array);
  return value;
}
