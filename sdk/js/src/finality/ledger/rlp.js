// @ts-check
// RLP in its one form. Source: Ethereum yellow paper, appendix B.

import { need, Reader, toNumber } from "../bytes.js";

/** @typedef {{ isList: boolean, payload: Uint8Array, whole: Uint8Array }} RlpItem */

/** Bytes of a length behind the first byte; longer items fit in no reader. */
const LENGTH_BYTES_MAX = 6;

/** @param {Reader} reader @returns {RlpItem} */
function readItem(reader) {
  const start = reader.at;
  const first = reader.u8();
  const isList = first >= 0xc0;
  const short = first - (isList ? 0xc0 : 0x80);
  let payload;
  if (first < 0x80) {
    payload = reader.all.subarray(start, reader.at);
  } else if (short <= 55) {
    payload = reader.bytes(short);
    need(isList || short !== 1 || payload[0] >= 0x80);
  } else {
    const digits = reader.bytes(short - 55);
    need(digits[0] !== 0 && digits.length <= LENGTH_BYTES_MAX);
    const length = toNumber(digits);
    need(length >= 56n);
    payload = reader.bytes(length);
  }
  return { isList, payload, whole: reader.all.subarray(start, reader.at) };
}

/** All items that the bytes hold. @param {Uint8Array} bytes @returns {RlpItem[]} */
export function rlpItems(bytes) {
  const reader = new Reader(bytes);
  const items = [];
  while (reader.left > 0) items.push(readItem(reader));
  return items;
}

/** Items of the one list that the bytes are. @param {Uint8Array} bytes @returns {RlpItem[]} */
export function rlpList(bytes) {
  const reader = new Reader(bytes);
  const item = readItem(reader);
  reader.end();
  need(item.isList);
  return rlpItems(item.payload);
}

/** Bytes of a field, of that length where one is named. @param {RlpItem | undefined} item @param {number} [length] */
export function rlpBytes(item, length) {
  need(item && !item.isList && (length === undefined || item.payload.length === length));
  return item.payload;
}

/** A number of at most `max` bytes, without leading zeros. @param {RlpItem | undefined} item @param {number} max */
export function rlpNumber(item, max) {
  const bytes = rlpBytes(item);
  need(bytes.length <= max && bytes[0] !== 0);
  return toNumber(bytes);
}
